// One function for each verb: its words, their ranges, and the struct that comes of them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "node/cli/command_line.hpp"
#include "node/cli/command_line_words.hpp"

namespace quadrille::node {

using Arguments = std::span<const std::string>;  // behind the verb

// Of no verb: `peer RUN.toml`.
Result<Command> parse_train(Arguments arguments, const Environment& environment);
Result<Command> parse_sample(Arguments arguments, const Environment& environment);
Result<Command> parse_evaluate(Arguments arguments, const Environment& environment);
Result<Command> parse_data(Arguments arguments, const Environment& environment);
Result<Command> parse_check(Arguments arguments, const Environment& environment);
Result<Command> parse_extend(Arguments arguments, const Environment& environment);
Result<Command> parse_bench(Arguments arguments, const Environment& environment);

inline constexpr std::array<std::string_view, 6> verbs{"sample", "evaluate", "data",
                                                       "check",  "extend",   "bench"};
// In the order of `verbs`.
inline constexpr std::array<decltype(&parse_train), verbs.size()> verb_parsers{
    parse_sample, parse_evaluate, parse_data, parse_check, parse_extend, parse_bench};

}  // namespace quadrille::node
