// How long a suspect has to refute (SWIM 4.2, with Lifeguard's shrinking time-out): long when one
// peer alone accuses it, since the accuser may be the sick one; the shorter the more peers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/membership_options.hpp"

namespace quadrille::peer {

// What a suspicion that begins among so many live members is given.
struct SuspicionTerms {
  Duration shortest{};
  Duration longest{};
  std::uint32_t confirmations = 0;  // after which it is the shortest
};
SuspicionTerms suspicion_terms(const MembershipOptions& options, std::size_t live_count);

class Suspicion {
 public:
  Suspicion(SuspicionTerms terms, PeerId accuser, TimePoint now)
      : terms_(terms), begin_(now), accusers_{accuser} {}

  // One more peer accuses. False: it had done so before, or enough have.
  bool confirm(PeerId accuser);
  PeerId first_accuser() const { return accusers_.front(); }
  // begin + longest - (longest - shortest) * ln(c + 1) / ln(k + 1), with c of k confirmations.
  TimePoint deadline() const;
  void postpone(TimePoint until) { not_before_ = until; }

 private:
  SuspicionTerms terms_;
  TimePoint begin_;
  TimePoint not_before_{};
  std::vector<PeerId> accusers_;  // distinct; 1 + terms_.confirmations at most
};

// All that this peer holds, in the order of their deadlines.
class Suspicions {
 public:
  void begin(PeerId suspect, const Suspicion& suspicion);
  bool confirm(PeerId suspect, PeerId accuser);  // as Suspicion::confirm()
  void end(PeerId suspect);                      // refuted, or gone; there may be none
  std::optional<PeerId> take_due(TimePoint now);
  // This peer slept: what would have been heard in the meantime is still to be read.
  void postpone_all(TimePoint until);

  std::size_t size() const { return suspicions_.size(); }
  std::optional<PeerId> first_accuser(PeerId suspect) const;
  std::optional<TimePoint> next_deadline() const;

 private:
  std::map<PeerId, Suspicion> suspicions_;
  std::set<std::pair<TimePoint, PeerId>> deadlines_;  // one for each
};

}  // namespace quadrille::peer
