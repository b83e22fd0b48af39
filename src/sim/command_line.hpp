// What a person types: swarm-sim --scenario half-split --peers 100 --seed 1 --json
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "sim/scenario.hpp"
#include "sim/world_options.hpp"

namespace quadrille::sim {

// What can train. The world itself knows the toy; the program makes the others.
inline constexpr std::array<std::string_view, 2> worker_names{"toy", "lipizzaner"};

struct Command {
  const Scenario* scenario = nullptr;
  WorldOptions world;
  ScenarioOptions options;
  bool json = false;
  bool print_options = false;  // and run nothing
  bool events = false;         // say what peers tell, as it happens
  bool quiet = false;          // show no progress
  std::string worker = "toy";  // of worker_names
  std::string record;          // a file; empty: none
  std::string replay;          // words for a shell that make the same run, behind the program's
  std::string help;            // asked for: print it, and run nothing
};

// Usage, with a line for a person.
Result<Command> parse_command_line(const std::vector<std::string>& arguments);

// What follows from the seed, for a person: the world's options, and of scenario random the faults.
std::vector<std::pair<std::string, std::string>> described(const Command& command);

}  // namespace quadrille::sim
