// A whole run of toy size, from its run file to its end, in a directory of the test's: a generation
// of its cells takes milliseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "node/run/training_run.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::testing {

// Synchronous, 2 x 2, 100 points of ring8, 3 batches of 10 a generation, 4 generations, no score;
// but for the settings given, as for --set.
struct Setting {
  std::string key;
  std::string value;
};
node::RunSpec toy_spec(std::initializer_list<Setting> settings = {});

struct ToyRequest {
  std::filesystem::path directory;
  bool resume = false;
  std::uint32_t threads = 1;
  // Called after each generation that all cells have ended.
  std::function<void(std::uint64_t generation)> after_generation{};
  // Asks the run to stop as soon as all cells have ended this generation.
  std::optional<std::uint64_t> stop_after{};
  // Cell 1 says that it cannot go on when all cells have ended this generation.
  std::optional<std::uint64_t> fail_after{};
  // Cell 1's snapshot of this generation holds a weight that fp16 has no room for.
  std::optional<std::uint64_t> overflow_at{};
};

struct ToyResult {
  Result<node::RunOutcome> outcome;
  std::string said;  // what the terminal showed
};

// Trains the run as `peer` does.
ToyResult run_toy(const node::RunSpec& spec, const ToyRequest& request);

// The bytes of every file below, by path from it.
std::map<std::string, std::string> files_below(const std::filesystem::path& directory);
// Fails the test, and names the file, where the two differ.
void check_same_files(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace quadrille::testing
