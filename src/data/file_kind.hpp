// What a file is by its first bytes, in words for an error line: a person who gave the wrong file
// is told which one it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace quadrille::data {

// Enough to see every signature known here (a tar archive's stands at byte 257).
inline constexpr std::size_t file_kind_bytes = 512;

// "a PNG image", "an IDX file of floats", "text that begins \"label,pixel0\"". Never empty.
std::string describe_content(std::span<const std::uint8_t> first_bytes);

}  // namespace quadrille::data
