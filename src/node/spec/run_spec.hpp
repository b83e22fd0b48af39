// A run file (RUN.toml) as plain values: everything that a run is, and how text becomes it. The
// keys stand in one table (run_keys.hpp), from which reading, printing, the reference page and the
// run's id are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/codec.hpp"
#include "data/synthetic.hpp"
#include "train/lipizzaner/options.hpp"
#include "train/run_facts.hpp"

namespace quadrille::node {

// Longer run files are refused before they are parsed.
inline constexpr std::size_t run_file_bytes_max = std::size_t{1} << 18;
// After as many errors the rest of a file is not looked at, and counted in a last line.
inline constexpr std::size_t run_file_errors_max = 20;
inline constexpr std::uint32_t cell_count_max = 65'536;

// Part of the run's id. A later version that changes a default counts it up, so that the same file
// is then another run, and never the old one trained differently in silence.
inline constexpr std::uint32_t defaults_version = 1;

enum class AlgorithmKind : std::uint8_t { Lipizzaner };

struct DataSpec {
  std::string name = "fashion-mnist";
  // The directory with its files; empty: where sets are looked for (data/set_files.hpp).
  std::string path;
  data::SyntheticOptions synthetic;  // of ring8 and grid25

  bool operator==(const DataSpec&) const = default;
};

struct OutputSpec {
  std::uint64_t sheet_every = 10;      // generations; 0: only at the end
  std::size_t sheet_size = 64;         // images
  std::uint64_t checkpoint_every = 1;  // generations; 0: only at the end
  std::size_t checkpoints_kept = 2;

  bool operator==(const OutputSpec&) const = default;
};

// Where the values of a spec were given, for error lines about them.
struct Origins {
  std::string file;                                        // as error lines name it
  std::map<std::string, std::string, std::less<>> places;  // by key: "run.toml:12", "--set"

  bool said(std::string_view key) const { return places.contains(key); }
  // The file where the key was not given.
  const std::string& of(std::string_view key) const {
    const auto place = places.find(key);
    return place == places.end() ? file : place->second;
  }
};

struct RunSpec {
  std::string name;
  std::string tag;
  std::vector<std::string> seeds;  // HOST:PORT
  AlgorithmKind algorithm = AlgorithmKind::Lipizzaner;
  train::RunFacts run;
  train::LipizzanerOptions lipizzaner;  // the model among them
  // The file leaves the choice to the data: `lipizzaner` holds what the data set's name suggests,
  // and fit_to_data() (run_data.hpp) what its content allows.
  bool model_auto = true;
  bool score_auto = true;
  DataSpec data;
  codec::CodecOptions exchange;
  OutputSpec output;
  Origins origins;
};

// A value for one key from outside the file. It wins
// over the file; of two for one key, the later wins.
struct Override {
  enum class Origin : std::uint8_t {
    SetFlag,   // --set KEY=VALUE: the value as in the file, quotes optional
    Flag,      // a flag of its own, such as --data: the value as it is
    Variable,  // of the environment: as it is; ignored where the key does not apply to the run
  };
  std::string key;  // "grid.rows"
  std::string value;
  Origin origin = Origin::SetFlag;
  std::string source = "--set";  // how error lines name it
};

// Config with a problem for each error, each saying where (run.toml:12, or the override's source),
// what is wrong and what to do. `file_name` is how the lines name the text.
Result<RunSpec> parse_run_spec(std::string_view text, const std::string& file_name,
                               std::span<const Override> overrides = {});

// The same from a file. NotFound names a file that was probably meant, from beside it, from the
// working directory or from examples/.
Result<RunSpec> read_run_spec(const std::filesystem::path& path,
                              std::span<const Override> overrides = {});

// The whole run file with every default written out. Reading it gives the same spec.
std::string effective_run_file(const RunSpec& spec);

// 32 hex digits over name, seed, tag and the learning keys that differ from their defaults. Two
// runs are the same run when their ids are: extending, moving or growing one does not change it.
std::string run_id(const RunSpec& spec);
// The keys that make two runs two, with their values: "run.seed is 7 there and 8 here".
std::string id_difference(const RunSpec& there, const RunSpec& here);

// docs/run-file.md, made from the table of keys.
std::string run_file_reference();

}  // namespace quadrille::node
