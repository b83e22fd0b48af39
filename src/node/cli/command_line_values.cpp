#include "node/cli/command_line_values.hpp"

#include <algorithm>

#include "base/nearest.hpp"

namespace quadrille::node {

Failure usage(const std::string& text) {
  return failure(ErrorCode::Usage, text);
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

Result<std::size_t> one_of(const MaybeGiven& given, std::span<const std::string_view> names,
                           std::size_t usual) {
  if (!given) return usual;
  const auto at = std::ranges::find(names, given->value);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  std::string known;
  for (const std::string_view name : names) known.append(known.empty() ? "" : ", ").append(name);
  const auto near = nearest_name(given->value, names);
  return usage(given->source + " is " + in_quotes(given->value) + "; " +
               (near ? "did you mean " + std::string(*near) + "? It" : "it") + " must be one of " +
               known + ".");
}

Result<std::optional<std::filesystem::path>> maybe_path(const MaybeGiven& given) {
  if (!given) return std::nullopt;
  if (given->value.empty()) return usage(given->source + " is empty; give a path.");
  return std::optional(std::filesystem::path(given->value));
}

Result<void> require(const std::string& word, const std::string& verb, const std::string& what) {
  if (!word.empty()) return {};
  return usage("peer " + verb + " needs " + what + "; see `peer " + verb + " --help`.");
}

}  // namespace quadrille::node
