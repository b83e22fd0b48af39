#include "peer/membership/comparison_schedule.hpp"

#include <algorithm>

namespace quadrille::peer {
namespace {

// Half to one and a half times as long.
Duration jittered(Duration interval, RandomStream& random) {
  const double factor = 0.5 + random.uniform();
  return Duration(static_cast<Duration::rep>(static_cast<double>(interval.count()) * factor));
}

}  // namespace

void ComparisonSchedule::begin(TimePoint now, RandomStream& random) {
  next_ = now + jittered(interval_, random);
}

void ComparisonSchedule::on_changes(std::uint64_t changes, std::size_t live_count, TimePoint now,
                                    RandomStream& random) {
  if (!next_) return;
  if (now - window_began_ >= hurry_window) {
    window_began_ = now;
    changes_before_ = changes_;
  }
  changes_ = changes;
  if (changes - changes_before_ < changes_to_hurry) return;
  changes_before_ = changes;
  hurried_left_ = hurried_rounds;
  next_ = std::min(*next_, now + jittered(hurried(live_count), random));
}

bool ComparisonSchedule::take_due(std::size_t live_count, TimePoint now, RandomStream& random) {
  if (!next_ || now < *next_) return false;
  const bool hurry = hurried_left_ > 0;
  if (hurry) --hurried_left_;
  next_ = now + jittered(hurry ? hurried(live_count) : interval_, random);
  return true;
}

bool ComparisonSchedule::begin_sync(const wire::Endpoint& to, TimePoint now) {
  const Duration pause = syncing_with_ ? sync_time_max : sync_spacing;
  if (sync_began_ && now - *sync_began_ < pause) return false;
  syncing_with_ = to;
  sync_began_ = now;
  return true;
}

void ComparisonSchedule::end_sync(const wire::Endpoint& to) {
  if (syncing_with_ == to) syncing_with_.reset();
}

Duration ComparisonSchedule::hurried(std::size_t live_count) const {
  const auto thousands = static_cast<Duration::rep>(std::max<std::size_t>(1, live_count / 1000));
  return std::min(interval_, hurried_interval * thousands);
}

}  // namespace quadrille::peer
