// A frame of an exchange as a line of a transcript.
#pragma once

#include <sstream>
#include <string>

#include "peer/stream.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer::test {

inline std::string text_of(const wire::Subscribe& each) {
  std::ostringstream line;
  line << "Subscribe " << each.edge.source << ">" << each.edge.reader << " holds v" << each.version
       << " degree " << each.degree;
  return line.str();
}

inline std::string text_of(const wire::PayloadBegin& each) {
  std::ostringstream line;
  line << "PayloadBegin " << each.edge.source << ">" << each.edge.reader << " transfer "
       << each.transfer << " round " << each.round << " v" << each.base_version << "-v"
       << each.version << " bytes " << each.bytes << " degree " << each.degree;
  if (each.heard) line << " heard " << *each.heard;
  return line.str();
}

inline std::string text_of(const OutFrame& frame) {
  using wire::FrameType;
  std::ostringstream line;
  switch (frame.type) {
    case FrameType::Subscribe:
      return text_of(wire::decode_subscribe(frame.body).value());
    case FrameType::PayloadBegin:
      return text_of(wire::decode_payload_begin(frame.body).value());
    case FrameType::Unsubscribe: {
      const EdgeId edge = wire::decode_unsubscribe(frame.body).value().edge;
      line << "Unsubscribe " << edge.source << ">" << edge.reader;
      break;
    }
    case FrameType::Chunk: {
      const wire::ChunkHead head = wire::decode_chunk(frame.body).value().head;
      line << "Chunk " << head.transfer << " at " << head.offset << " bytes " << frame.tail_bytes;
      break;
    }
    case FrameType::Credit:
      line << "Credit " << wire::decode_credit(frame.body).value().bytes;
      break;
    case FrameType::PayloadApplied: {
      const auto each = wire::decode_payload_applied(frame.body).value();
      line << "PayloadApplied " << each.edge.source << ">" << each.edge.reader << " v"
           << each.version;
      break;
    }
    case FrameType::PayloadRefused: {
      const auto each = wire::decode_payload_refused(frame.body).value();
      line << "PayloadRefused " << each.edge.source << ">" << each.edge.reader << " v"
           << each.version << " fault " << int(each.fault);
      break;
    }
    case FrameType::DirectBegin: {
      const auto each = wire::decode_direct_begin(frame.body).value();
      line << "DirectBegin " << each.from << ">" << each.to << " transfer " << each.transfer
           << " round " << each.round << " bytes " << each.bytes;
      break;
    }
    default:
      line << "type " << int(frame.type);
  }
  return line.str();
}

}  // namespace quadrille::peer::test
