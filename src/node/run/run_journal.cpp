#include "node/run/run_journal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "node/run/sample_picture.hpp"
#include "node/run/sample_spread.hpp"

namespace quadrille::node {
namespace {

constexpr std::size_t spread_rows = 1000;  // of the real set: its spread is known well enough

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Result<RunJournal> RunJournal::open(const RunSpec& spec, const data::Dataset& dataset,
                                    const RunDirectory& directory, Progress& progress) {
  TRY(metrics, JsonLines::open(directory.metrics()));
  return RunJournal(spec, dataset, directory, progress, std::move(metrics));
}

RunJournal::RunJournal(const RunSpec& spec, const data::Dataset& dataset,
                       const RunDirectory& directory, Progress& progress, JsonLines metrics)
    : spec_(spec),
      dataset_(dataset),
      directory_(directory),
      progress_(progress),
      metrics_(std::move(metrics)),
      real_spread_(dataset_spread(dataset, spread_rows)) {}

void RunJournal::begin(CellIndex cell, std::uint64_t generation, std::uint64_t images_seen,
                       TimePoint now) {
  cells_[cell] = {.generation = generation,
                  .images_seen = images_seen,
                  .images_at_begin = images_seen,
                  .at = now,
                  .last = {}};
  generation_ = begin_generation_ = ended_by_all();
  begun_ = now;
}

Result<void> RunJournal::cut_metrics() {
  return metrics_.keep([&](CellIndex cell, std::uint64_t generation) {
    const auto found = cells_.find(cell);
    return found != cells_.end() && generation <= found->second.generation;
  });
}

void RunJournal::status(const peer::Status& status, peer::Learner& learner, TimePoint now) {
  CellStatus& cell = cells_.at(status.cell);
  const double taken = seconds(now - cell.at);
  const auto images = static_cast<double>(status.images_seen - cell.images_seen);
  const NamedNumber extra[] = {{"seconds", taken}, {"images_per_second", images / taken}};
  if (const auto written = metrics_.append(status, extra))
    well(Trouble::Metrics);
  else
    trouble(Trouble::Metrics, written.error().detail + " (training goes on)");
  cell.generation = status.round.index;
  cell.images_seen = status.images_seen;
  cell.at = now;
  cell.last = status;
  if (ended_by_all() <= generation_) return;
  generation_ = ended_by_all();
  generation_ended(learner, now);
}

std::uint64_t RunJournal::ended_by_all() const {
  return std::ranges::min_element(cells_, {},
                                  [](const auto& entry) { return entry.second.generation; })
      ->second.generation;
}

void RunJournal::generation_ended(peer::Learner& learner, TimePoint now) {
  const CellIndex best = best_cell();
  const double spread =
      sample_spread(learner.samples(best, diversity_samples), dataset_.shape.size());
  verdict_.observe(
      {.images_seen = cells_.at(best).images_seen,
       .score = score_of(best),
       .diversity = real_spread_ > 0 ? std::optional(spread / real_spread_) : std::nullopt,
       .rolled_back = std::exchange(rolled_back_, false)});
  const std::uint64_t every = spec_.output.sheet_every;
  if (every != 0 && generation_ % every == 0) {
    char name[32];
    std::snprintf(name, sizeof name, "generation-%06llu",
                  static_cast<unsigned long long>(generation_));
    if (const auto drawn = draw_sheet(name, learner))
      well(Trouble::Sheet);
    else
      trouble(Trouble::Sheet, drawn.error().detail + " (training goes on)");
  }
  progress_.generation(line(now), now);
}

void RunJournal::notice(const peer::Notice& notice) {
  rolled_back_ = rolled_back_ || notice.kind == peer::NoticeKind::RollBack;
  progress_.say("cell " + std::to_string(notice.cell.value) + ": " + notice.text);
}

void RunJournal::tick(TimePoint now) {
  progress_.tick(line(now), now);
}

void RunJournal::trouble(Trouble trouble, const std::string& text) {
  if (troubles_.insert(trouble).second) progress_.say("warning: " + text);
}

CellIndex RunJournal::best_cell() const {
  const auto rank = [](const CellStatus& cell) {
    if (!cell.last) return std::numeric_limits<double>::infinity();
    const double value = cell.last->score.value_or(cell.last->generator_fitness);
    return std::isfinite(value) ? value : std::numeric_limits<double>::max();
  };
  return std::ranges::min_element(cells_, {}, [&](const auto& entry) { return rank(entry.second); })
      ->first;
}

std::optional<double> RunJournal::score_of(CellIndex cell) const {
  const auto& last = cells_.at(cell).last;
  return last ? last->score : std::nullopt;
}

double RunJournal::images_per_second(TimePoint now) const {
  double images = 0;
  for (const auto& [index, cell] : cells_)
    images += static_cast<double>(cell.images_seen - cell.images_at_begin);
  const double taken = seconds(now - begun_);
  return taken > 0 ? images / taken : 0;
}

ProgressLine RunJournal::line(TimePoint now) const {
  const CellIndex best = best_cell();
  const auto& status = cells_.at(best).last;
  const std::uint64_t generations = spec_.run.generations;
  const auto done = static_cast<double>(generation_ - begin_generation_);
  ProgressLine line{.generation = generation_,
                    .generations = generations,
                    .part = static_cast<double>(generation_) / static_cast<double>(generations),
                    .score = score_of(best),
                    .generator_fitness = status ? status->generator_fitness : 0,
                    .discriminator_fitness = status ? status->discriminator_fitness : 0,
                    .images_per_second = images_per_second(now),
                    .seconds_left = {},
                    .verdict = verdict_.text()};
  if (done > 0)
    line.seconds_left =
        seconds(now - begun_) / done * static_cast<double>(generations - generation_);
  return line;
}

Result<std::filesystem::path> RunJournal::draw_sheet(const std::string& name,
                                                     peer::Learner& learner) const {
  const std::filesystem::path path = directory_.samples() / (name + ".png");
  const std::size_t count = dataset_.is_image()
                                ? spec_.output.sheet_size
                                : std::max(spec_.output.sheet_size, scatter_points_min);
  TRY_VOID(write_samples(path, learner.samples(best_cell(), count), count, dataset_));
  return path;
}

}  // namespace quadrille::node
