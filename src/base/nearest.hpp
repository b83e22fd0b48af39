// The known name that a misspelt one was probably
// meant to be, for "did you mean ...?" in error lines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace quadrille {

// Longer names have no neighbours: what they come from
// is hostile or hopeless, and the distance is quadratic.
inline constexpr std::size_t nearest_length_max = 64;

// Of the known names, the nearest in Damerau-Levenshtein distance (insert, delete, replace, swap
// two adjacent letters), ignoring case, if at most a third of its letters differ; else the shortest
// that `unknown` begins (three letters or more); else none. The first in the list wins a tie.
std::optional<std::string_view> nearest_name(std::string_view unknown,
                                             std::span<const std::string_view> known);

}  // namespace quadrille
