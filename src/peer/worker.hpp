// What a peer asks of the worker that has the learner and the floats, and what it hears from it.
// The peer itself sees versions, checksums, rounds and encoded bytes. Commands to one worker are
// carried out in order; a report may take any time to come. Every StartCell is answered once, by
// CellStarted or by CellFailed with `at_start`; every EncodePayload and ApplyPayload once, in their
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "peer/learner.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

using wire::EdgeId;

// Of a synchronous run, so many rounds of a cell wait for a reader at most; then the oldest is
// given up, and the reader jumps past it. The worker keeps as many.
inline constexpr std::size_t rounds_waiting_max = 8;

// Encoded bytes that the worker made or is given: shared, never changed.
using Payload = std::shared_ptr<const ByteBuffer>;

// A checkpoint on this peer's disk.
struct StoredCell {
  CellIndex cell;
  Round round;
};

// --- Commands ---

// How a cell begins: see learner.hpp, Origin.
struct StartFresh {};
struct StartFromCheckpoint {};  // the newest of the cell that the driver has stored
struct StartFromState {
  Payload state;  // a complete CellState, as its former owner's worker serialised it
};
struct StartFromSnapshot {
  Payload snapshot;  // as a neighbour's worker serialised what it held
  Round jump_to;     // the largest round among its neighbours
};
using StartOrigin =
    std::variant<StartFresh, StartFromCheckpoint, StartFromState, StartFromSnapshot>;
// Once the cell has started from anything but its checkpoint, that is gone, or replaced by a state
// it began from (CellStored): it is of a life that ended before the cell went on elsewhere.
struct StartCell {
  CellIndex cell;
  StartOrigin origin;
};
struct ReleaseCell {  // it moved: forget it
  CellIndex cell;
};

// The cell's Need is met, or its patience ended: advance it, with what these edges hold.
struct AdvanceCell {
  struct Input {
    EdgeId edge;
    Round round;  // of the last two that were applied on the edge
  };
  struct DirectInput {
    CellIndex from;
    Round round;
    Payload payload;
  };
  CellIndex cell;
  std::vector<Input> snapshots;
  std::vector<DirectInput> chunks;
  bool deadline_passed = false;
};

// The sending end of an edge: begins (with nothing that the other end holds), encodes, ends.
struct OpenSendingEdge {
  EdgeId edge;
};
struct EncodePayload {
  EdgeId edge;
  bool keyframe = false;       // exactly the replica as it is, or the first state
  std::optional<Round> round;  // of a run with sync = true: this round; else the newest there is
};
struct CloseSendingEdge {
  EdgeId edge;
};

// The receiving end.
struct OpenReceivingEdge {
  EdgeId edge;
};
struct ApplyPayload {
  EdgeId edge;
  Round round;
  std::uint64_t version = 0;
  Payload payload;
  ByteBuffer exact;
  std::optional<Round> heard;
};
// What the edge held last stays for PackSnapshot until its reader is released: the source may be
// about to be adopted.
struct CloseReceivingEdge {
  EdgeId edge;
};

// The cell's complete state, at its next round boundary or now when it is at one.
struct SaveState {
  CellIndex cell;
  std::uint32_t request = 0;
  bool park = false;  // do not train it on: it is being handed over
};
// A handover that came to nothing: train it on. A SaveState with `park` that still waits for the
// boundary is answered all the same, and parks nothing.
struct ResumeCell {
  CellIndex cell;
};
// The newest snapshot of `cell` that is held here: its own if it is owned, or an edge's replica.
struct PackSnapshot {
  CellIndex cell;
  std::uint32_t request = 0;
};
struct DrawSheet {
  CellIndex cell;
  std::uint32_t request = 0;
};
// The torus has grown at its seam: tell the cells' new neighbours (CellNeighbours).
struct GrowGrid {
  wire::GridEpoch grid;
};
// Keep this state of somebody else's cell (its understudy), or nothing of it any more.
struct KeepState {
  CellIndex cell;
  Round round;
  Payload state;  // null: drop it
};

using WorkerCommand =
    std::variant<StartCell, ReleaseCell, AdvanceCell, OpenSendingEdge, EncodePayload,
                 CloseSendingEdge, OpenReceivingEdge, ApplyPayload, CloseReceivingEdge, SaveState,
                 ResumeCell, PackSnapshot, DrawSheet, GrowGrid, KeepState>;

// --- Reports ---

struct CellStarted {
  CellIndex cell;
  Round round;
  std::vector<CellIndex> neighbours;  // Learner::neighbours(): whose snapshots it wants to read
};
struct CellNeighbours {
  CellIndex cell;
  std::vector<CellIndex> neighbours;
};
struct CellPublished {
  CellIndex cell;
  Round round;
};
struct CellNeeds {
  Need need;
};
struct CellStatusReport {
  Status status;
};
struct CellNotice {
  Notice notice;
};
struct CellDone {
  CellIndex cell;
};
struct CellFailed {
  CellIndex cell;
  Error error;
  bool at_start = false;  // the answer to its StartCell: the worker does not have it
};
// The driver has a checkpoint of that round now, and no older one.
struct CellStored {
  CellIndex cell;
  Round round;
};
struct DirectChunk {  // Learner's Send
  CellIndex from;
  CellIndex to;
  Round round;
  Payload payload;
};

struct PayloadEncoded {
  EdgeId edge;
  Round round;
  std::uint64_t base_version = 0;   // 0: a keyframe
  std::uint64_t base_checksum = 0;  // of the replica before; 0 for a keyframe
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;  // of the replica after
  std::optional<Round> heard;  // the newest round of the reading cell that the source held
  Payload payload;
  ByteBuffer exact;
};
struct PayloadTaken {
  EdgeId edge;
  Round round;
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;               // of the replica after
  std::optional<wire::PayloadFault> fault;  // refused; the replica is what it was
};
// State, snapshot or sheet that was asked for; no payload: there is none.
struct ObjectReady {
  std::uint32_t request = 0;
  CellIndex cell;
  Round round;
  Payload payload;
};

using WorkerReport = std::variant<CellStarted, CellNeighbours, CellPublished, CellNeeds,
                                  CellStatusReport, CellNotice, CellDone, CellFailed, CellStored,
                                  DirectChunk, PayloadEncoded, PayloadTaken, ObjectReady>;

}  // namespace quadrille::peer
