// When this peer compares its view with somebody's, and when it may open a stream to mend a
// difference: one at a time, and not in close succession. (A newcomer's dials of its seeds have a
// pace of their own, see Seeds.)
//
// Usually every ten seconds. When the view changes by more than gossip carries soon (peers join in
// hundreds, a split heals), a few times in quick succession: each exchange levels two views, so all
// n are level after about log n rounds. What an exchange takes grows with n, and so do the pauses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/random.hpp"
#include "base/time.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::peer {

inline constexpr std::uint64_t changes_to_hurry = 16;  // within hurry_window
inline constexpr Duration hurry_window = std::chrono::seconds(10);
inline constexpr std::uint32_t hurried_rounds = 8;
inline constexpr Duration hurried_interval = std::chrono::seconds(1);  // up to 1,000 members
inline constexpr Duration sync_spacing = std::chrono::milliseconds(500);
inline constexpr Duration sync_time_max = std::chrono::seconds(30);

class ComparisonSchedule {
 public:
  explicit ComparisonSchedule(Duration interval) : interval_(interval) {}

  void begin(TimePoint now, RandomStream& random);
  // To be told often; `changes` counts all that the view has been through.
  void on_changes(std::uint64_t changes, std::size_t live_count, TimePoint now,
                  RandomStream& random);
  // True when it is time to compare.
  bool take_due(std::size_t live_count, TimePoint now, RandomStream& random);
  std::optional<TimePoint> wake_at() const { return next_; }

  // True: a stream may be opened there, and counts as open until end_sync() of the same address.
  bool begin_sync(const wire::Endpoint& to, TimePoint now);
  void end_sync(const wire::Endpoint& to);

 private:
  Duration hurried(std::size_t live_count) const;

  Duration interval_;
  std::optional<TimePoint> next_;
  std::uint64_t changes_ = 0;  // when it was told last, and when the window began
  std::uint64_t changes_before_ = 0;
  TimePoint window_began_;
  std::uint32_t hurried_left_ = 0;
  std::optional<wire::Endpoint> syncing_with_;
  std::optional<TimePoint> sync_began_;
};

}  // namespace quadrille::peer
