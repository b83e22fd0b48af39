// Words of a command line, split into flags and values: the one place that knows the command-line
// library. Values stay text here; command_line_values.hpp reads them: all errors then read alike.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quadrille::node {

// Variables of the environment.
using Environment = std::map<std::string, std::string, std::less<>>;

// A value, and the flag or variable that gave it.
struct Given {
  std::string value;
  std::string source;
};
using MaybeGiven = std::optional<Given>;

struct FlagText {
  std::string names;    // "-n,--count"
  std::string value;    // "N"
  std::string meaning;  // at most 48 letters, so that a line of --help fits 80
};

// The words of one verb: declared first, each with the place for its value, then parsed.
class Words {
 public:
  Words(const std::string& usage_line, std::string_view description, std::string_view end);
  ~Words();

  void positional(std::string& to);
  // --help shows what is declared from here on below this heading.
  void group(std::string name);
  void flag(bool& to, const std::string& name, const std::string& meaning);
  // Where the flag is absent, `variable` of the environment
  // is taken, if it has a name. The last of several wins.
  void option(MaybeGiven& to, const FlagText& text, std::string_view variable = "");
  void repeated(std::vector<std::string>& to, const FlagText& text);

  // Fills the places; or gives the text of --help where it was asked for, and fills none. Usage
  // names the nearest known flag.
  Result<std::optional<std::string>> parse(std::span<const std::string> arguments,
                                           const Environment& environment);

 private:
  struct Declared;
  std::unique_ptr<Declared> declared_;
};

}  // namespace quadrille::node
