// How many datagrams this peer sends unasked, because of what somebody believes or says. In a storm
// the rest go without: gossip and anti-entropy tell them later.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/time.hpp"

namespace quadrille::peer {

inline constexpr std::int64_t replies_at_once_max = 512;
inline constexpr Duration reply_interval = std::chrono::milliseconds(16);  // one more, each

class ReplyBudget {
 public:
  bool take(TimePoint now) {
    const std::int64_t earned = (now - counted_until_) / reply_interval;
    left_ = std::min(replies_at_once_max, left_ + earned);
    counted_until_ = counted_until_ + earned * reply_interval;
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  std::int64_t left_ = replies_at_once_max;
  TimePoint counted_until_;
};

}  // namespace quadrille::peer
