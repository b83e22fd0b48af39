// A cell's inbox: what it needs, what its edges hold, and whether that is enough to advance it.
//
// The worker keeps the last two rounds of an edge. In synchronous mode every round counts, so the
// inbox also says which rounds must not be pushed out yet: those that were not read and may be.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/exchange/receiving_edge.hpp"
#include "peer/learner.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

class Inbox {
 public:
  using Chunk = AdvanceCell::DirectInput;
  using Held = std::map<CellIndex, RoundsHeld>;  // by source
  static constexpr std::size_t chunks_max = 64;  // of one sender; the oldest goes

  explicit Inbox(CellIndex cell) : cell_(cell) {}

  void set_sources(std::vector<CellIndex> sources);
  const std::vector<CellIndex>& sources() const { return sources_; }

  void set_need(Need need, TimePoint now);
  // Rounds of one sender rise: a chunk that came once, and comes again on a new stream, is dropped.
  void add_chunk(Chunk chunk);

  // When the need is met, or its patience over: what the cell is to be advanced with.
  std::optional<AdvanceCell> take(const Held& held, TimePoint now);
  std::optional<TimePoint> deadline() const { return deadline_; }
  // Whether the cell may yet ask for this round of the source.
  bool may_want(CellIndex source, Round round) const;

 private:
  bool gather(const Held& held, std::vector<AdvanceCell::Input>& inputs) const;
  bool has_chunks() const;

  CellIndex cell_;
  std::vector<CellIndex> sources_;  // in the algorithm's order
  std::optional<Need> need_;
  std::optional<TimePoint> deadline_;
  std::vector<Chunk> chunks_;                // since the last advance, as they came
  std::map<CellIndex, Round> newest_chunk_;  // of each sender
  std::map<CellIndex, Round> given_;         // the newest round that the cell was advanced with
};

}  // namespace quadrille::peer
