#include "fuzz/codec_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "codec/edge.hpp"

namespace quadrille::fuzz {
namespace {

constexpr std::size_t prefix_bytes = 3;
constexpr std::size_t float_count_max = 2048;
constexpr std::uint64_t base_version = 5;

// Values of several magnitudes, also huge ones: a difference may overflow.
std::vector<float> base_values(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::ldexp(static_cast<float>(i % 7) - 3.0f, static_cast<int>(i * 37 % 250) - 124);
  return values;
}

void store(ByteBuffer& payload, std::size_t offset, std::uint64_t value) {
  std::memcpy(payload.data() + offset, &value, sizeof value);
}

void mend(ByteBuffer& payload, unsigned how, std::span<const float> base) {
  if (payload.size() < codec::header_bytes) return;
  if ((how & 1) != 0) {
    std::memcpy(payload.data(), "QWP\1", 4);
    store(payload, 16, base.size());
  }
  if ((how & 2) != 0) {
    store(payload, 24, base_version + 1);
    store(payload, 32, codec::checksum_of(base));
  }
  if ((how & 4) != 0) codec::set_checksum(payload);
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

void codec_case(Bytes input) {
  if (input.size() < prefix_bytes) return;
  const unsigned how = std::to_integer<unsigned>(input[0]);
  const std::size_t count =
      (std::to_integer<std::size_t>(input[1]) | std::to_integer<std::size_t>(input[2]) << 8) %
      float_count_max;
  const std::vector<float> base = base_values(count);
  ByteBuffer payload(input.begin() + prefix_bytes, input.end());
  mend(payload, how, base);

  codec::Decoder decoder;
  std::vector<float> values(count);
  if (decoder.decode(payload, values)) CHECK(all_finite(values), count);

  codec::ReceivingEdge edge(count);
  edge.restore(base_version, base);
  const bool applied = edge.apply(decoder, payload).has_value();
  CHECK(all_finite(edge.replica().newest()), count);
  if (!applied) {
    CHECK(edge.replica().version() == base_version, edge.replica().version());
    CHECK(std::ranges::equal(edge.replica().newest(), base), count);
  }
}

}  // namespace quadrille::fuzz
