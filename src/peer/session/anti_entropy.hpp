// The dialogue of a stream of purpose Sync (wire/sync_messages.hpp has the picture). The dialler
// keeps what it is sent until it knows which buckets differ: what it sends back is then its own
// view, less what the other's has, too.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/membership/membership.hpp"
#include "peer/session/sessions.hpp"
#include "peer/stream.hpp"

namespace quadrille::peer {

class AntiEntropy {
 public:
  static constexpr Duration deadline = std::chrono::seconds(30);  // of one dialogue

  void on_opened(const Sessions::Party& party, Membership& membership, TimePoint now,
                 std::vector<OutFrame>& out);

  enum class Progress : std::uint8_t { Going, Done };
  // Corrupt or Limit: the other end does not keep to the dialogue. Nothing of that frame counted.
  Result<Progress> on_frame(const Sessions::Party& party, const wire::Frame& frame,
                            Membership& membership, TimePoint now, MembershipOutput& changes,
                            std::vector<OutFrame>& out);
  void on_ended(StreamId stream);

  // Dialogues that took too long, and when the next one will have.
  std::vector<StreamId> overdue(TimePoint now) const;
  TimePoint wake_at() const;

 private:
  struct Dialogue {
    std::size_t bucket_count = 0;  // of the digest; 0 until there was one
    std::size_t bytes = 0;
    std::vector<wire::State> kept;  // of a dialler
    TimePoint ends;
  };

  static void send_state(StreamId stream, const wire::StateEnd& differing,
                         std::span<const wire::State> heard, const Membership& membership,
                         std::vector<OutFrame>& out);
  static Result<void> answer_digest(Dialogue& dialogue, StreamId stream, Bytes body,
                                    const Membership& membership, std::vector<OutFrame>& out);

  std::map<StreamId, Dialogue> dialogues_;
};

}  // namespace quadrille::peer
