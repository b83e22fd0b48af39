// Whether no number of a range is NaN or infinite: what a network computed, and what a file holds,
// is not taken for granted.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <ranges>

namespace quadrille {

template <std::ranges::input_range Numbers>
  requires std::floating_point<std::ranges::range_value_t<Numbers>>
bool all_finite(const Numbers& numbers) {
  return std::ranges::all_of(numbers, [](auto number) { return std::isfinite(number); });
}

}  // namespace quadrille
