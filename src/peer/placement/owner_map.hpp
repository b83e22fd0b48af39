// Who owns which cell: among the live claims of a cell the one that ranks first (claim.hpp). A pure
// function of the live records, kept up with each of them at the cost of the cells whose claims
// changed. Equal views have equal maps, whatever the order in which they came to know.
//
// The memory is four bytes a cell: of each cell the owner's slot. Claims that lose are few, and
// stand in a set of their own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/placement/grid.hpp"
#include "peer/placement/growth.hpp"
#include "peer/placement/peer_table.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {

class OwnerMap {
 public:
  explicit OwnerMap(GrowthRule rule);

  // From now on the cells that nobody ever owned count as vacant.
  void start(TimePoint now) { started_ = oldest_ = now; }

  // What a peer's new record means for placement.
  enum class Shift : std::uint8_t {
    None,     // nothing: a refutation, another address
    Claims,   // other claims or yields
    Members,  // who can take cells: it came, went, leaves, or has another capacity
  };
  // The peer's record is now this one; null: it is not live any more. An epoch that the rule admits
  // must have been grown to before.
  Shift set(PeerId peer, RecordRef record, TimePoint now);
  // The cells that the last set() gave to another owner.
  struct Change {
    std::uint32_t position = 0;
    PeerSlot before = no_peer;
    PeerSlot after = no_peer;
  };
  std::span<const Change> changes() const { return changes_; }

  void grow(const Grid& grid, TimePoint now);

  const Grid& grid() const { return grid_; }
  const GrowthRule& rule() const { return rule_; }
  const PeerTable& peers() const { return peers_; }
  std::uint64_t version() const { return version_; }  // one more with every Shift and growth

  PeerSlot owner(std::uint32_t position) const { return owners_[position]; }
  std::uint64_t hash() const;
  std::size_t losing_count() const { return losing_.size(); }

  // The peers' cells, where one that is yielded to a live peer counts as that peer's already: else
  // a donor would be asked for more than it should give.
  std::vector<std::uint32_t> loads() const;  // by slot
  // The peers whose records yield something, ascending.
  std::span<const PeerSlot> yielders() const { return yielders_; }

  // Live peers that can take cells at all, and how many they can hold together.
  std::uint32_t taker_count() const { return taker_count_; }
  std::uint64_t capacity() const { return capacity_; }

  std::uint32_t vacant_count() const { return vacant_count_; }
  TimePoint vacant_since(std::uint32_t position) const;
  // Who let go of this vacant cell and stays: it failed there. As far as this map saw it.
  std::optional<PeerId> given_up_by(std::uint32_t position) const;
  // A bound of when the longest vacancy began: exact after tighten(). Of no meaning without one.
  TimePoint oldest_vacancy() const { return oldest_; }
  void tighten();

 private:
  void restate(PeerSlot slot, const wire::PeerRecord* before, const wire::PeerRecord* after,
               TimePoint now);
  void restate(std::uint32_t position, PeerSlot slot, bool had, bool has, TimePoint now);
  void settle(std::uint32_t position, TimePoint now);
  void set_owner(std::uint32_t position, PeerSlot slot, TimePoint now);
  void count_taker(const wire::PeerRecord& record, bool in);
  void note_yielder(PeerSlot slot, bool yields);

  GrowthRule rule_;
  Grid grid_;
  PeerTable peers_;
  std::vector<PeerSlot> owners_;                         // by position
  std::set<std::pair<std::uint32_t, PeerSlot>> losing_;  // claims that are not the best
  std::vector<PeerSlot> yielders_;
  struct Vacancy {
    TimePoint since;
    std::optional<PeerId> given_up_by;
  };
  std::map<std::uint32_t, Vacancy> vacated_;  // the others were never owned since the start
  std::vector<Change> changes_;
  TimePoint started_;
  TimePoint oldest_;
  std::uint64_t version_ = 0;
  std::uint64_t hash_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint32_t taker_count_ = 0;
  std::uint32_t vacant_count_ = 0;
};

// Can this peer take cells at all?
inline bool is_taker(const wire::PeerRecord& record) {
  return record.capacity > 0 && !record.leaving;
}
// And has its record a run to spare?
inline bool can_be_given_cells(const wire::PeerRecord& record) {
  return is_taker(record) && record.claims.size() < wire::claim_runs_max;
}

}  // namespace quadrille::peer
