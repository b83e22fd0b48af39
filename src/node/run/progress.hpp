// What a person sees while a run trains: a bar that redraws itself on a terminal, one line a
// generation elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace quadrille::node {

// What is worth a line: how the run goes, what needs a look, why it failed (which main() says), or
// nothing at all.
enum class LogLevel : std::uint8_t { Info, Warning, Error, Off };

struct ProgressLine {
  std::uint64_t generation = 0;   // that all cells have ended
  std::uint64_t generations = 0;  // of the run
  double part = 0;                // of the run done, 0 to 1: all cells' generations together
  std::optional<double> score;    // of the best cell
  std::optional<double> generator_fitness;
  std::optional<double> discriminator_fitness;
  double images_per_second = 0;  // all cells together
  std::optional<double> seconds_left;
  std::string verdict;
};

// "generation 12/100  score 34.1  G 0.83  D 0.61  12,345 images/s  3m12s left  improving"
std::string progress_text(const ProgressLine& line);
// The same behind a bar, in less than `columns`, or it would scroll instead of redraw: first the
// bar is left out, then the rate, then the fitness. What still does not fit is cut.
std::string bar_text(const ProgressLine& line, std::size_t columns);

class Progress {
 public:
  // A redraw is not worth more than this many a second.
  static constexpr Duration redraw_min = std::chrono::milliseconds(100);

  explicit Progress(std::FILE* out, LogLevel level = LogLevel::Info);

  // A generation ended: a line of its own, unless the bar shows it.
  void generation(const ProgressLine& line, TimePoint now);
  // Between two such lines: the bar shows what is new; nothing elsewhere.
  void tick(const ProgressLine& line, TimePoint now);
  // A line that stays, above the bar.
  void say(const std::string& text);
  // The same, of something that a person should look at.
  void warn(const std::string& text);
  // Ends the bar.
  void finish();

 private:
  void redraw(const ProgressLine& line);
  void put(const std::string& text);

  std::FILE* out_;
  LogLevel level_;
  bool terminal_;
  std::string shown_;
  TimePoint drawn_{};
};

}  // namespace quadrille::node
