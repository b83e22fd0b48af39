// What this peer has to tell others about members. It rides on every datagram that leaves: the most
// urgent first, of one urgency what was told least often, and each so many times and no more.
//
// One statement a subject: a newer one takes the place of the older. The queue is short on purpose.
// What a datagram cannot carry soon (hundreds of peers that join at once) travels by anti-entropy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/ids.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/update.hpp"

namespace quadrille::peer {

inline constexpr std::size_t broadcasts_max = 512;

// Of this peer itself (a refutation above all); that somebody is gone; that somebody is suspected;
// that somebody lives.
enum class Urgency : std::uint8_t { Own, Gone, Suspect, Alive };

// An update whose record is shared until it is sent.
struct Statement {
  wire::UpdateKind kind = wire::UpdateKind::Unknown;
  PeerId subject;
  std::uint64_t incarnation = 0;
  PeerId accuser;
  RecordRef record;  // Alive only

  static Statement alive(RecordRef record);
  wire::Update update() const;
};

class BroadcastQueue {
 public:
  // A full queue drops what is least urgent and was told most often.
  void add(Statement statement, Urgency urgency);
  // Appends what fits into `room_bytes`, and takes that off; each counts as one of its `sends_max`.
  void pick(std::size_t& room_bytes, std::uint32_t sends_max, std::vector<wire::Update>& out);

  std::size_t size() const { return entries_.size(); }

 private:
  struct Rank {
    Urgency urgency = Urgency::Alive;
    std::uint32_t sends = 0;
    std::uint64_t sequence = 0;  // of add(): the older first
    PeerId subject;
    auto operator<=>(const Rank&) const = default;
  };
  struct Entry {
    Statement statement;
    Rank rank;
    std::size_t bytes = 0;
  };

  std::map<PeerId, Entry> entries_;
  std::set<Rank> ranks_;  // one for each
  std::uint64_t next_sequence_ = 0;
};

// How often each peer passes one statement on: enough that it reaches n peers, loss included.
std::uint32_t sends_for(std::size_t live_count, std::uint32_t multiplier, std::uint32_t least);

}  // namespace quadrille::peer
