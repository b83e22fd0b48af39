#include "swarm/progress.hpp"

#include <algorithm>

#include "base/amount_text.hpp"
#include "base/printed.hpp"

namespace quadrille::swarm {
namespace {

using std::chrono::seconds;

constexpr const char* over_the_line = "\r\033[K";

}  // namespace

std::string progress_text(const sim::World& world, Duration so_far) {
  return printed("virtual time ",
                 grouped_digits(static_cast<std::uint64_t>(world.now().since_start / seconds(1))),
                 " s, ", world.up_hosts().size(), " of ", world.options().hosts, " peers up, ",
                 grouped_digits(world.event_count()), " events, ",
                 duration_text(in_seconds(so_far)), " so far");
}

std::optional<std::string> Progress::at(TimePoint now, const sim::World& world) {
  // A terminal sees at once that something goes on.
  const bool is_first_drawn = columns_ && !is_drawn_;
  if (!is_first_drawn && now - last_ < (columns_ ? redraw_every : line_every)) return std::nullopt;
  last_ = now;
  const std::string text = progress_text(world, now - begin_);
  if (!columns_) return text + '\n';
  is_drawn_ = true;
  // In all columns it would scroll instead of being drawn over.
  return over_the_line + text.substr(0, std::max(*columns_, std::size_t{1}) - 1);
}

std::string Progress::end() {
  if (!is_drawn_) return "";
  is_drawn_ = false;
  return over_the_line;
}

}  // namespace quadrille::swarm
