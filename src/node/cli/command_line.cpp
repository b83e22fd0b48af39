#include "node/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/nearest.hpp"
#include "node/cli/command_line_values.hpp"
#include "node/cli/command_line_verbs.hpp"

namespace quadrille::node {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array variables{"QUADRILLE_DATA"sv,     "QUADRILLE_OUT"sv,   "QUADRILLE_NAME"sv,
                               "QUADRILLE_THREADS"sv,  "QUADRILLE_CELLS"sv, "QUADRILLE_DEVICE"sv,
                               "QUADRILLE_LOG_LEVEL"sv};

// A variable that nearly has one of our names is a
// slip; others with our prefix may be somebody else's.
Result<void> check_environment(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    if (std::ranges::find(variables, name) != variables.end()) continue;
    if (const auto near = nearest_name(name, variables))
      return usage(name + " is not a variable of peer; did you mean " + std::string(*near) + "?");
  }
  return {};
}

}  // namespace

Environment quadrille_environment(const char* const* variables_of_process) {
  Environment environment;
  for (; *variables_of_process != nullptr; ++variables_of_process) {
    const std::string_view text = *variables_of_process;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("QUADRILLE_") || equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<Command> parse_command_line(Arguments arguments, const Environment& environment) {
  TRY_VOID(check_environment(environment));
  if (arguments.empty()) return parse_train(arguments, environment);
  const auto verb = std::ranges::find(verbs, arguments.front());
  if (verb == verbs.end()) return parse_train(arguments, environment);
  return verb_parsers[static_cast<std::size_t>(verb - verbs.begin())](arguments.subspan(1),
                                                                      environment);
}

}  // namespace quadrille::node
