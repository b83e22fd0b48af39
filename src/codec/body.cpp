#include "codec/body.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "base/check.hpp"

namespace quadrille::codec {
namespace {

// How a count of floats falls into whole blocks and a last short one.
struct Blocks {
  std::size_t whole;
  std::size_t rest;

  explicit Blocks(std::size_t count) : whole(count / block_floats), rest(count % block_floats) {}
  std::size_t scale_bytes() const { return 2 * (whole + (rest > 0 ? 1 : 0)); }
  std::size_t start() const { return whole * block_floats; }
};

using FloatBlock = std::array<float, block_floats>;

// The last short block, filled up with zeros: they change neither a scale nor a magnitude.
FloatBlock padded(std::span<const float> values, const Blocks& blocks) {
  FloatBlock block{};
  std::ranges::copy(values.last(blocks.rest), block.begin());
  return block;
}

void copy_rest(const FloatBlock& block, const Blocks& blocks, std::span<float> values) {
  std::copy_n(block.begin(), blocks.rest, values.last(blocks.rest).begin());
}

const FlatKernels* flat_kernels(const Kernels& kernels, CodecKind kind) {
  switch (kind) {
    case CodecKind::Fp32:
      return &kernels.fp32;
    case CodecKind::Fp16:
      return &kernels.fp16;
    case CodecKind::Bf16:
      return &kernels.bf16;
    default:
      return nullptr;
  }
}

Magnitude encode_flat(const FlatKernels& kernels, std::span<const float> values,
                      std::span<std::byte> body) {
  const Blocks blocks(values.size());
  const Magnitude largest = kernels.encode(values.data(), blocks.whole, body.data());
  if (blocks.rest == 0) return largest;
  const std::size_t width = body.size() / values.size();
  const FloatBlock last = padded(values, blocks);
  std::array<std::byte, block_floats * sizeof(float)> codes;
  const Magnitude last_largest = kernels.encode(last.data(), 1, codes.data());
  std::memcpy(body.data() + blocks.start() * width, codes.data(), blocks.rest * width);
  return std::max(largest, last_largest);
}

Magnitude decode_flat(const FlatKernels& kernels, std::span<const std::byte> body,
                      std::span<float> values) {
  const Blocks blocks(values.size());
  const Magnitude largest = kernels.decode(body.data(), blocks.whole, values.data());
  if (blocks.rest == 0) return largest;
  const std::size_t width = body.size() / values.size();
  std::array<std::byte, block_floats * sizeof(float)> codes{};
  std::memcpy(codes.data(), body.data() + blocks.start() * width, blocks.rest * width);
  FloatBlock last;
  const Magnitude last_largest = kernels.decode(codes.data(), 1, last.data());
  copy_rest(last, blocks, values);
  return std::max(largest, last_largest);
}

Magnitude encode_int8(const Kernels& kernels, std::span<const float> values,
                      std::span<std::byte> body) {
  const Blocks blocks(values.size());
  std::byte* scales = body.data();
  std::byte* codes = scales + blocks.scale_bytes();
  const Magnitude largest = kernels.encode_int8(values.data(), blocks.whole, scales, codes);
  if (blocks.rest == 0) return largest;
  const FloatBlock last = padded(values, blocks);
  std::array<std::byte, block_floats> last_codes;
  const Magnitude last_largest =
      kernels.encode_int8(last.data(), 1, scales + 2 * blocks.whole, last_codes.data());
  std::copy_n(last_codes.begin(), blocks.rest, codes + blocks.start());
  return std::max(largest, last_largest);
}

Magnitude decode_int8(const Kernels& kernels, std::span<const std::byte> body,
                      std::span<float> values) {
  const Blocks blocks(values.size());
  const std::byte* scales = body.data();
  const std::byte* codes = scales + blocks.scale_bytes();
  const Magnitude largest = kernels.decode_int8(scales, codes, blocks.whole, values.data());
  if (blocks.rest == 0) return largest;
  std::array<std::byte, block_floats> last_codes{};
  std::copy_n(codes + blocks.start(), blocks.rest, last_codes.begin());
  FloatBlock last;
  const Magnitude last_largest =
      kernels.decode_int8(scales + 2 * blocks.whole, last_codes.data(), 1, last.data());
  copy_rest(last, blocks, values);
  return std::max(largest, last_largest);
}

// The magnitude from which on a kind would give infinity.
Magnitude limit_of(CodecKind kind) {
  switch (kind) {
    case CodecKind::Fp16:
      return std::bit_cast<Magnitude>(65520.0f);  // halfway from 65504 to the next, to even
    case CodecKind::Bf16:
      return 0x7f7f8000;
    default:
      return infinite_magnitude;
  }
}

}  // namespace

Result<void> check_finite(std::span<const float> values, CodecKind kind) {
  const Magnitude limit = limit_of(kind);
  const auto bad = std::ranges::find_if(values, [limit](float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0x7fffffff) >= limit;
  });
  if (bad == values.end()) return {};
  const std::string place = "value " + std::to_string(bad - values.begin()) + " of " +
                            std::to_string(values.size()) + " is " + std::to_string(*bad);
  if (std::isfinite(*bad))
    return failure(ErrorCode::NotFinite, place + ", more than " + std::string(codec_name(kind)) +
                                             " can hold; use int8 or fp32");
  return failure(ErrorCode::NotFinite, place + "; it cannot be published");
}

