// The contract between an algorithm and whoever drives it: the one place where the learning column
// and the network column meet.
//
// A learner trains all cells of one device. It never waits, sends or reads a clock: advance()
// computes until some cell has something to say and returns actions; the driver carries them out
// (hands snapshots over in memory, through the exchange, or in a simulation) and calls again with
// what the cells asked for. So an algorithm is tested without a network, and the network with a
// twenty-line learner.
//
// A cell's life: start() -> advance()... Each advance leaves a cell in one of three states, told by
// its last action: Need (call again when it is met), Done (do not call again), or anything else
// (call again at once: it only paused to let a publication travel while it computes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace quadrille::peer {

// One run of floats within a snapshot that an exchange
// may encode in its own way ("generator", 283920).
struct Section {
  std::string name;
  std::size_t float_count;

  bool operator==(const Section&) const = default;
};

// What a cell published, as a neighbour reads it: after
// the edge's codec, so `values` are the replica's.
struct SnapshotView {
  CellIndex cell;
  Round round;
  std::span<const float> values;  // all sections, in the order of Learner::sections()
  Bytes exact;  // small, uncompressed: rates, losses, counters. From a peer: not trusted.
  // The newest round of the reading cell that `cell` held when it published this: both ends of an
  // edge know whether an exchange counted (DPOSG's confirmed edges).
  std::optional<Round> heard;
};

// Bytes from one cell to one other (a chunk of an all-reduce), as the receiver reads them.
struct ChunkView {
  CellIndex from;
  Round round;
  Bytes payload;
};

// What one cell receives with a call of advance(). The views end with the call.
struct CellInput {
  CellIndex cell;
  std::span<const SnapshotView> snapshots;  // what its Need named, or the newest of each neighbour
  std::span<const ChunkView> chunks;        // all that arrived for it since the last call
  bool deadline_passed = false;  // the Need was not met in full; go on with what is there
};

// Publish the cell's snapshot to all who read it. The
// views stay valid until the cell is advanced again.
struct Publish {
  CellIndex cell;
  Round round;
  std::span<const float> values;
  Bytes exact;
};

struct Send {
  CellIndex from;
  CellIndex to;
  Round round;
  ByteBuffer payload;
};

// The cell cannot go on before this is there.
struct Need {
  struct Item {
    CellIndex source;
    Round round;
    bool operator==(const Item&) const = default;
  };
  CellIndex cell;
  // True: whatever is the newest of each neighbour, even nothing. The lists are empty then.
  bool newest = false;
  // Each is met by the source's snapshot of that round, or, when the source jumped past it, by the
  // oldest later one.
  std::vector<Item> snapshots;
  std::vector<Item> chunks;            // met by a chunk of exactly that round
  std::optional<Duration> patience{};  // none: wait for ever
};

// One line of the cell's story: what a progress line, metrics.jsonl and a watcher show.
struct Measure {
  std::string name;            // "generator_fitness"
  std::vector<double> values;  // one, or one per member of the neighbourhood
};

struct Status {
  CellIndex cell;
  Round round;
  double generator_fitness = 0;
  double discriminator_fitness = 0;
  std::optional<double> score;    // lower is better; none where it was not measured
  std::uint64_t images_seen = 0;  // real rows trained on since the run's start
  std::vector<Measure> measures;
};

// Something a person should read.
enum class NoticeKind : std::uint8_t { Note, RollBack, Refusal, Adoption };
struct Notice {
  CellIndex cell;
  std::string text;
  NoticeKind kind = NoticeKind::Note;
};

struct Done {
  CellIndex cell;
};

// The cell cannot go on at all; the others can.
struct Failed {
  CellIndex cell;
  Error error;
};

using Action = std::variant<Publish, Send, Need, Status, Notice, Done, Failed>;

// Everything that a cell's next round depends on, at a round boundary.
struct CellState {
  struct Floats {
    std::string name;
    std::vector<float> values;  // finite: what is not, no checkpoint takes in
  };
  Round round;
  std::vector<Floats> tensors;
  std::vector<std::pair<std::string, std::uint64_t>> counters;  // random positions, cursors, counts
};

// How a cell begins.
struct Fresh {};   // at round 0, from the run's seed
struct Restored {  // from a checkpoint of this cell
  const CellState& state;
};
struct Adopted {  // its owner died: from the newest snapshot of it that anybody holds
  SnapshotView newest;
  Round jump_to;  // the largest round among its neighbours
};
using Origin = std::variant<Fresh, Restored, Adopted>;

// How many training steps a cell may take in one advance(). The driver tunes it to about 100 ms by
// its clock; no result depends on it.
struct Quantum {
  std::uint32_t steps = 1;
};

class Learner {
 public:
  virtual ~Learner() = default;

  // The parts of every snapshot, the same for all cells of the run.
  virtual std::span<const Section> sections() const = 0;
  // Whose snapshots the cell reads, each once, without itself, in the algorithm's order.
  virtual std::vector<CellIndex> neighbours(CellIndex cell) const = 0;

  // Takes the cell in. Config when the run's settings do not fit the cell's data. Mismatch when the
  // state or snapshot is of another run, Corrupt, NotFinite or Limit when what is in it cannot be.
  // Nothing changed then.
  virtual Result<void> start(CellIndex cell, const Origin& origin) = 0;
  // Gives the cell up (it moved, or the run ends here).
  virtual void release(CellIndex cell) = 0;

  // Works the named cells side by side, each for at most `quantum`, and appends their actions,
  // grouped by cell in the order given.
  virtual void advance(std::span<const CellInput> cells, Quantum quantum,
                       std::vector<Action>& actions) = 0;

  // The cell's state, right after an advance() that ended its round (with a Publish), or that was
  // the first of a restored cell: that one trains nothing, it only says what the cell needs.
  virtual CellState save(CellIndex cell) const = 0;
  // `count` samples of the cell's current model on latent vectors that are the same every time, so
  // that sheets compare: (count, sample size).
  virtual std::vector<float> samples(CellIndex cell, std::size_t count) = 0;
};

}  // namespace quadrille::peer
