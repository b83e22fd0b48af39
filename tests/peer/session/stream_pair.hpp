// Two ends of streams, joined: what one's effects send, the other takes.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/overloaded.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "peer/session/sessions.hpp"

namespace quadrille::peer::test {

// One end, with the events that it saw (frames without their bodies' memory: see `bodies`).
struct End {
  Introduction self;
  wire::Endpoint address;
  Sessions sessions;
  Effects effects;
  std::vector<Sessions::Event> events;
  std::vector<ByteBuffer> bodies;  // of the frames among them

  template <class Kind>
  std::optional<Kind> last() const {
    for (auto event = events.rbegin(); event != events.rend(); ++event)
      if (const auto* found = std::get_if<Kind>(&*event)) return *found;
    return std::nullopt;
  }
};

inline ByteBuffer bytes_of(const SendBytes& sent) {
  ByteBuffer bytes = sent.head;
  if (sent.tail)
    bytes.insert(
        bytes.end(), sent.tail->begin() + static_cast<std::ptrdiff_t>(sent.tail_offset),
        sent.tail->begin() + static_cast<std::ptrdiff_t>(sent.tail_offset + sent.tail_bytes));
  return bytes;
}

inline void give(End& end, StreamId stream, Bytes bytes, TimePoint now) {
  while (auto event = end.sessions.take(stream, bytes, end.self, now, end.effects)) {
    if (const auto* arrived = std::get_if<Sessions::Arrived>(&*event))
      end.bodies.emplace_back(arrived->frame.body.begin(), arrived->frame.body.end());
    end.events.push_back(std::move(*event));
  }
}

// Carries everything over until both are silent. The listener knows dialled stream n as n + 1.
inline void run(End& dialler, End& listener, TimePoint now) {
  const auto carry = [&](End& from, End& to, bool up) {
    const std::vector<Effects::StreamAction> actions = std::exchange(from.effects.streams, {});
    const auto there = [&](StreamId stream) {
      return StreamId{up ? stream.value + 1 : stream.value - 1};
    };
    for (const Effects::StreamAction& action : actions)
      std::visit(
          Overloaded{
              [&](const OpenStream& open) {
                to.sessions.on_accepted(there(open.stream), from.address, now, to.effects);
                from.sessions.on_opened(open.stream, from.self, now, from.effects);
              },
              [&](const SendBytes& sent) { give(to, there(sent.stream), bytes_of(sent), now); },
              [&](const CloseStream& closed) {
                if (auto ended = to.sessions.on_closed(there(closed.stream)))
                  to.events.emplace_back(std::move(*ended));
              }},
          action);
    return !actions.empty();
  };
  bool going = true;
  while (going) {
    going = carry(dialler, listener, true);
    going = carry(listener, dialler, false) || going;
  }
}

}  // namespace quadrille::peer::test
