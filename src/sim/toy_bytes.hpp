// What the toy worker's payloads, snapshots, states and sheets are made of: a signature, a kind, a
// few words and a checksum, padded to the size that the real thing would have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "peer/worker.hpp"
#include "sim/event_queue.hpp"

namespace quadrille::sim {

// What a reader finds once it has decoded them.
enum class ToyWeights : std::uint8_t { Sound, NotFinite, OutOfNorm };

// Weights of an edge's source: what turns a replica into the next one.
struct ToyPayload {
  peer::EdgeId edge;
  Round round;
  std::uint64_t base_version = 0;  // 0: a keyframe
  std::uint64_t base_checksum = 0;
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;
  ToyWeights weights = ToyWeights::Sound;
};

// A cell at one round: its whole state, or a snapshot of it.
struct ToyCell {
  CellIndex cell;
  Round round;
  NodeIndex saved_by = 0;
  bool is_handover = false;  // its owner trains it no further
};

enum class ToyKind : std::uint8_t { State, Snapshot, Sheet };

ByteBuffer to_bytes(const ToyPayload& payload, std::size_t size);
ByteBuffer to_bytes(ToyKind kind, const ToyCell& cell, std::size_t size);
std::optional<ToyPayload> toy_payload(Bytes bytes);
std::optional<ToyCell> toy_cell(ToyKind kind, Bytes bytes);

}  // namespace quadrille::sim
