// Which cells are whose: sticky claims. Every peer writes its own claims only; who owns a cell is a
// pure function of all live claims. Incumbents win, so a crash moves only the cells of the dead and
// a partition that heals moves nothing.
//
// Available on both sides of a partition: a cell may have two owners then. Exactly one after it
// heals.
//
// The parts: Holdings has the map of owners and what this peer has in it. Gate, Vacancies,
// Rebalance and Departure decide when it claims, asks and gives.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/membership/view.hpp"
#include "peer/placement/departure.hpp"
#include "peer/placement/gate.hpp"
#include "peer/placement/grid.hpp"
#include "peer/placement/growth.hpp"
#include "peer/placement/holdings.hpp"
#include "peer/placement/minority_brake.hpp"
#include "peer/placement/placement_output.hpp"
#include "peer/placement/rebalance.hpp"
#include "peer/placement/understudies.hpp"
#include "peer/placement/vacancies.hpp"
#include "wire/datagram.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

struct PlacementOptions {
  Grid genesis;
  std::uint32_t capacity = 1;  // cells that fit into this peer; 0: it only looks on
  Duration gate = std::chrono::seconds(12);
  Duration early_gate_quiet = std::chrono::seconds(1);
  Duration plan_quiet = std::chrono::seconds(3);
  Duration vacancy_max = std::chrono::seconds(15);
  Duration yield_request_interval = std::chrono::seconds(1);
  Duration yield_request_interval_max = std::chrono::seconds(4);  // doubled to, when refused
  Duration yield_deadline = std::chrono::seconds(60);
  bool minority_brake = false;
  Duration brake_memory = std::chrono::minutes(10);
  Duration brake_time = std::chrono::minutes(5);
  Growth growth = Growth::Fixed;
  Grid largest;  // of a grid that grows
  Duration growth_patience = std::chrono::minutes(10);
};

class Placement {
 public:
  struct Self {
    PeerId id;
    Gate::Sync sync = Gate::Sync::None;  // before the first claim
    // Claims of a peer that heard nobody have later stamps than this: it may be the one that is cut
    // off, and incumbents are to win. Unix milliseconds; no fleet counts that far.
    std::uint64_t unheard_stamp = 0;
    std::vector<CellIndex> stored;  // cells whose state lies on its disk: its first choice
  };
  Placement(const PlacementOptions& options, Self self, RandomStream random);

  void start(TimePoint now);
  // All of membership's changes, its own record's too.
  void on_member_changed(const MemberChange& change, TimePoint now, PlacementOutput& out);
  void on_joined();  // the first state sync is done
  // Every seed that was given turned out to be this peer itself: nobody has to be heard first.
  void on_no_seeds() { gate_.hope(); }
  void on_yield_request(PeerId from, const wire::YieldRequest& request, TimePoint now,
                        PlacementOutput& out);
  void on_yield_reply(PeerId from, const wire::YieldReply& reply);
  void on_acquired(CellIndex cell, TimePoint now, PlacementOutput& out);
  void on_acquire_failed(CellIndex cell, TimePoint now, PlacementOutput& out);
  // What came as the state of an offered cell is none: it stays with its owner. See Doubts.
  void decline(CellIndex cell, TimePoint now, PlacementOutput& out);
  // A cell that fails here for good, an own one or one that is offered: it is vacant then, or stays
  // with its owner, and this peer takes it no more. Nor has it room for another one in its place:
  // what is broken may be this peer, and it would take one cell after the other.
  void give_up(CellIndex cell, TimePoint now, PlacementOutput& out);
  void on_time(TimePoint now, PlacementOutput& out);
  TimePoint wake_at() const;

  // Takes no more, and yields all it has. drained() when everything has been taken over.
  void leave(TimePoint now, PlacementOutput& out);
  // Before it says that it has left: cells that nobody has room for, or took in time, are vacant.
  void let_go(TimePoint now, PlacementOutput& out);
  bool drained() const;

  const Grid& grid() const;
  std::uint32_t capacity() const { return holdings_.capacity(); }
  std::vector<wire::ClaimRun> runs() const;
  std::vector<wire::CellYield> yields() const;

  // The owners of all cells as this view has them.
  std::optional<PeerId> owner(CellIndex cell) const;
  std::vector<CellIndex> own_cells() const;  // that this peer claims and wins, ascending
  std::uint64_t owners_hash() const;
  std::uint32_t vacant_count() const;
  // The next owned cell that way along the row or column; the cell itself when there is none.
  CellIndex neighbour(CellIndex cell, Direction direction) const;
  // The spare that keeps a copy of the cell's state: the first by rendezvous hashing.
  std::optional<PeerId> understudy(CellIndex cell) const;
  std::vector<CellIndex> understudied() const;  // the cells of which this peer is that, ascending

 private:
  void note(OwnerMap::Shift shift, TimePoint now);
  void finish(TimePoint now, PlacementOutput& out);
  void open_gate(TimePoint now, PlacementOutput& out);
  void propose_growth(TimePoint now, PlacementOutput& out);
  bool covers_grid() const;

  std::uint32_t growth_rank() const;

  Holdings holdings_;
  Gate gate_;
  MinorityBrake brake_;
  Vacancies vacancies_;
  Rebalance rebalance_;
  Departure departure_;
  GrowthPatience growth_;
  std::uint64_t unheard_stamp_;
  mutable Understudies understudies_;  // remembers who the spares are
};

}  // namespace quadrille::peer
