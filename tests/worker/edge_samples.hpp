// Snapshots that a cell might publish, and what takes a reader there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peer/worker.hpp"
#include "worker/saved_cell.hpp"

namespace quadrille::test {

inline constexpr std::size_t publication_floats = 300;  // more than a block of the codec

// A little different each round; all values times `scale`.
inline worker::PublishedSnapshot publication(Round round, float scale = 1) {
  worker::PublishedSnapshot snapshot{
      .round = round,
      .values = {},
      .exact = ByteBuffer(4, static_cast<std::byte>(round.index & 0xFF)),
      .heard = {}};
  for (std::size_t i = 0; i < publication_floats; ++i)
    snapshot.values.push_back(scale * (0.01F * static_cast<float>(i % 37) - 0.1F +
                                       0.001F * static_cast<float>(round.index % 16)));
  return snapshot;
}

// As the exchange would hand it to the reader's worker.
inline peer::ApplyPayload apply_of(const peer::PayloadEncoded& encoded) {
  return {.edge = encoded.edge,
          .round = encoded.round,
          .version = encoded.version,
          .payload = encoded.payload,
          .exact = encoded.exact,
          .heard = encoded.heard};
}

}  // namespace quadrille::test
