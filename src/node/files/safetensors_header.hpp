// The JSON header of a safetensors file (safetensors.hpp draws the file), to and from plain values.
// What parse_header() returns has passed every check that the format allows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quadrille::node {

enum class DType : std::uint8_t { F32, U8, U64, I64 };

std::string_view dtype_name(DType dtype);  // "F32"
std::uint64_t dtype_bytes(DType dtype);

using Metadata = std::map<std::string, std::string>;

// Where a tensor lies in the data.
struct PlacedTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<PlacedTensor> tensors;  // in the order of their data
  Metadata metadata;
};

// Bytes of a tensor; none when they do not fit 64 bits.
std::optional<std::uint64_t> tensor_bytes(DType dtype, std::span<const std::uint64_t> shape);

// The header's one canonical text. Names differ, and none is "__metadata__".
std::string header_text(const SafetensorsHeader& header);

// Corrupt, unless the tensors cover all `data_bytes` bytes once and fit their shapes. Mismatch for
// a type of tensor that we do not use.
Result<SafetensorsHeader> parse_header(std::string_view text, std::uint64_t data_bytes);

}  // namespace quadrille::node
