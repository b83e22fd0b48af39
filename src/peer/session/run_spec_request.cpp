#include "peer/session/run_spec_request.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/printed.hpp"

namespace quadrille::peer {

RunSpecRequest::RunSpecRequest(std::vector<wire::Endpoint> seeds, PeerId self, RandomStream random)
    : seeds_(std::move(seeds)), self_(self), random_(random) {
  CHECK(!seeds_.empty());
}

void RunSpecRequest::start(TimePoint now, Effects& out) {
  ask_next(now, out);
}

void RunSpecRequest::on_opened(StreamId stream, TimePoint now, Effects& out) {
  sessions_.on_opened(stream, introduction(), now, out);
}

void RunSpecRequest::on_open_failed(StreamId stream, TimePoint now, Effects& out) {
  if (const auto ended = sessions_.on_open_failed(stream)) on_event(*ended, now, out);
}

void RunSpecRequest::on_bytes(StreamId stream, Bytes bytes, TimePoint now, Effects& out) {
  while (const auto event = sessions_.take(stream, bytes, introduction(), now, out))
    on_event(*event, now, out);
}

void RunSpecRequest::on_closed(StreamId stream, TimePoint now, Effects& out) {
  if (const auto ended = sessions_.on_closed(stream)) on_event(*ended, now, out);
}

void RunSpecRequest::on_time(TimePoint now, Effects& out) {
  if (answer_ || now < deadline_) return;
  if (!stream_) return ask_next(now, out);
  const Sessions::Party* party = sessions_.party(*stream_);
  CHECK(party != nullptr, *stream_);
  const Sessions::Party asked = *party;
  sessions_.close(*stream_, out);
  on_failed(asked, "no answer in time", now);
}

TimePoint RunSpecRequest::wake_at() const {
  return answer_ ? TimePoint::never() : deadline_;
}

void RunSpecRequest::ask_next(TimePoint now, Effects& out) {
  const wire::Endpoint& seed = seeds_[attempts_++ % seeds_.size()];
  stream_ = sessions_.dial({.to = seed, .purpose = wire::StreamPurpose::RunSpec}, now, out);
  CHECK(stream_.has_value());
  deadline_ = now + answer_deadline;
}

void RunSpecRequest::on_event(const Sessions::Event& event, TimePoint now, Effects& out) {
  if (const auto* ended = std::get_if<Sessions::Ended>(&event))
    return on_failed(ended->party, ended->reason, now);
  const auto* arrived = std::get_if<Sessions::Arrived>(&event);
  if (arrived == nullptr) return;  // Opened: the answer follows by itself
  const Sessions::Party party = arrived->party;
  Result<wire::RunSpecText> text = failure(ErrorCode::Corrupt, "a frame that is no run spec");
  if (arrived->frame.header.type == wire::FrameType::RunSpec)
    text = wire::decode_run_spec(arrived->frame.body);
  sessions_.close(party.stream, out);
  if (!text) return on_failed(party, text.error().detail, now);
  answer_ = std::move(*text);
  stream_.reset();
}

// The first round of seeds is asked without a pause between them: one of them may well be down.
void RunSpecRequest::on_failed(const Sessions::Party& party, const std::string& reason,
                               TimePoint now) {
  problem_ = printed("seed ", party.remote, ": ", reason);
  stream_.reset();
  deadline_ = now;
  if (attempts_ % seeds_.size() != 0) return;
  deadline_ = now + std::chrono::duration_cast<Duration>(pause_ * random_.uniform());
  pause_ = std::min(2 * pause_, retry_max);
}

}  // namespace quadrille::peer
