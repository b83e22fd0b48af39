// A newcomer that knows only seeds asks them what they train: over a stream, with the run unknown.
// All seeds in turn, for ever, with growing pauses; the caller decides when to give up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "peer/session/sessions.hpp"
#include "wire/endpoint.hpp"
#include "wire/session_messages.hpp"

namespace quadrille::peer {

class RunSpecRequest {
 public:
  static constexpr Duration retry_min = std::chrono::seconds(1);
  static constexpr Duration retry_max = std::chrono::seconds(30);
  static constexpr Duration answer_deadline = std::chrono::seconds(10);

  // At least one seed.
  RunSpecRequest(std::vector<wire::Endpoint> seeds, PeerId self, RandomStream random);

  void start(TimePoint now, Effects& out);
  void on_opened(StreamId stream, TimePoint now, Effects& out);
  void on_open_failed(StreamId stream, TimePoint now, Effects& out);
  void on_bytes(StreamId stream, Bytes bytes, TimePoint now, Effects& out);
  void on_closed(StreamId stream, TimePoint now, Effects& out);
  void on_time(TimePoint now, Effects& out);
  TimePoint wake_at() const;

  // The first answer. Its text is as hostile as any input: parse it, and compare the id.
  const std::optional<wire::RunSpecText>& answer() const { return answer_; }
  // Why the last attempt failed, with the seed's address; empty while none did.
  const std::string& problem() const { return problem_; }
  std::size_t attempts() const { return attempts_; }

 private:
  Introduction introduction() const { return {.run = {}, .self = self_, .record = {}}; }
  void ask_next(TimePoint now, Effects& out);
  void on_event(const Sessions::Event& event, TimePoint now, Effects& out);
  void on_failed(const Sessions::Party& party, const std::string& reason, TimePoint now);

  std::vector<wire::Endpoint> seeds_;
  PeerId self_;
  RandomStream random_;
  Sessions sessions_;
  std::size_t attempts_ = 0;
  Duration pause_ = retry_min;
  std::optional<StreamId> stream_;  // that is being tried
  TimePoint deadline_;              // of the attempt, or of the pause after it
  std::optional<wire::RunSpecText> answer_;
  std::string problem_;
};

}  // namespace quadrille::peer
