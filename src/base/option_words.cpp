#include "base/option_words.hpp"

namespace quadrille {

std::optional<std::string> option_without_value(std::span<const std::string> arguments) {
  for (const std::string& word : arguments)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return word + " is not followed by a value";
  return std::nullopt;
}

std::string told_of_mismatch(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return "--" + std::string(text.substr(0, text.find(' '))) + " takes no value";
  const bool is_repeated = text.find("At Most 1") != std::string_view::npos;
  return std::string(text.substr(0, colon)) +
         (is_repeated ? " is given more than once" : " needs a value");
}

}  // namespace quadrille
