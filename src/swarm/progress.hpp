// What a person sees while a world is simulated for minutes: on a terminal a line that is drawn
// over and over, elsewhere one every half minute. It changes nothing in the world that it looks at.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "sim/world.hpp"

namespace quadrille::swarm {

class Progress {
 public:
  static constexpr Duration redraw_every = std::chrono::milliseconds(500);
  static constexpr Duration line_every = std::chrono::seconds(30);

  // `columns` are the terminal's; none: it is none. All times are of the machine's clock.
  Progress(std::optional<std::size_t> columns, TimePoint begin)
      : columns_(columns), begin_(begin), last_(begin) {}

  // What is to be written now, if anything is.
  std::optional<std::string> at(TimePoint now, const sim::World& world);
  // And in the end: what leaves the terminal as if nothing had been there.
  std::string end();

 private:
  std::optional<std::size_t> columns_;
  TimePoint begin_;
  TimePoint last_;         // that something was written
  bool is_drawn_ = false;  // and still to be seen
};

// "virtual time 412 s, 99 of 100 peers up, 1,234,567 events, 2m05s so far"
std::string progress_text(const sim::World& world, Duration so_far);

}  // namespace quadrille::swarm
