// The header of a payload, and the checksum over all of it (docs/codec.md has the byte boxes).
//
// Nothing here or after it believes a length that the payload claims: the caller says how many
// floats it expects, and every size follows from that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "codec/codec.hpp"

namespace quadrille::codec {

inline constexpr std::size_t header_bytes = 40;
inline constexpr std::uint8_t format_version = 1;

struct PayloadHeader {
  CodecKind kind = CodecKind::Fp32;
  bool zstd = false;
  std::uint64_t float_count = 0;
  // Set on edges only: the version of the replica that this payload leads to, and for a difference
  // the checksum of the replica before it.
  std::uint64_t version = 0;
  std::uint64_t base_checksum = 0;

  bool operator==(const PayloadHeader&) const = default;
};

// Fills the first header_bytes of a payload whose body is in place, with the checksum over both.
void seal(const PayloadHeader& header, std::span<std::byte> payload);
// Sets only the checksum.
void set_checksum(std::span<std::byte> payload);

// The header of a payload that has `float_count` floats and is whole.
// Corrupt: bytes were lost, added or changed. Mismatch: it is sound,
// and of another format version or for another number of floats.
Result<PayloadHeader> read_header(Bytes payload, std::size_t float_count);

// What two replicas compare: XXH3-64 of the floats' little-endian bytes.
std::uint64_t checksum_of(std::span<const float> values);

}  // namespace quadrille::codec
