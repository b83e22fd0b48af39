#include "data/fingerprint.hpp"

#include <xxhash.h>

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/hex.hpp"

namespace quadrille::data {
namespace {

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

void update(XXH3_state_t* state, Bytes bytes) {
  CHECK(XXH3_128bits_update(state, bytes.data(), bytes.size()) == XXH_OK, bytes.size());
}

std::string hex_of(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return hex_text(bytes_of(std::span<const unsigned char>(canonical.digest)));
}

}  // namespace

std::string fingerprint_of(const Dataset& dataset) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (!state) throw std::bad_alloc();
  CHECK(XXH3_128bits_reset(state.get()) == XXH_OK);
  // The sizes come first, so that no two sets give the same run of bytes.
  const std::array<std::uint64_t, 6> sizes{dataset.shape.height,   dataset.shape.width,
                                           dataset.shape.channels, dataset.count,
                                           dataset.labels.size(),  dataset.bytes.size()};
  update(state.get(), bytes_of(std::span<const std::uint64_t>(sizes)));
  update(state.get(), bytes_of(std::span<const std::uint8_t>(dataset.labels)));
  update(state.get(), bytes_of(std::span<const std::uint8_t>(dataset.bytes)));
  update(state.get(), bytes_of(std::span<const float>(dataset.points)));
  return hex_of(XXH3_128bits_digest(state.get()));
}

}  // namespace quadrille::data
