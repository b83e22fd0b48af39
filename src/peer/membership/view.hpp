// All members that a peer knows of: who lives, by their newest records, and who is gone.
//
// The digest covers live members only (identity, incarnation, version): two views with equal
// digests have the same owners of all cells. It is kept up with every change, in as many buckets as
// suit the most live members that there ever were; a coarser digest is folded from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/place_table.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer {

enum class MemberState : std::uint8_t { Alive, Suspect, Dead, Left };
constexpr bool is_live(MemberState state) {
  return state == MemberState::Alive || state == MemberState::Suspect;
}

// A state, and when somebody came into it here: at most 73 years from the clock's zero.
class Standing {
 public:
  constexpr Standing(MemberState state, TimePoint since)
      : packed_(since.since_start.count() * states_max + static_cast<std::int64_t>(state)) {}
  constexpr MemberState state() const {
    return static_cast<MemberState>(packed_ & (states_max - 1));
  }
  constexpr TimePoint since() const { return {Duration(packed_ >> state_bits)}; }

 private:
  static constexpr int state_bits = 2;
  static constexpr std::int64_t states_max = 1 << state_bits;
  static_assert(static_cast<std::int64_t>(MemberState::Left) < states_max);

  std::int64_t packed_;
};

// There are ten thousand times ten thousand of them in a simulation.
struct Member {
  PeerId id;
  std::uint64_t incarnation = 0;  // the largest ever seen of it, in whatever statement
  RecordRef record{};             // null once it is gone
  Standing standing{MemberState::Alive, {}};

  MemberState state() const { return standing.state(); }
  TimePoint since() const { return standing.since(); }
};
static_assert(sizeof(Member) <= 40);

// What changed for everybody who looks at live members. Both null never.
struct MemberChange {
  PeerId id;
  RecordRef before;  // null: it was not live
  RecordRef after;   // null: it is not live any more
};

class View {
 public:
  // So many members are to be expected; there may be more. What grows step by step leaves
  // holes in the heap, and a simulation holds ten thousand views.
  explicit View(std::size_t expected = 0);

  // The live ones first, then the gone ones. The order within each follows from the order of the
  // calls alone; a change of state moves two members. Pointers and spans last until the next call
  // of put() or forget().
  std::span<const Member> members() const { return members_; }
  std::span<const Member> live() const { return members().first(live_count_); }
  std::span<const Member> gone() const { return members().subspan(live_count_); }
  std::size_t live_count() const { return live_count_; }

  const Member* find(PeerId id) const;
  // The live member whose first endpoint this is; of several, any.
  const Member* find_live(const wire::Endpoint& endpoint) const;

  // Adds the member or replaces what is known of it. A live one has a record, a gone one has none.
  void put(Member member);
  void forget(PeerId id);  // a tombstone whose time is over

  // With about as many buckets as live members, or as somebody asks for (wire::is_digest_size()).
  wire::Digest digest() const { return digest_of(suitable_bucket_count()); }
  wire::Digest digest_of(std::size_t bucket_count) const;
  std::uint64_t hash() const { return hash_; }  // over the digest, whatever its size
  static std::size_t bucket_of(PeerId id, std::size_t bucket_count);

  std::size_t bytes_held() const;  // without the records, which views share

 private:
  using Place = PlaceTable::Place;

  Place place_of(PeerId id) const;
  Place append(PeerId id);
  Place move_across(Place place, bool to_live);
  void count(Place place);  // into what is known of live members
  void uncount(Place place);
  void toggle(const Member& member);
  wire::Digest recounted(std::size_t bucket_count) const;
  std::size_t suitable_bucket_count() const;

  std::vector<Member> members_;
  PlaceTable by_id_;
  PlaceTable by_endpoint_;  // live members only
  std::size_t live_count_ = 0;
  wire::Digest digest_{std::vector<std::uint64_t>(wire::digest_buckets_min)};
  std::uint64_t hash_ = 0;
};

}  // namespace quadrille::peer
