// What the library that reads command lines (CLI11) lets pass, and what it says in words of its
// own. Both as one sentence without its end, for each program to say where help is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quadrille {

// Of "--out=": the library takes the next word for its value.
std::optional<std::string> option_without_value(std::span<const std::string> arguments);

// Of the text of a CLI::ArgumentMismatch: "--out: 1 required TEXT missing", "--seed: At Most 1
// required but received 2", and of a flag "resume was given a disallowed ...".
std::string told_of_mismatch(std::string_view text);

}  // namespace quadrille
