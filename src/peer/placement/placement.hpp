// Which cells are whose: sticky claims. Every peer writes its own claims only; who owns a cell is a
// pure function of all live claims. Incumbents win, so a crash moves only the cells of the dead and
// a partition that heals moves nothing.
//
// Available on both sides of a partition: a cell may have two owners then. Exactly one after it
// heals.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/membership/view.hpp"
#include "peer/placement/grid.hpp"
#include "wire/datagram.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

enum class Growth : std::uint8_t { Fixed, Rows, Columns };

struct PlacementOptions {
  Grid genesis;
  std::uint32_t capacity = 1;    // cells that fit into this peer; 0: it only looks on
  bool has_other_seeds = false;  // given seeds other than itself: no early gate before one sync
  Duration gate = std::chrono::seconds(12);
  Duration early_gate_quiet = std::chrono::seconds(1);
  Duration plan_quiet = std::chrono::seconds(3);
  Duration vacancy_max = std::chrono::seconds(15);
  Duration yield_request_interval = std::chrono::seconds(1);
  Duration yield_deadline = std::chrono::seconds(60);
  bool minority_brake = false;
  Duration brake_memory = std::chrono::minutes(10);
  Duration brake_time = std::chrono::minutes(5);
  Growth growth = Growth::Fixed;
  Grid largest;  // of a grid that grows
  Duration growth_patience = std::chrono::minutes(10);
  std::vector<CellIndex> stored;  // cells whose state lies on this peer's disk: its first choice
};

struct PlacementOutput {
  struct Sending {
    PeerId to;
    wire::Message message;
  };
  // An own claim on a vacant cell: find its newest state, then train it.
  struct Gained {
    CellIndex cell;
  };
  // Its owner yields it to this peer: get its state; then on_acquired() or on_acquire_failed().
  struct Offered {
    CellIndex cell;
    PeerId from;
  };
  // Somebody else has it now, or it was given up: stop training it.
  struct Dropped {
    CellIndex cell;
    std::optional<PeerId> winner;
  };
  // This peer yields the cell; after Returned it does not any more.
  struct Yielding {
    CellIndex cell;
    PeerId to;
  };
  struct Returned {
    CellIndex cell;
  };
  struct Grown {
    Grid grid;
  };
  using Action = std::variant<Gained, Offered, Dropped, Yielding, Returned, Grown>;

  bool claims_changed = false;  // runs(), yields() or grid(): say so in the own record
  std::vector<Sending> messages;
  std::vector<Action> actions;
};

class Placement {
 public:
  Placement(PlacementOptions options, PeerId self, RandomStream random);

  void start(TimePoint now);
  // All of membership's changes, its own record's too.
  void on_member_changed(const MemberChange& change, TimePoint now, PlacementOutput& out);
  void on_joined(TimePoint now);  // the first state sync is done
  void on_yield_request(PeerId from, const wire::YieldRequest& request, TimePoint now,
                        PlacementOutput& out);
  void on_yield_reply(PeerId from, const wire::YieldReply& reply, TimePoint now,
                      PlacementOutput& out);
  void on_acquired(CellIndex cell, TimePoint now, PlacementOutput& out);
  void on_acquire_failed(CellIndex cell, TimePoint now, PlacementOutput& out);
  void on_time(TimePoint now, PlacementOutput& out);
  TimePoint wake_at() const;

  // Takes no more, and yields all it has. drained() when everything has been taken over.
  void leave(TimePoint now, PlacementOutput& out);
  bool drained() const;

  const Grid& grid() const;
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
};

}  // namespace quadrille::peer
