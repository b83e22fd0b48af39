// All members that a peer knows of: who lives, by their newest records, and who is gone.
//
// The digest covers live members only (identity, incarnation, version): two views with equal digests
// have the same owners of all cells. It is kept up with every change; nothing is ever recounted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer {

enum class MemberState : std::uint8_t { Alive, Suspect, Dead, Left };
constexpr bool is_live(MemberState state) {
  return state == MemberState::Alive || state == MemberState::Suspect;
}

// 40 bytes or so each: there are ten thousand times ten thousand of them in a simulation.
struct Member {
  PeerId id;
  std::uint64_t incarnation = 0;  // the largest ever seen of it, in whatever statement
  RecordRef record;               // null once it is gone
  TimePoint since;                // when it came into this state here
  MemberState state = MemberState::Alive;
};

// What changed for everybody who looks at live members. Both null never.
struct MemberChange {
  PeerId id;
  RecordRef before;  // null: it was not live
  RecordRef after;   // null: it is not live any more
};

class View {
 public:
  // Members in the order in which they were met; forgetting one moves the last into its place.
  std::span<const Member> members() const { return members_; }
  const Member* find(PeerId id) const;
  std::size_t live_count() const { return live_count_; }

  // Adds the member or replaces what is known of it.
  void put(Member member);
  void forget(PeerId id);  // a tombstone whose time is over

  const wire::Digest& digest() const { return digest_; }
  std::uint64_t hash() const;               // over the digest
  static std::size_t bucket_of(PeerId id);  // 0 to 255

 private:
  std::vector<Member> members_;
  std::unordered_map<PeerId, std::uint32_t> places_;
  std::size_t live_count_ = 0;
  wire::Digest digest_;
};

}  // namespace quadrille::peer
