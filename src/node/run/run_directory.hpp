// The directory of one peer in one run (--out): the effective run file, metrics, sample sheets,
// checkpoints and the summary. Nothing of an earlier run in it is overwritten unasked, and two
// processes never share one.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "node/run/checkpoint.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

class RunDirectory {
 public:
  // Makes the directory for a new run, or with `resume` takes up the one that is there. Mismatch,
  // with the next step, when it holds another run, holds this run and resume was not asked for, or
  // holds something else; NotFound when there is nothing to resume; Limit when another process
  // works in it. One in which a run was begun and no generation ended counts as empty. A resumed
  // run's file is left as it is: write_spec() once nothing can be refused any more.
  static Result<RunDirectory> open(const std::filesystem::path& path, const RunSpec& spec,
                                   bool resume);
  // For looking only: takes no lock. `path` may be a run's directory with one peer in it.
  static Result<RunDirectory> look(const std::filesystem::path& path);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&& other) noexcept;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path run_file() const { return path_ / "run.toml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path samples() const { return path_ / "samples"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  // The checkpoints of this run on these data.
  CheckpointStore checkpoint_store(const RunSpec& spec, const data::Dataset& dataset) const;
  std::filesystem::path summary() const { return path_ / "summary.json"; }

  // Io when the directory is not at its path any more: it was removed, renamed or replaced. What is
  // written there then goes where nobody looks for it.
  Result<void> check_in_place() const;

  // Was the run there before?
  bool resumed() const { return resumed_; }
  // The run that the directory holds, but for what `overrides` say.
  Result<RunSpec> spec(std::span<const Override> overrides = {}) const;
  // Writes the effective run file.
  Result<void> write_spec(const RunSpec& spec) const;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  Result<void> lock();

  std::filesystem::path path_;
  int lock_ = -1;   // an open, locked file; the lock ends with the process, however that ends
  int place_ = -1;  // the directory itself, wherever it is
  bool resumed_ = false;
};

// Where a peer works when --out is not given: runs/RUN/peer-NAME.
std::filesystem::path default_run_directory(const RunSpec& spec, const std::string& peer_name);

}  // namespace quadrille::node
