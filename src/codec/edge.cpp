#include "codec/edge.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.hpp"
#include "codec/body.hpp"
#include "codec/kernels.hpp"

namespace quadrille::codec {
namespace {

// advance() works in pieces of whole blocks, whose bodies stay on the stack.
constexpr std::size_t piece_floats = 16 * block_floats;

using PieceBody = std::array<std::byte, 4 * piece_floats>;

// What a receiver would decode, without the payload. NotFinite leaves scrap in `decoded`.
Result<void> through_codec(CodecKind kind, std::span<const float> values,
                           std::span<float> decoded) {
  PieceBody bytes;
  for (std::size_t start = 0; start < values.size(); start += piece_floats) {
    const std::size_t count = std::min(piece_floats, values.size() - start);
    const auto body = std::span(bytes).first(body_bytes(kind, count));
    // The error of a piece would count from the piece's start.
    if (!write_body(best_kernels(), kind, values.subspan(start, count), body))
      return check_finite(values, kind);
    CHECK(read_body(best_kernels(), kind, body, decoded.subspan(start, count)), start);
  }
  return {};
}

// False when a difference or its result is not finite; `next` is scrap then.
bool through_difference(std::span<const float> values, std::span<const float> base,
                        std::span<float> next) {
  PieceBody bytes;
  for (std::size_t start = 0; start < values.size(); start += piece_floats) {
    const std::size_t count = std::min(piece_floats, values.size() - start);
    const auto body = std::span(bytes).first(body_bytes(CodecKind::Int8Difference, count));
    if (!write_difference(best_kernels(), values.subspan(start, count), base.subspan(start, count),
                          body, next.subspan(start, count)))
      return false;
  }
  return true;
}

// The kind of a payload that needs no base.
CodecKind whole_kind(CodecKind kind) {
  return kind == CodecKind::Int8Difference ? CodecKind::Fp32 : kind;
}

}  // namespace

Replica::Replica(std::size_t float_count) : newest_(float_count), older_(float_count) {}

std::span<const float> Replica::newest() const {
  return version_ > 0 ? std::span<const float>(newest_) : std::span<const float>();
}

std::span<const float> Replica::previous() const {
  return has_previous_ ? std::span<const float>(older_) : std::span<const float>();
}

std::span<float> Replica::draft() {
  has_previous_ = false;
  return older_;
}

void Replica::commit(std::uint64_t version) {
  CHECK(version > 0);
  has_previous_ = version_ > 0;
  version_ = version;
  newest_.swap(older_);
}

void Replica::restore(std::uint64_t version, std::span<const float> values) {
  CHECK(version > 0);
  CHECK(values.size() == newest_.size(), values.size(), newest_.size());
  std::ranges::copy(values, newest_.begin());
  version_ = version;
  has_previous_ = false;
}

SendingEdge::SendingEdge(CodecOptions options, std::size_t float_count)
    : options_(options), replica_(float_count) {}

void SendingEdge::restore(std::uint64_t version, std::span<const float> values) {
  replica_.restore(version, values);
}

bool SendingEdge::takes_difference() const {
  return options_.kind == CodecKind::Int8Difference && replica_.version() > 0;
}

Result<void> SendingEdge::advance(std::span<const float> values) {
  CHECK(values.size() == replica_.float_count(), values.size(), replica_.float_count());
  if (!takes_difference() || !through_difference(values, replica_.newest(), replica_.draft()))
    TRY_VOID(through_codec(whole_kind(options_.kind), values, replica_.draft()));
  replica_.commit(replica_.version() + 1);
  return {};
}

Result<void> SendingEdge::encode(Encoder& encoder, std::span<const float> values,
                                 ByteBuffer& payload) {
  CHECK(values.size() == replica_.float_count(), values.size(), replica_.float_count());
  if (takes_difference() && try_difference(encoder, values, payload)) return {};
  const PayloadHeader header{.kind = whole_kind(options_.kind),
                             .zstd = options_.zstd,
                             .float_count = values.size(),
                             .version = replica_.version() + 1};
  const std::span<std::byte> body = encoder.begin(header, payload);
  TRY_VOID(write_body(best_kernels(), header.kind, values, body));
  CHECK(read_body(best_kernels(), header.kind, body, replica_.draft()), header.version);
  encoder.finish(header, payload);
  replica_.commit(header.version);
  return {};
}

// False, with the replica as it was, when a difference or its result is not finite.
bool SendingEdge::try_difference(Encoder& encoder, std::span<const float> values,
                                 ByteBuffer& payload) {
  PayloadHeader header{.kind = CodecKind::Int8Difference,
                       .zstd = options_.zstd,
                       .float_count = values.size(),
                       .version = replica_.version() + 1};
  const std::span<std::byte> body = encoder.begin(header, payload);
  if (!write_difference(best_kernels(), values, replica_.newest(), body, replica_.draft()))
    return false;
  header.base_checksum = checksum_of(replica_.newest());
  encoder.finish(header, payload);
  replica_.commit(header.version);
  return true;
}

void SendingEdge::keyframe(Encoder& encoder, ByteBuffer& payload) const {
  CHECK(replica_.version() > 0);
  const PayloadHeader header{.kind = CodecKind::Fp32,
                             .zstd = options_.zstd,
                             .float_count = replica_.float_count(),
                             .version = replica_.version()};
  const std::span<std::byte> body = encoder.begin(header, payload);
  const auto written = write_body(best_kernels(), header.kind, replica_.newest(), body);
  CHECK(written.has_value(), header.version);
  encoder.finish(header, payload);
}

void ReceivingEdge::restore(std::uint64_t version, std::span<const float> values) {
  replica_.restore(version, values);
}

Result<void> ReceivingEdge::apply(Decoder& decoder, Bytes payload) {
  TRY(opened, decoder.open(payload, replica_.float_count()));
  const PayloadHeader& header = opened.header;
  if (header.version == 0)
    return failure(ErrorCode::Mismatch, "payload has no version; it was not made by an edge");
  bool finite = false;
  if (header.kind == CodecKind::Int8Difference) {
    TRY_VOID(check_base(header));
    finite = read_difference(best_kernels(), opened.body, replica_.newest(), replica_.draft());
  } else {
    finite = read_body(best_kernels(), header.kind, opened.body, replica_.draft());
  }
  if (!finite)
    return failure(ErrorCode::Corrupt, "payload decodes to NaN or infinity; its sender is broken");
  replica_.commit(header.version);
  return {};
}

Result<void> ReceivingEdge::check_base(const PayloadHeader& header) const {
  const std::uint64_t base = header.version - 1;
  if (replica_.version() != base || base == 0)
    return failure(ErrorCode::Mismatch,
                   "payload is a difference from version " + std::to_string(base) + ", version " +
                       std::to_string(replica_.version()) + " is here; ask for a keyframe");
  if (checksum_of(replica_.newest()) != header.base_checksum)
    return failure(ErrorCode::Mismatch, "version " + std::to_string(base) +
                                            " differs from the sender's; ask for a keyframe");
  return {};
}

}  // namespace quadrille::codec
