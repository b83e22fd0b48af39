// What a person typed, as plain values: one struct for each thing that `peer` can do.
//
// Flags win over QUADRILLE_* variables of the environment, which win
// over the run file, which wins over the defaults. What concerns the
// run (--set, --data) comes out as overrides for read_run_spec().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "node/cli/command_line_words.hpp"
#include "node/run/progress.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

inline constexpr std::uint32_t thread_count_max = 1024;

struct WorkFlags {
  std::optional<std::uint32_t> threads;  // none: one for each core
  std::optional<std::uint32_t> cells;    // none: as many as there are and memory allows
  LogLevel log_level = LogLevel::Info;

  bool operator==(const WorkFlags&) const = default;
};

// peer RUN.toml
struct TrainCommand {
  std::filesystem::path run_file;
  std::optional<std::filesystem::path> out;
  std::optional<std::string> name;  // of this peer
  bool resume = false;
  WorkFlags work;
  std::vector<Override> overrides;
};

// peer sample RUNDIR
struct SampleCommand {
  std::filesystem::path run_directory;
  std::size_t count = 64;
  std::filesystem::path output = "samples.png";
  bool force = false;  // write over a sheet that is there
  std::optional<std::uint32_t> threads;
  std::vector<Override> overrides;  // of where its data are
};

// peer evaluate RUNDIR
struct EvaluateCommand {
  std::filesystem::path run_directory;
  std::size_t count = 10'000;  // generated samples
  bool json = false;
  std::optional<std::uint32_t> threads;
  std::vector<Override> overrides;  // of where its data are
};

// peer data check DIR
struct DataCheckCommand {
  std::string set;  // a directory, or the name of a set
  bool json = false;
};

// peer check RUN.toml: prints the effective run file
struct CheckCommand {
  std::filesystem::path run_file;
  std::vector<Override> overrides;
};

// peer check --keys: prints docs/run-file.md
struct KeysCommand {};

// peer extend RUNDIR --generations N
struct ExtendCommand {
  std::filesystem::path run_directory;
  std::uint64_t generations = 0;  // more than the run has
  WorkFlags work;
  std::vector<Override> overrides;  // of where its data are
};

// peer bench step|gemm|peak
struct BenchCommand {
  enum class Kind : std::uint8_t { Step, Gemm, Peak };
  Kind kind = Kind::Step;
  std::string model = "mlp";
  std::size_t batch = 100;
  std::uint32_t threads = 1;
  double seconds = 2;
  bool json = false;
};

// Text for standard output: --help, --version.
struct PrintCommand {
  std::string text;
};

using Command = std::variant<TrainCommand, SampleCommand, EvaluateCommand, DataCheckCommand,
                             CheckCommand, KeysCommand, ExtendCommand, BenchCommand, PrintCommand>;

// The QUADRILLE_* variables among "NAME=value" texts,
// as main() gets them; `variables` ends with a null.
Environment quadrille_environment(const char* const* variables);

// `arguments` without the program's name. Usage, in one line that names the nearest known word,
// when they cannot be understood.
Result<Command> parse_command_line(std::span<const std::string> arguments,
                                   const Environment& environment);

}  // namespace quadrille::node
