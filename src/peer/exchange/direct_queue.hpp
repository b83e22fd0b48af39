// What one cell sent to one other, apart from its snapshots. Nobody acknowledges these messages:
// the last ones are kept, and sent again to whoever subscribes; the inbox drops what it had.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "base/ids.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

class DirectQueue {
 public:
  static constexpr std::size_t kept_max = 16;

  struct Message {
    Round round;
    Payload payload;
  };

  // Of one too many the oldest goes, sent or not.
  void push(Message message) {
    kept_.push_back(std::move(message));
    if (kept_.size() <= kept_max) return;
    kept_.pop_front();
    if (next_ > 0) --next_;
  }
  // Somebody else reads: all that is kept is to be sent.
  void restart() { next_ = 0; }

  bool empty() const { return kept_.empty(); }
  bool has_next() const { return next_ < kept_.size(); }
  // There is one (has_next). It stays until the next push().
  const Message& take_next() { return kept_[next_++]; }

 private:
  std::deque<Message> kept_;
  std::size_t next_ = 0;  // to be sent
};

}  // namespace quadrille::peer
