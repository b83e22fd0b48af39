// What an end of an exchange is handed by the other one: a message in its frame, a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "peer/exchange/exchange_output.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer::test {

inline Payload payload_of(std::size_t bytes) {
  return std::make_shared<const ByteBuffer>(bytes);
}

// An Exchange, or one half of it.
template <class End>
void feed_bytes(End& end, StreamId stream, wire::FrameType type, const ByteBuffer& body,
                TimePoint now, ExchangeOutput& out) {
  end.on_frame(stream, {.header = {.type = type}, .body = body}, now, out);
}

template <class End, class Message>
void feed(End& end, StreamId stream, const Message& message, TimePoint now, ExchangeOutput& out) {
  feed_bytes(end, stream, Message::frame_type, wire::encode(message), now, out);
}

inline ByteBuffer chunk_body(wire::ChunkHead head, std::size_t bytes) {
  ByteBuffer body = wire::encode(head);
  body.resize(body.size() + bytes);
  return body;
}

}  // namespace quadrille::peer::test
