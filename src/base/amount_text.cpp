#include "base/amount_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace quadrille {

std::string grouped_digits(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, std::round(seconds)));
  char text[48];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%lluh%02llum", static_cast<unsigned long long>(whole / 3600),
                  static_cast<unsigned long long>(whole / 60 % 60));
  else if (whole >= 60)
    std::snprintf(text, sizeof text, "%llum%02llus", static_cast<unsigned long long>(whole / 60),
                  static_cast<unsigned long long>(whole % 60));
  else
    std::snprintf(text, sizeof text, "%llus", static_cast<unsigned long long>(whole));
  return text;
}

}  // namespace quadrille
