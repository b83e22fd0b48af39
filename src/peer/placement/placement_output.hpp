// What placement wants done: messages to send, and what changed for this peer's cells, in order.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "peer/placement/grid.hpp"
#include "wire/datagram.hpp"

namespace quadrille::peer {

struct PlacementOutput {
  struct Sending {
    PeerId to;
    wire::Message message;
  };
  // An own claim on a vacant cell: find its newest state, then train it.
  struct Gained {
    CellIndex cell;
  };
  // Its owner yields it to this peer: get its state and start it; then on_acquired(), or
  // on_acquire_failed() where the state could not be had, decline() where it is none, or give_up()
  // where it does not start. One cell at a time of each owner.
  struct Offered {
    CellIndex cell;
    PeerId from;
  };
  // Somebody else has it now, or it was given up: stop training it. Or its offer was withdrawn, or
  // given up: stop fetching it.
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

  bool claims_changed = false;  // runs(), yields(), grid() or capacity(): say so in the own record
  std::vector<Sending> messages;
  std::vector<Action> actions;

  bool empty() const { return !claims_changed && messages.empty() && actions.empty(); }
};

}  // namespace quadrille::peer
