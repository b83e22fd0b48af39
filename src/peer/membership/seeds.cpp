#include "peer/membership/seeds.hpp"

#include <algorithm>
#include <chrono>

namespace quadrille::peer {
namespace {

constexpr Duration attempt_time_max = std::chrono::seconds(15);

}  // namespace

Seeds::Seeds(std::span<const wire::Endpoint> seeds, std::span<const wire::Endpoint> own) {
  for (const wire::Endpoint& seed : seeds) {
    const bool is_own = std::ranges::find(own, seed) != own.end();
    const bool is_known = std::ranges::find(seeds_, seed) != seeds_.end();
    if (!is_own && !is_known) seeds_.push_back(seed);
  }
}

const wire::Endpoint& Seeds::any(RandomStream& random) const {
  return seeds_[random.below(static_cast<std::uint32_t>(seeds_.size()))];
}

void Seeds::begin(TimePoint now, RandomStream& random) {
  if (seeds_.empty()) return;
  next_ = random.below(static_cast<std::uint32_t>(seeds_.size()));
  next_attempt_ = now;
}

std::optional<wire::Endpoint> Seeds::take_due(TimePoint now) {
  if (!next_attempt_ || now < *next_attempt_) return std::nullopt;
  if (trying_) ++failures_;
  trying_ = seeds_[next_];
  next_ = (next_ + 1) % seeds_.size();
  next_attempt_ = now + attempt_time_max;
  return trying_;
}

void Seeds::on_failed(const wire::Endpoint& seed, const MembershipOptions& options, TimePoint now,
                      RandomStream& random) {
  if (!next_attempt_ || trying_ != seed) return;
  trying_.reset();
  // The pause grows once all seeds have had their turn.
  const std::size_t turns = std::min<std::size_t>(failures_++ / seeds_.size(), 16);
  const Duration longest = std::min(options.join_retry_max, options.join_retry_min * (1U << turns));
  const double share = random.uniform();
  const double nanoseconds = static_cast<double>(longest.count()) * share;
  next_attempt_ = now + Duration(static_cast<Duration::rep>(nanoseconds));
}

void Seeds::forget(const wire::Endpoint& seed) {
  std::erase(seeds_, seed);
  next_ = 0;
  if (trying_ == seed) trying_.reset();
  if (seeds_.empty()) end();
}

}  // namespace quadrille::peer
