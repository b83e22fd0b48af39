// The probe under way: ping one member; when it keeps silent for a time, ask others to ping it and
// try a stream; conclude when the probe's interval is over. One at a time.
//
// Helpers that have no answer either say so (Lifeguard's Nack). One that does not even say that
// makes this peer doubt itself rather than the member.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace quadrille::peer {

class Prober {
 public:
  struct Plan {
    PeerId target;
    std::uint32_t sequence = 0;
    TimePoint help_at;  // from then on others are asked
    TimePoint end_at;
  };
  struct Verdict {
    PeerId target;
    bool heard_by_stream = false;
    std::uint32_t helpers = 0;
    std::uint32_t silent_helpers = 0;  // of them
  };

  void begin(const Plan& plan);
  void abandon() { plan_.reset(); }

  // The plan, once, when it is time to ask others.
  std::optional<Plan> take_call_for_help(TimePoint now);
  void add_helper(PeerId helper);

  // An Ack of the target, or of a helper for it. True: the probe has ended, and all is well.
  bool on_ack(std::uint32_t sequence, PeerId sender);
  void on_nack(std::uint32_t sequence, PeerId sender);
  void on_stream_answer(PeerId target);
  // When the interval is over: the probe has ended, and no datagram answered.
  std::optional<Verdict> take_verdict(TimePoint now);

  std::optional<TimePoint> wake_at() const;

 private:
  struct Helper {
    PeerId id;
    bool heard = false;
  };
  Helper* find_helper(PeerId id);

  std::optional<Plan> plan_;
  bool called_for_help_ = false;
  bool heard_by_stream_ = false;
  std::vector<Helper> helpers_;
};

}  // namespace quadrille::peer
