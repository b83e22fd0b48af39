// Saved cells and snapshots to write, read and damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "worker/object_bytes.hpp"

namespace quadrille::test {

inline worker::PublishedSnapshot sample_snapshot(Round round) {
  return {.round = round,
          .values = {0.5F, -1.25F, 3.0F},
          .exact = ByteBuffer(5, std::byte{7}),
          .heard = {{{2}, {.index = 4, .subround = 1}}, {{9}, {.index = 5}}}};
}

inline worker::SavedSnapshot sample_saved_snapshot() {
  return {.cell = {11}, .snapshot = sample_snapshot({.index = 6, .subround = 2})};
}

inline worker::SavedCell sample_saved_cell() {
  return {.cell = {11},
          .state = {.round = {.index = 7},
                    .tensors = {{"generator", {1.0F, 2.0F}}, {"empty", {}}},
                    .counters = {{"data.epoch", 3}, {"life", ~std::uint64_t{0}}}},
          .snapshots = {sample_snapshot({.index = 6}), sample_snapshot({.index = 7})}};
}

// So that only what is behind the checksum decides.
inline ByteBuffer sealed(ByteBuffer object) {
  std::uint64_t head = 0;
  std::memcpy(&head, object.data(), sizeof head);
  const std::uint64_t checksum = hash_of(Bytes(object).subspan(16), head);
  std::memcpy(object.data() + sizeof head, &checksum, sizeof checksum);
  return object;
}

template <class Number>
ByteBuffer with(ByteBuffer object, std::size_t offset, Number number) {
  std::memcpy(object.data() + offset, &number, sizeof number);
  return sealed(std::move(object));
}

}  // namespace quadrille::test
