// "1 label", "2 labels": a count and what it counts, as a sentence has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quadrille {

// `one` is the singular of a noun that takes an s.
inline std::string count_text(std::uint64_t count, std::string_view one) {
  return std::to_string(count).append(" ").append(one).append(count == 1 ? "" : "s");
}

}  // namespace quadrille
