// What a run leaves for people: a line per cell and round in metrics.jsonl, sample sheets, and what
// the terminal shows, with a verdict.
//
// A disk that refuses a line or a sheet does not stop training: it is said once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "data/dataset.hpp"
#include "node/files/json_lines.hpp"
#include "node/run/progress.hpp"
#include "node/run/run_directory.hpp"
#include "node/run/standing.hpp"
#include "node/run/verdict.hpp"
#include "node/spec/run_spec.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

class RunJournal {
 public:
  // Samples that a generation line's diversity is measured on.
  static constexpr std::size_t diversity_samples = 128;

  // All parts outlive the journal.
  static Result<RunJournal> open(const RunSpec& spec, const data::Dataset& dataset,
                                 const RunDirectory& directory, Progress& progress);

  // A cell begins, or goes on from where a checkpoint has it.
  void begin(CellIndex cell, const Standing& standing, TimePoint now);
  // Drops the lines of metrics.jsonl beyond where the cells begin: they are trained again. Lines
  // that are none of this run's are kept elsewhere, and said. Io.
  Result<void> cut_metrics();
  // A cell ended a generation. Draws a sheet and a progress line when all have.
  void status(const peer::Status& status, peer::Learner& learner, TimePoint now);
  void notice(const peer::Notice& notice);
  // Whenever something may have happened: the bar moves on with every cell that ended a generation.
  void tick(TimePoint now);
  // Training goes on without it. Said once, and again only when it was well in between.
  enum class Trouble : std::uint8_t { Metrics, Sheet, Checkpoint };
  void trouble(Trouble trouble, const std::string& text);
  void well(Trouble trouble) { troubles_.erase(trouble); }

  std::uint64_t generation() const { return generation_; }
  CellIndex best_cell() const { return node::best_cell(standings_); }
  std::optional<double> score_of(CellIndex cell) const { return standings_.at(cell).score; }
  std::string verdict() const { return verdict_.text(); }
  double images_per_second(TimePoint now) const;

  // Of the generation that all cells have ended: "generation-000012".
  std::string sheet_name() const;
  // Draws the best cell's samples into samples/NAME.png and returns the path.
  Result<std::filesystem::path> draw_sheet(const std::string& name, peer::Learner& learner) const;

 private:
  struct Course {  // of a cell in this process
    std::uint64_t images_at_begin = 0;
    TimePoint at{};  // when it ended its last generation, or began
  };

  RunJournal(const RunSpec& spec, const data::Dataset& dataset, const RunDirectory& directory,
             Progress& progress, JsonLines metrics);
  void generation_ended(peer::Learner& learner, TimePoint now);
  std::uint64_t ended_by_all() const;
  ProgressLine line(TimePoint now) const;

  const RunSpec& spec_;
  const data::Dataset& dataset_;
  const RunDirectory& directory_;
  Progress& progress_;
  JsonLines metrics_;
  std::map<CellIndex, Standing> standings_;
  std::map<CellIndex, Course> courses_;
  std::set<Trouble> troubles_;
  Verdict verdict_;
  double real_spread_ = 0;
  bool rolled_back_ = false;  // since the last generation line
  std::uint64_t generation_ = 0;
  std::uint64_t begin_generation_ = 0;
  TimePoint begun_{};
};

}  // namespace quadrille::node
