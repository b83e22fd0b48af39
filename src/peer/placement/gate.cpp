#include "peer/placement/gate.hpp"

namespace quadrille::peer {

void Gate::update(bool covers_grid, TimePoint now) {
  const auto at = due(covers_grid);
  if (!at || now < *at) return;
  const bool quiet = now >= changed_at_ + options_.early_quiet;
  state_ = covers_grid && quiet && synced_ ? State::OpenedEarly : State::OpenedLate;
}

std::optional<TimePoint> Gate::due(bool covers_grid) const {
  if (is_open() || !started_) return std::nullopt;
  if (!synced_ && options_.sync == Sync::Needed) return std::nullopt;
  const TimePoint late = *started_ + options_.latest;
  return covers_grid && synced_ ? std::min(late, changed_at_ + options_.early_quiet) : late;
}

}  // namespace quadrille::peer