Result<void> write_body(const Kernels& kernels, CodecKind kind, std::span<const float> values,
                        std::span<std::byte> body) {
  CHECK(kind != CodecKind::Int8Difference);
  CHECK(body.size() == body_bytes(kind, values.size()), body.size(), values.size());
  if (values.empty()) return {};  // it has no memory to point to
  const FlatKernels* flat = flat_kernels(kernels, kind);
  const Magnitude largest =
      flat ? encode_flat(*flat, values, body) : encode_int8(kernels, values, body);
  if (largest < limit_of(kind)) return {};
  return check_finite(values, kind);
}

bool read_body(const Kernels& kernels, CodecKind kind, std::span<const std::byte> body,
               std::span<float> values) {
  CHECK(kind != CodecKind::Int8Difference);
  CHECK(body.size() == body_bytes(kind, values.size()), body.size(), values.size());
  if (values.empty()) return true;
  const FlatKernels* flat = flat_kernels(kernels, kind);
  const Magnitude largest =
      flat ? decode_flat(*flat, body, values) : decode_int8(kernels, body, values);
  return largest < infinite_magnitude;
}

bool write_difference(const Kernels& kernels, std::span<const float> values,
                      std::span<const float> base, std::span<std::byte> body,
                      std::span<float> next) {
  CHECK(base.size() == values.size() && next.size() == values.size(), base.size(), next.size());
  CHECK(body.size() == body_bytes(CodecKind::Int8Difference, values.size()), body.size());
  const Blocks blocks(values.size());
  std::byte* scales = body.data();
  std::byte* codes = scales + blocks.scale_bytes();
  Magnitude largest = kernels.encode_difference(values.data(), base.data(), blocks.whole, scales,
                                                codes, next.data());
  if (blocks.rest > 0) {
    const FloatBlock last = padded(values, blocks);
    const FloatBlock last_base = padded(base, blocks);
    std::array<std::byte, block_floats> last_codes;
    FloatBlock last_next;
    largest = std::max(largest, kernels.encode_difference(last.data(), last_base.data(), 1,
                                                          scales + 2 * blocks.whole,
                                                          last_codes.data(), last_next.data()));
    std::copy_n(last_codes.begin(), blocks.rest, codes + blocks.start());
    copy_rest(last_next, blocks, next);
  }
  return largest < infinite_magnitude;
}

bool read_difference(const Kernels& kernels, std::span<const std::byte> body,
                     std::span<const float> base, std::span<float> next) {
  CHECK(base.size() == next.size(), base.size(), next.size());
  CHECK(body.size() == body_bytes(CodecKind::Int8Difference, next.size()), body.size());
  const Blocks blocks(next.size());
  const std::byte* scales = body.data();
  const std::byte* codes = scales + blocks.scale_bytes();
  Magnitude largest =
      kernels.decode_difference(scales, codes, base.data(), blocks.whole, next.data());
  if (blocks.rest > 0) {
    const FloatBlock last_base = padded(base, blocks);
    std::array<std::byte, block_floats> last_codes{};
    std::copy_n(codes + blocks.start(), blocks.rest, last_codes.begin());
    FloatBlock last_next;
    largest =
        std::max(largest, kernels.decode_difference(scales + 2 * blocks.whole, last_codes.data(),
                                                    last_base.data(), 1, last_next.data()));
    copy_rest(last_next, blocks, next);
  }
  return largest < infinite_magnitude;
}

}  // namespace quadrille::codec
