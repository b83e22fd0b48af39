// The kinds of weight compression, as a run file names them, and how many bytes each takes.
// docs/codec.md is the format; encoder.hpp, decoder.hpp and edge.hpp work with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quadrille::codec {

// The values stand in payloads: never renumber.
enum class CodecKind : std::uint8_t {
  Fp32 = 0,            // exact
  Fp16 = 1,            // IEEE half to nearest even: 2^-11 relative from 2^-14 up, finite to 65504
  Bf16 = 2,            // the upper half of a float, to nearest even: 2^-8 relative
  Int8 = 3,            // blocks of 256 with one scale: 1/254 of the block's largest
  Int8Difference = 4,  // as Int8, of the difference from what the receiver holds
};

// exchange.codec in a run file, in the order of the kinds.
inline constexpr std::array<std::string_view, 5> codec_names{"fp32", "fp16", "bf16", "int8",
                                                             "int8-difference"};
inline constexpr std::size_t codec_kind_count = codec_names.size();

struct CodecOptions {
  CodecKind kind = CodecKind::Int8Difference;
  bool zstd = true;  // level 1, over what the kind gives; never changes what is decoded

  bool operator==(const CodecOptions&) const = default;
};

std::string_view codec_name(CodecKind kind);
// For people: "int8-difference+zstd".
std::string describe(CodecOptions options);

// What `float_count` floats take in this kind, without header and zstd.
std::size_t body_bytes(CodecKind kind, std::size_t float_count);
// The size of the elements whose bytes are shuffled before zstd; 1 where they are not.
std::size_t shuffle_width(CodecKind kind);
// No payload for `float_count` floats is longer: zstd's output is only used where it is shorter.
std::size_t payload_bytes_max(std::size_t float_count);

}  // namespace quadrille::codec
