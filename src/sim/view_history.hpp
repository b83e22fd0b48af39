// What hosts said of members before, and what may therefore never be said again: I1, I2, I5, I9 and
// I10 of docs/simulation.md. Keeps its own memory and shares no code with what it checks.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "peer/membership/view.hpp"
#include "sim/event_queue.hpp"
#include "sim/violation.hpp"

namespace quadrille::sim {

// A record's place in its owner's history.
struct Edition {
  std::uint64_t incarnation = 0;
  std::uint32_t version = 0;
  auto operator<=>(const Edition&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Edition& edition) {
  return out << edition.incarnation << '.' << edition.version;
}

class ViewHistory {
 public:
  explicit ViewHistory(std::size_t nodes) : memories_(nodes) {}

  // A new process there, which has seen nothing yet.
  void on_started(NodeIndex node, RunId run, PeerId self);
  // A record that its owner gives itself: the only source of editions. `bytes`: as it sends it.
  std::optional<Violation> on_own_record(NodeIndex node, PeerId self, Edition edition, Bytes bytes);
  // The whole view, and the hash over the owners that follow from it, if members came or went or
  // have other records than at the last look.
  std::optional<Violation> look(NodeIndex node, const peer::View& view, std::uint64_t owners_hash);

 private:
  struct Owner {
    RunId run;
    Edition newest;                         // that it itself has said
    std::map<Edition, std::uint64_t> sent;  // hashes of their bytes
  };
  struct Seen {
    std::uint64_t incarnation = 0;  // the largest in any statement about it
    Edition edition;                // of its record, while it is live
    bool is_live = false;
  };
  struct Memory {
    RunId run;
    PeerId self;
    std::uint64_t hash = 0;
    std::unordered_map<PeerId, Seen> seen;  // looked up only
  };

  struct OwnersSeen {
    std::uint64_t hash = 0;
    NodeIndex node = 0;  // that had them first
  };

  std::optional<Violation> look_at(NodeIndex node, const peer::Member& member);

  std::vector<Memory> memories_;
  std::unordered_map<PeerId, Owner> owners_;  // of all processes that ever were; looked up only
  // By run and view, all that there ever were; looked up only.
  std::unordered_map<std::uint64_t, OwnersSeen> first_owners_;
};

}  // namespace quadrille::sim
