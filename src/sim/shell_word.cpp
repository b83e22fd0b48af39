#include "sim/shell_word.hpp"

#include <algorithm>

namespace quadrille::sim {
namespace {

bool is_plain(char letter) {
  const bool is_alphanumeric = (letter >= 'a' && letter <= 'z') ||
                               (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
  return is_alphanumeric || std::string_view("-_./:=@%+,").find(letter) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) {
    // Within single quotes all but the quote itself is taken as it is.
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted + "'";
}

}  // namespace quadrille::sim
