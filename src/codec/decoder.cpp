#include "codec/decoder.hpp"

#include <string>

#include "codec/body.hpp"
#include "codec/byte_shuffle.hpp"
#include "codec/kernels.hpp"

namespace quadrille::codec {

Result<OpenPayload> Decoder::open(Bytes payload, std::size_t float_count) {
  TRY(header, read_header(payload, float_count));
  const Bytes sent = payload.subspan(header_bytes);
  if (!header.zstd) return OpenPayload{header, sent};
  const std::size_t size = body_bytes(header.kind, float_count);
  const std::size_t width = shuffle_width(header.kind);
  body_.resize(size);
  if (width > 1) planes_.resize(size);
  if (!decompressor_.decompress(sent, width > 1 ? planes_ : body_))
    return failure(ErrorCode::Corrupt, "payload does not decompress to " + std::to_string(size) +
                                           " bytes; it has to be sent again");
  if (width > 1) unshuffle_bytes(width, planes_, body_);
  return OpenPayload{header, body_};
}

Result<void> Decoder::decode(Bytes payload, std::span<float> values) {
  TRY(opened, open(payload, values.size()));
  if (opened.header.kind == CodecKind::Int8Difference)
    return failure(ErrorCode::Mismatch,
                   "payload is a difference and there is nothing to add it to; ask for a keyframe");
  if (!read_body(best_kernels(), opened.header.kind, opened.body, values))
    return failure(ErrorCode::Corrupt, "payload decodes to NaN or infinity; its sender is broken");
  return {};
}

}  // namespace quadrille::codec
