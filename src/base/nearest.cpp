#include "base/nearest.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace quadrille {
namespace {

constexpr std::size_t prefix_length_min = 3;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same(char a, char b) {
  return lower(a) == lower(b);
}

bool begins(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(), same);
}

// Optimal string alignment over three rows of the table. Both names fit nearest_length_max.
std::size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, nearest_length_max + 1>;
  Row before{}, previous{}, current{};
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = std::exchange(previous, current);
  }
  return previous[b.size()];
}

std::optional<std::string_view> nearest_by_distance(std::string_view unknown,
                                                    std::span<const std::string_view> known) {
  std::optional<std::string_view> nearest;
  std::size_t nearest_distance = 0;
  for (const std::string_view name : known) {
    if (name.size() > nearest_length_max) continue;
    const std::size_t letters = distance(unknown, name);
    if (letters > std::max(unknown.size(), name.size()) / 3) continue;
    if (nearest && letters >= nearest_distance) continue;
    nearest = name;
    nearest_distance = letters;
  }
  return nearest;
}

std::optional<std::string_view> shortest_begun_by(std::string_view start,
                                                  std::span<const std::string_view> known) {
  std::optional<std::string_view> shortest;
  for (const std::string_view name : known) {
    if (begins(name, start) && (!shortest || name.size() < shortest->size())) shortest = name;
  }
  return shortest;
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view unknown,
                                             std::span<const std::string_view> known) {
  if (unknown.size() > nearest_length_max) return std::nullopt;
  if (const auto nearest = nearest_by_distance(unknown, known)) return nearest;
  if (unknown.size() < prefix_length_min) return std::nullopt;
  return shortest_begun_by(unknown, known);
}

}  // namespace quadrille
