#include "peer/placement/minority_brake.hpp"

#include <algorithm>
#include <utility>

namespace quadrille::peer {

void MinorityBrake::note(std::size_t live, TimePoint now) {
  if (!options_.enabled) return;
  remember(std::exchange(live_, live), now);
  while (!peaks_.empty() && peaks_.front().until + options_.memory < now) peaks_.pop_front();
  const std::size_t most = peaks_.empty() ? live : std::max(live, peaks_.front().live);
  if (live * 2 >= most)
    released_at_.reset();
  else if (!released_at_)
    released_at_ = now + options_.time;
}

void MinorityBrake::remember(std::size_t live, TimePoint until) {
  while (!peaks_.empty() && peaks_.back().live <= live) peaks_.pop_back();
  const Duration grain = options_.memory / (peaks_max - 1);
  if (!peaks_.empty() && until - peaks_.back().until < grain) return;
  peaks_.push_back({.live = live, .until = until});
}

}  // namespace quadrille::peer
