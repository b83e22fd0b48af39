#include "codec/encoder.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "codec/body.hpp"
#include "codec/byte_shuffle.hpp"

namespace quadrille::codec {

Result<void> Encoder::encode(std::span<const float> values, CodecOptions options,
                             ByteBuffer& payload) {
  const PayloadHeader header{
      .kind = options.kind, .zstd = options.zstd, .float_count = values.size()};
  const std::span<std::byte> body = begin(header, payload);
  TRY_VOID(write_body(best_kernels(), options.kind, values, body));
  finish(header, payload);
  return {};
}

std::span<std::byte> Encoder::begin(const PayloadHeader& header, ByteBuffer& payload) {
  const std::size_t size = body_bytes(header.kind, header.float_count);
  payload.resize(header_bytes + size);
  if (!header.zstd) return std::span(payload).subspan(header_bytes);
  body_.resize(size);
  return body_;
}

void Encoder::finish(PayloadHeader header, ByteBuffer& payload) {
  const std::size_t size = body_bytes(header.kind, header.float_count);
  CHECK(payload.size() == header_bytes + size, payload.size(), size);
  if (header.zstd) {
    Bytes plain = body_;
    if (const std::size_t width = shuffle_width(header.kind); width > 1) {
      planes_.resize(size);
      shuffle_bytes(width, body_, planes_);
      plain = planes_;
    }
    const std::span<std::byte> room = std::span(payload).subspan(header_bytes);
    // One byte less than the body, for a payload without zstd says its length by its kind alone.
    const auto compressed =
        size > 0 ? compressor_.compress(plain, room.first(size - 1)) : std::nullopt;
    if (compressed) {
      payload.resize(header_bytes + *compressed);
    } else {
      std::ranges::copy(body_, room.begin());
      header.zstd = false;
    }
  }
  seal(header, payload);
}

}  // namespace quadrille::codec
