#include "codec/codec.hpp"

#include "base/check.hpp"
#include "codec/kernels.hpp"
#include "codec/payload.hpp"

namespace quadrille::codec {

std::string_view codec_name(CodecKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  CHECK(index < codec_names.size(), index);
  return codec_names[index];
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
