// What this peer holds, within the map of what everybody holds: its claims, what it yields of them
// and what it is offered. It claims exactly what it wins: a cell that another claim wins is dropped
// with the record that shows it.
//
// The own record is made here. The map reads it as it reads the others', so that every peer derives
// the same owners; commit() tells the map, once for everything that an event changed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/placement/doubts.hpp"
#include "peer/placement/grants.hpp"
#include "peer/placement/growth.hpp"
#include "peer/placement/offers.hpp"
#include "peer/placement/own_claims.hpp"
#include "peer/placement/owner_map.hpp"
#include "peer/placement/placement_output.hpp"

namespace quadrille::peer {

class Holdings {
 public:
  // Larger stamps are no honest count of claims. They rank as they are, but nobody counts on.
  static constexpr std::uint64_t believable_stamp_max = std::uint64_t{1} << 48;

  // After which a state that could not be had is asked for again, while its cell is still yielded:
  // what failed may have been the network.
  static constexpr Duration acquire_retry = std::chrono::seconds(10);
  // Of one giver, cells that could not be had: then it rests until one may be tried again.
  static constexpr std::size_t failures_max = 4;

  static constexpr PeerSlot own_slot = 0;  // the map is told of this peer first, and it never goes

  struct Options {
    PeerId self;
    std::uint32_t capacity = 0;
    Duration yield_deadline{};
  };
  Holdings(Options options, GrowthRule rule);

  void start(TimePoint now) { owners_.start(now); }
  // From now on what others yield to this peer is taken.
  void open(PlacementOutput& out);
  // Claims from now on have stamps larger than this one.
  void count_from(std::uint64_t stamp);

  // Another peer's record is now this one; null: it is not live any more.
  OwnerMap::Shift hear(PeerId peer, const RecordRef& record, TimePoint now, PlacementOutput& out);

  // Claims a vacant cell that it does not avoid; all between two commits under one stamp. False
  // when there is no room.
  bool claim(std::uint32_t position, PlacementOutput& out);
  // Yields a stretch of one own run, none of it yielded yet.
  void give(const Grant& grant, PlacementOutput& out);
  void forget_declined(PeerId by) { grants_.forget_declined(by); }
  void take_back_expired(TimePoint now, PlacementOutput& out);
  // An offered cell has started here from its owner's state; or that cannot be had; or it is none.
  void acquired(CellIndex cell, TimePoint now, PlacementOutput& out);
  void acquire_failed(CellIndex cell, TimePoint now);
  void decline(CellIndex cell, TimePoint now);
  // What failed or was declined may be tried again, once it is time.
  void retry(TimePoint now);
  // Claims an own cell no longer, or fetches an offered one no longer, since it failed here; avoids
  // it from now on, and has room for one less.
  void give_up(CellIndex cell, TimePoint now, PlacementOutput& out);
  std::optional<TimePoint> retry_due() const;
  void grow(const Grid& grid, TimePoint now, PlacementOutput& out);
  void leave(PlacementOutput& out);
  // Of what nobody took: it is vacant from now on.
  void let_go(TimePoint now, PlacementOutput& out);

  // Call it at the end of every event. What that meant for the view.
  OwnerMap::Shift commit(TimePoint now, PlacementOutput& out);

  PeerId self() const { return options_.self; }
  const OwnerMap& owners() const { return owners_; }
  OwnerMap& owners() { return owners_; }
  const OwnClaims& claims() const { return claims_; }
  const Grants& grants() const { return grants_; }
  bool leaving() const { return leaving_; }
  std::uint32_t capacity() const { return capacity_ - doubts_.room_taken(); }
  const Doubts& doubts() const { return doubts_; }
  // What failed here is not taken again, vacant or offered. So a cell that fails with everybody is
  // tried by each process once.
  const std::set<CellIndex>& avoided() const { return avoided_; }
  bool avoids(std::uint32_t position) const { return avoided_.contains(cell(position)); }
  // For one cell more, with those that are being fetched.
  bool has_room() const;

 private:
  std::uint32_t capacity_of(PeerId peer) const;
  void hear_stamps(const wire::PeerRecord& record);
  void absorb_changes(TimePoint now, PlacementOutput& out);
  void lose(std::uint32_t position, std::optional<PeerId> winner, TimePoint now,
            PlacementOutput& out);
  void take_back(const std::vector<std::uint32_t>& positions, PlacementOutput& out);
  struct Fetch {
    std::uint32_t position = 0;
    PeerId giver;
  };
  std::optional<Fetch> end_fetch(CellIndex cell);
  void review_offers(PeerId giver, PlacementOutput& out);
  void take_offers(PlacementOutput& out);
  void offer_next(PeerSlot giver, PlacementOutput& out);
  bool offers(PeerSlot giver, std::uint32_t position) const;
  std::optional<PeerId> owner_id(std::uint32_t position) const;
  CellIndex cell(std::uint32_t position) const { return owners_.grid().cell_at(position); }
  RecordRef own_record() const;

  Options options_;
  std::uint32_t capacity_;  // less than was given for each cell that was given up
  OwnerMap owners_;
  OwnClaims claims_;
  Grants grants_;
  Offers offers_;
  Doubts doubts_;
  std::set<CellIndex> avoided_;
  std::uint64_t clock_ = 0;  // the largest believable stamp that was seen
  bool open_ = false;
  bool leaving_ = false;
  bool offers_wait_ = false;  // something is offered that is not being fetched, or may be
  bool changed_ = false;      // since the map was told
};

}  // namespace quadrille::peer
