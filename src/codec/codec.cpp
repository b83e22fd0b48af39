#include "codec/codec.hpp"

#include <array>

#include "base/check.hpp"
#include "codec/kernels.hpp"
#include "codec/payload.hpp"

namespace quadrille::codec {
namespace {

constexpr std::array<std::string_view, codec_kind_count> names = {"fp32", "fp16", "bf16", "int8",
                                                                  "int8-difference"};

}  // namespace

std::string_view codec_name(CodecKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  CHECK(index < names.size(), index);
  return names[index];
}

Result<CodecKind> parse_codec(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<CodecKind>(i);
  return failure(ErrorCode::Config, "codec \"" + std::string(name) +
                                        "\" is not known; use fp32, fp16, bf16, int8 or "
                                        "int8-difference");
}

std::string describe(CodecOptions options) {
  return std::string(codec_name(options.kind)) + (options.zstd ? "+zstd" : "");
}

std::size_t body_bytes(CodecKind kind, std::size_t float_count) {
  switch (kind) {
    case CodecKind::Fp32:
      return 4 * float_count;
    case CodecKind::Fp16:
    case CodecKind::Bf16:
      return 2 * float_count;
    case CodecKind::Int8:
    case CodecKind::Int8Difference:
      return float_count + 2 * ((float_count + block_floats - 1) / block_floats);
  }
  CHECK(false, static_cast<int>(kind));
  return 0;
}

std::size_t shuffle_width(CodecKind kind) {
  switch (kind) {
    case CodecKind::Fp32:
      return 4;
    case CodecKind::Fp16:
    case CodecKind::Bf16:
      return 2;
    default:
      return 1;
  }
}

std::size_t payload_bytes_max(std::size_t float_count) {
  return header_bytes + body_bytes(CodecKind::Fp32, float_count);
}

}  // namespace quadrille::codec
