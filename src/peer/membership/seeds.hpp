// The addresses that a peer was given to begin with. Until one of them has given it the whole view,
// it tries them in turn, for ever, with growing pauses of random length (exponential backoff with
// full jitter), so that a fleet does not fall upon seeds that come back.
//
// Afterwards they are what joins two halves that have forgotten each other: see Membership.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/membership/membership_options.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::peer {

class Seeds {
 public:
  // Those that are not `own` endpoints, each once.
  Seeds(std::span<const wire::Endpoint> seeds, std::span<const wire::Endpoint> own);

  bool empty() const { return seeds_.empty(); }
  const wire::Endpoint& any(RandomStream& random) const;

  void begin(TimePoint now, RandomStream& random);
  // The seed to try when it is time for the next one. An attempt that is neither done nor failed
  // counts as failed after a while.
  std::optional<wire::Endpoint> take_due(TimePoint now);
  void on_failed(const wire::Endpoint& seed, const MembershipOptions& options, TimePoint now,
                 RandomStream& random);
  // It turned out to be this peer itself, by another name.
  void forget(const wire::Endpoint& seed);
  void end() { next_attempt_.reset(); }
  std::optional<TimePoint> wake_at() const { return next_attempt_; }

 private:
  std::vector<wire::Endpoint> seeds_;
  std::size_t next_ = 0;
  std::size_t failures_ = 0;
  std::optional<wire::Endpoint> trying_;
  std::optional<TimePoint> next_attempt_;  // none: not begun, or joined
};

}  // namespace quadrille::peer
