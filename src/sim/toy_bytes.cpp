#include "sim/toy_bytes.hpp"

#include <algorithm>
#include <cstring>

#include "base/hash.hpp"

namespace quadrille::sim {
namespace {

// So that a sheet passes for a PNG.
constexpr std::array<std::uint8_t, 8> signature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t word_count = 9;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
// The signature, the words, and a checksum over them.
constexpr std::size_t packed_bytes = (word_count + 2) * word_bytes;
constexpr std::uint64_t payload_kind = 0x100;

using Words = std::array<std::uint64_t, word_count>;

ByteBuffer pack(const Words& words, std::size_t size) {
  ByteBuffer bytes(std::max(size, packed_bytes));
  std::memcpy(bytes.data(), signature.data(), signature.size());
  std::memcpy(bytes.data() + word_bytes, words.data(), sizeof words);
  const std::uint64_t checksum = hash_of(Bytes(bytes).first(packed_bytes - word_bytes), size);
  std::memcpy(bytes.data() + packed_bytes - word_bytes, &checksum, word_bytes);
  return bytes;
}

std::optional<Words> unpack(Bytes bytes, std::uint64_t kind) {
  if (bytes.size() < packed_bytes) return std::nullopt;
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + packed_bytes - word_bytes, word_bytes);
  Words words{};
  std::memcpy(words.data(), bytes.data() + word_bytes, sizeof words);
  const std::uint64_t expected = hash_of(bytes.first(packed_bytes - word_bytes), bytes.size());
  if (checksum != expected || words[0] != kind) return std::nullopt;
  return words;
}

std::uint64_t word_of(CellIndex high, CellIndex low) {
  return std::uint64_t{high.value} << 32U | low.value;
}

}  // namespace

ByteBuffer to_bytes(const ToyPayload& payload, std::size_t size) {
  return pack({payload_kind, word_of(payload.edge.source, payload.edge.reader), payload.round.index,
               payload.round.subround, payload.base_version, payload.base_checksum, payload.version,
               payload.checksum, static_cast<std::uint64_t>(payload.weights)},
              std::max(size, packed_bytes));
}

std::optional<ToyPayload> toy_payload(Bytes bytes) {
  const auto words = unpack(bytes, payload_kind);
  if (!words) return std::nullopt;
  const Words& w = *words;
  return ToyPayload{.edge = {.source = {static_cast<std::uint32_t>(w[1] >> 32U)},
                             .reader = {static_cast<std::uint32_t>(w[1])}},
                    .round = {.index = w[2], .subround = static_cast<std::uint32_t>(w[3])},
                    .base_version = w[4],
                    .base_checksum = w[5],
                    .version = w[6],
                    .checksum = w[7],
                    .weights = static_cast<ToyWeights>(w[8])};
}

ByteBuffer to_bytes(ToyKind kind, const ToyCell& cell, std::size_t size) {
  return pack({static_cast<std::uint64_t>(kind), cell.cell.value, cell.round.index,
               cell.round.subround, cell.saved_by, std::uint64_t{cell.is_handover}},
              std::max(size, packed_bytes));
}

std::optional<ToyCell> toy_cell(ToyKind kind, Bytes bytes) {
  const auto words = unpack(bytes, static_cast<std::uint64_t>(kind));
  if (!words) return std::nullopt;
  const Words& w = *words;
  return ToyCell{.cell = {static_cast<std::uint32_t>(w[1])},
                 .round = {.index = w[2], .subround = static_cast<std::uint32_t>(w[3])},
                 .saved_by = static_cast<NodeIndex>(w[4]),
                 .is_handover = w[5] != 0};
}

}  // namespace quadrille::sim
