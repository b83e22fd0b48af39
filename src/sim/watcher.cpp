#include "sim/watcher.hpp"

#include <utility>

#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"
#include "wire/session_messages.hpp"

namespace quadrille::sim {
namespace {

constexpr PeerId watcher_id{.high = 0x5741'5443'4845'5200, .low = 1};

bool is_recorded(wire::FrameType type) {
  return type == wire::FrameType::WatchBegin || type == wire::FrameType::WatchMembers ||
         type == wire::FrameType::WatchStatuses || type == wire::FrameType::WatchEvents;
}

}  // namespace

Watcher::Watcher(Self self, SimStreams& streams, EventQueue& events, Sink sink)
    : self_(self), streams_(streams), events_(events), sink_(std::move(sink)) {
  sink_(peer::RecordingWriter::header(
      {.run = self.run, .start_unix_milliseconds = self.start_unix_milliseconds}));
}

void Watcher::start(TimePoint now) {
  dial(now);
}

void Watcher::dial(TimePoint now) {
  stream_.value += stream_.value == 0 ? 1 : 2;
  reader_.emplace(wire::StreamEnd::Dialler);
  reader_->open();
  next_sequence_ = 0;
  streams_.open(self_.node, stream_, next_host_, now);
  next_host_ = (next_host_ + 1) % self_.hosts;
}

void Watcher::dial_later(TimePoint now) {
  events_.push(now + redial_after, {.kind = EventKind::Wake, .node = self_.node});
}

void Watcher::on_wake(TimePoint now) {
  dial(now);
}

void Watcher::send(wire::FrameType type, const ByteBuffer& body, TimePoint now) {
  streams_.send(self_.node, stream_, {.head = wire::encode_frame(type, next_sequence_++, body)},
                now);
}

void Watcher::on_stream(const StreamNews& news, TimePoint now) {
  switch (news.kind) {
    case StreamNews::Kind::Opened:
      send(wire::FrameType::Hello,
           wire::encode(wire::Hello{.version_min = wire::protocol_version_min,
                                    .version_max = wire::protocol_version_max,
                                    .run = self_.run,
                                    .sender = watcher_id,
                                    .purpose = wire::StreamPurpose::Watch}),
           now);
      send(wire::FrameType::Credit, wire::encode(wire::Credit{.bytes = credit_bytes}), now);
      break;
    case StreamNews::Kind::Bytes:
      if (take(news.bytes, now)) break;
      streams_.close(self_.node, news.stream, now);
      dial_later(now);
      break;
    case StreamNews::Kind::OpenFailed:
    case StreamNews::Kind::Closed:
      dial_later(now);
      break;
    case StreamNews::Kind::Accepted:
      streams_.close(self_.node, news.stream, now);  // nobody has business with it
      break;
  }
}

Result<void> Watcher::take(Bytes bytes, TimePoint now) {
  std::uint64_t taken = 0;
  for (;;) {
    TRY(frame, reader_->take(bytes));
    if (!frame) break;
    if (!is_recorded(frame->header.type)) continue;
    sink_(writer_.entry(now.since_start, frame->header.type, frame->body));
    taken += frame->body.size();
  }
  if (taken > 0) send(wire::FrameType::Credit, wire::encode(wire::Credit{.bytes = taken}), now);
  return {};
}

}  // namespace quadrille::sim
