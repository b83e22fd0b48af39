#include "node/cli/command_line_shared.hpp"

#include <array>
#include <string_view>

#include "node/cli/command_line_values.hpp"

namespace quadrille::node {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array devices{"auto"sv, "cpu"sv};  // which are one and the same in this version
constexpr std::array log_levels{"info"sv, "warning"sv, "error"sv, "off"sv};  // as LogLevel's

}  // namespace

void WorkWords::declare(Words& words) {
  words.group("How to work");
  declare_threads(words, threads);
  words.option(cells, {"--cells", "auto|N", "Cells to hold; the others of the grid wait (auto)"},
               "QUADRILLE_CELLS");
  words.option(device, {"--device", "auto|cpu", "What to compute on (auto)"}, "QUADRILLE_DEVICE");
  words.option(log_level, {"--log-level", "LEVEL", "What to say: info, warning, error, off (info)"},
               "QUADRILLE_LOG_LEVEL");
}

Result<WorkFlags> WorkWords::read() const {
  WorkFlags flags;
  TRY(thread_count, maybe_number<std::uint32_t>(threads, {1, thread_count_max}));
  TRY_VOID(one_of(device, devices, 0));
  TRY(level, one_of(log_level, log_levels, static_cast<std::size_t>(LogLevel::Info)));
  flags.threads = thread_count;
  flags.log_level = static_cast<LogLevel>(level);
  if (cells && cells->value != "auto") {
    TRY(count, maybe_number<std::uint32_t>(cells, {1, cell_count_max}));
    flags.cells = count;
  }
  return flags;
}

void declare_threads(Words& words, MaybeGiven& threads) {
  words.option(threads, {"--threads", "N", "Threads to compute with (one for each core)"},
               "QUADRILLE_THREADS");
}

void declare_data(Words& words, MaybeGiven& data) {
  words.option(data, {"--data", "DIR", "Where the data set's files are"}, "QUADRILLE_DATA");
}

void declare_set(Words& words, std::vector<std::string>& sets) {
  words.repeated(sets, {"--set", "KEY=VALUE", "Change a key of the run file: --set grid.rows=3"});
}

Result<std::vector<Override>> overrides_of(const MaybeGiven& data,
                                           const std::vector<std::string>& sets) {
  std::vector<Override> overrides;
  if (data) {
    const bool ambient = !data->source.starts_with("-");
    overrides.push_back({.key = "data.path",
                         .value = data->value,
                         .origin = ambient ? Override::Origin::Variable : Override::Origin::Flag,
                         .source = data->source});
  }
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
      return usage("--set " + set + ": needs KEY=VALUE, e.g. --set grid.rows=3.");
    overrides.push_back({.key = set.substr(0, equals), .value = set.substr(equals + 1)});
  }
  return overrides;
}

}  // namespace quadrille::node
