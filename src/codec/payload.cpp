#include "codec/payload.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/check.hpp"
#include "codec/kernels.hpp"

// Values are stored as this machine holds them, and the format is little-endian.
static_assert(std::endian::native == std::endian::little);

namespace quadrille::codec {
namespace {

// Offsets of the fields.
constexpr std::size_t at_version = 3;
constexpr std::size_t at_kind = 4;
constexpr std::size_t at_flags = 5;
constexpr std::size_t at_reserved = 6;
constexpr std::size_t at_checksum = 8;
constexpr std::size_t at_float_count = 16;
constexpr std::size_t at_replica_version = 24;
constexpr std::size_t at_base_checksum = 32;

constexpr char magic[3] = {'Q', 'W', 'P'};
constexpr std::uint8_t zstd_flag = 1;

template <class T>
T load(Bytes payload, std::size_t offset) {
  T value;
  std::memcpy(&value, payload.data() + offset, sizeof value);
  return value;
}

template <class T>
void store(std::span<std::byte> payload, std::size_t offset, std::type_identity_t<T> value) {
  std::memcpy(payload.data() + offset, &value, sizeof value);
}

// Covers every byte but its own: the eight before it are the seed.
std::uint64_t checksum(Bytes payload) {
  const Bytes rest = payload.subspan(at_float_count);
  return best_kernels().hash(rest.data(), rest.size(), load<std::uint64_t>(payload, 0));
}

Failure corrupt(const std::string& what) {
  return failure(ErrorCode::Corrupt, "payload " + what + "; it has to be sent again");
}

Failure wrong_length(Bytes payload) {
  return corrupt("has a wrong length of " + std::to_string(payload.size()) + " bytes");
}

}  // namespace

void set_checksum(std::span<std::byte> payload) {
  CHECK(payload.size() >= header_bytes, payload.size());
  store<std::uint64_t>(payload, at_checksum, checksum(payload));
}

void seal(const PayloadHeader& header, std::span<std::byte> payload) {
  CHECK(payload.size() >= header_bytes, payload.size());
  std::memcpy(payload.data(), magic, sizeof magic);
  store<std::uint8_t>(payload, at_version, format_version);
  store<std::uint8_t>(payload, at_kind, static_cast<std::uint8_t>(header.kind));
  store<std::uint8_t>(payload, at_flags, header.zstd ? zstd_flag : std::uint8_t{0});
  store<std::uint16_t>(payload, at_reserved, 0);
  store<std::uint64_t>(payload, at_float_count, header.float_count);
  store<std::uint64_t>(payload, at_replica_version, header.version);
  store<std::uint64_t>(payload, at_base_checksum, header.base_checksum);
  set_checksum(payload);
}

Result<PayloadHeader> read_header(Bytes payload, std::size_t float_count) {
  // Before the checksum is computed: a length that nobody sends would cost time in proportion.
  if (payload.size() < header_bytes || payload.size() > payload_bytes_max(float_count))
    return wrong_length(payload);
  if (std::memcmp(payload.data(), magic, sizeof magic) != 0) return corrupt("has no QWP in front");
  const auto version = load<std::uint8_t>(payload, at_version);
  if (version != format_version)
    return failure(ErrorCode::Mismatch, "payload has format version " + std::to_string(version) +
                                            ", this program knows " +
                                            std::to_string(format_version) +
                                            "; run the same release on all peers");
  if (load<std::uint64_t>(payload, at_checksum) != checksum(payload))
    return corrupt("fails its checksum");

  const auto kind = load<std::uint8_t>(payload, at_kind);
  const auto flags = load<std::uint8_t>(payload, at_flags);
  if (kind >= codec_kind_count) return corrupt("has unknown codec " + std::to_string(kind));
  if (flags > zstd_flag || load<std::uint16_t>(payload, at_reserved) != 0)
    return corrupt("has unknown flags " + std::to_string(flags));

  const PayloadHeader header{.kind = static_cast<CodecKind>(kind),
                             .zstd = flags == zstd_flag,
                             .float_count = load<std::uint64_t>(payload, at_float_count),
                             .version = load<std::uint64_t>(payload, at_replica_version),
                             .base_checksum = load<std::uint64_t>(payload, at_base_checksum)};
  if (header.float_count != float_count)
    return failure(ErrorCode::Mismatch, "payload has " + std::to_string(header.float_count) +
                                            " floats, " + std::to_string(float_count) +
                                            " were expected; both ends need the same model");
  const std::size_t body = body_bytes(header.kind, float_count);
  const std::size_t sent = payload.size() - header_bytes;
  if (header.zstd ? sent >= body : sent != body) return wrong_length(payload);
  return header;
}

std::uint64_t checksum_of(std::span<const float> values) {
  return best_kernels().hash(values.data(), values.size_bytes(), 0);
}

}  // namespace quadrille::codec
