#include "node/run/run_journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/count_text.hpp"
#include "node/run/sample_picture.hpp"
#include "node/run/sample_spread.hpp"

namespace quadrille::node {
namespace {

constexpr std::size_t spread_rows = 1000;  // of the real set: its spread is known well enough

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

void RunJournal::begin(CellIndex cell, const Standing& standing, TimePoint now) {
  standings_[cell] = standing;
  courses_[cell] = {.images_at_begin = standing.images_seen, .at = now};
  generation_ = begin_generation_ = ended_by_all();
  begun_ = now;
}

Result<void> RunJournal::cut_metrics() {
  using Line = JsonLines::Line;
  TRY(aside, metrics_.keep([&](CellIndex cell, std::uint64_t generation) {
    const auto found = standings_.find(cell);
    if (found == standings_.end()) return Line::Foreign;
    return generation <= found->second.generation ? Line::Wanted : Line::Outdated;
  }));
  if (aside.lines > 0)
    progress_.warn("warning: " + directory_.metrics().string() + ": " +
                   count_text(aside.lines, "line") + (aside.lines == 1 ? " was" : " were") +
                   " no metrics of this run; the file as it was is kept as " + aside.file.string());
  return {};
}

void RunJournal::status(const peer::Status& status, peer::Learner& learner, TimePoint now) {
  Standing& standing = standings_.at(status.cell);
  Course& course = courses_.at(status.cell);
  const double taken = in_seconds(now - course.at);
  const auto images = static_cast<double>(status.images_seen - standing.images_seen);
  const NamedNumber extra[] = {{"seconds", taken}, {"images_per_second", images / taken}};
  if (const auto written = metrics_.append(status, extra))
    well(Trouble::Metrics);
  else
    trouble(Trouble::Metrics, written.error().detail + " (training goes on)");
  standing = standing_of(status);
  course.at = now;
  if (ended_by_all() <= generation_) return;
  generation_ = ended_by_all();
  generation_ended(learner, now);
}

std::uint64_t RunJournal::ended_by_all() const {
  return std::ranges::min_element(standings_, {},
                                  [](const auto& entry) { return entry.second.generation; })
      ->second.generation;
}

void RunJournal::generation_ended(peer::Learner& learner, TimePoint now) {
  const CellIndex best = best_cell();
  const double spread =
      sample_spread(learner.samples(best, diversity_samples), dataset_.shape.size());
  verdict_.observe(
      {.generation = generation_,
       .images_seen = standings_.at(best).images_seen,
       .score = score_of(best),
       .diversity = real_spread_ > 0 ? std::optional(spread / real_spread_) : std::nullopt,
       .rolled_back = std::exchange(rolled_back_, false)});
  const std::uint64_t every = spec_.output.sheet_every;
  if (every != 0 && generation_ % every == 0) {
    if (const auto drawn = draw_sheet(sheet_name(), learner))
      well(Trouble::Sheet);
    else
      trouble(Trouble::Sheet, drawn.error().detail + " (training goes on)");
  }
  progress_.generation(line(now), now);
}

void RunJournal::notice(const peer::Notice& notice) {
  rolled_back_ = rolled_back_ || notice.kind == peer::NoticeKind::RollBack;
  progress_.warn("cell " + std::to_string(notice.cell.value) + ": " + notice.text);
}

void RunJournal::tick(TimePoint now) {
  progress_.tick(line(now), now);
}

void RunJournal::trouble(Trouble trouble, const std::string& text) {
  // A directory that was moved away is told of once, as what ends the run.
  if (!directory_.check_in_place()) return;
  if (troubles_.insert(trouble).second) progress_.warn("warning: " + text);
}

double RunJournal::images_per_second(TimePoint now) const {
  double images = 0;
  for (const auto& [cell, course] : courses_)
    images += static_cast<double>(standings_.at(cell).images_seen - course.images_at_begin);
  const double taken = in_seconds(now - begun_);
  return taken > 0 ? images / taken : 0;
}

ProgressLine RunJournal::line(TimePoint now) const {
  const Standing& best = standings_.at(best_cell());
  const std::uint64_t generations = spec_.run.generations;
  const auto done = static_cast<double>(generation_ - begin_generation_);
  ProgressLine line{.generation = generation_,
                    .generations = generations,
                    .part = mean_generation(standings_) / static_cast<double>(generations),
                    .score = best.score,
                    .generator_fitness = best.generator_fitness,
                    .discriminator_fitness = best.discriminator_fitness,
                    .images_per_second = images_per_second(now),
                    .seconds_left = {},
                    .verdict = verdict_.text()};
  if (done > 0)
    line.seconds_left =
        in_seconds(now - begun_) / done * static_cast<double>(generations - generation_);
  return line;
}

std::string RunJournal::sheet_name() const {
  char name[32];
  std::snprintf(name, sizeof name, "generation-%06llu",
                static_cast<unsigned long long>(generation_));
  return name;
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
