#include "wire/datagram.hpp"

#include <datagram_generated.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/overloaded.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"
#include "wire/update_list.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

constexpr std::string_view datagram_magic = "QDRD";

using Builder = flatbuffers::FlatBufferBuilder;

struct WrittenMessage {
  flat::Message type = flat::Message::NONE;
  flatbuffers::Offset<void> table;
};

template <class Table>
WrittenMessage written(flatbuffers::Offset<Table> table) {
  return {flat::MessageTraits<Table>::enum_value, table.Union()};
}

WrittenMessage write(Builder& builder, const Message& message) {
  return std::visit(
      Overloaded{
          [](const Gossip&) { return WrittenMessage{}; },
          [&](const Ping& ping) {
            const flat::PeerId target = flat_of(ping.target);
            return written(flat::CreatePing(builder, ping.sequence, &target));
          },
          [&](const PingRequest& request) {
            const flat::PeerId target = flat_of(request.target);
            const flat::Endpoint endpoint = flat_of(request.endpoint);
            return written(flat::CreatePingRequest(builder, request.sequence, &target, &endpoint));
          },
          [&](const Ack& ack) { return written(flat::CreateAck(builder, ack.sequence)); },
          [&](const Nack& nack) { return written(flat::CreateNack(builder, nack.sequence)); },
          [&](const CompareViews& compare) {
            return written(flat::CreateCompareViews(builder, compare.view_hash, compare.is_answer));
          },
          [&](const YieldRequest& request) {
            return written(flat::CreateYieldRequest(builder, request.sequence, request.cells_held));
          },
          [&](const YieldReply& reply) {
            return written(flat::CreateYieldReply(builder, reply.sequence, reply.granted));
          },
          [](std::monostate) {
            CHECK(false, "a message of a later version cannot be sent");
            return WrittenMessage{};
          },
      },
      message);
}

// A message of a later version, or one whose table is missing, is none that we know.
Message read_message(const flat::Datagram& body) {
  if (body.message_type() == flat::Message::NONE) return Gossip{};
  if (body.message_type() > flat::Message::MAX || body.message() == nullptr)
    return std::monostate{};
  switch (body.message_type()) {
    case flat::Message::Ping: {
      const auto& ping = *body.message_as_Ping();
      return Ping{.sequence = ping.sequence(), .target = value_of(ping.target())};
    }
    case flat::Message::PingRequest: {
      const auto& request = *body.message_as_PingRequest();
      return PingRequest{.sequence = request.sequence(),
                         .target = value_of(request.target()),
                         .endpoint = value_of(request.endpoint())};
    }
    case flat::Message::Ack:
      return Ack{.sequence = body.message_as_Ack()->sequence()};
    case flat::Message::Nack:
      return Nack{.sequence = body.message_as_Nack()->sequence()};
    case flat::Message::CompareViews: {
      const auto& compare = *body.message_as_CompareViews();
      return CompareViews{.view_hash = compare.view_hash(), .is_answer = compare.is_answer()};
    }
    case flat::Message::YieldRequest: {
      const auto& request = *body.message_as_YieldRequest();
      return YieldRequest{.sequence = request.sequence(), .cells_held = request.cells_held()};
    }
    case flat::Message::YieldReply: {
      const auto& reply = *body.message_as_YieldReply();
      return YieldReply{.sequence = reply.sequence(), .granted = reply.granted()};
    }
    case flat::Message::NONE:
      break;
  }
  return std::monostate{};
}

void write_envelope(ByteBuffer& datagram, RunId run) {
  std::ranges::copy(std::as_bytes(std::span(datagram_magic)), datagram.begin());
  store_little(datagram.data() + 4, protocol_version_min);
  store_little(datagram.data() + 6, std::uint16_t{0});
  store_little(datagram.data() + 8, run.high);
  store_little(datagram.data() + 16, run.low);
}

}  // namespace

ByteBuffer encode(const Datagram& datagram) {
  CHECK(datagram.updates.size() <= updates_max, datagram.updates.size());
  CHECK(datagram.statuses.size() <= statuses_max, datagram.statuses.size());
  Builder builder(datagram_body_bytes_max);
  // In this order the least is lost to alignment.
  const auto statuses = write_list<flat::CellStatus>(builder, datagram.statuses);
  const WrittenMessage message = write(builder, datagram.message);
  const auto updates = write_updates(builder, datagram.updates);
  const flat::PeerId sender = flat_of(datagram.sender);
  const auto root = flat::CreateDatagram(builder, &sender, datagram.incarnation, message.type,
                                         message.table, updates, statuses);
  builder.Finish(root, flat::DatagramIdentifier());
  const auto body = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  CHECK(body.size() <= datagram_body_bytes_max, body.size());
  ByteBuffer bytes(envelope_bytes + body.size());
  write_envelope(bytes, datagram.run);
  std::ranges::copy(body, bytes.begin() + envelope_bytes);
  return bytes;
}

Result<Envelope> read_envelope(Bytes datagram) {
  if (datagram.size() <= envelope_bytes || datagram.size() > datagram_bytes_max)
    return corrupt("datagram", "it has " + std::to_string(datagram.size()) + " bytes");
  if (!std::ranges::equal(datagram.first(datagram_magic.size()),
                          std::as_bytes(std::span(datagram_magic))))
    return corrupt("datagram", "it does not begin as ours do");
  const Envelope envelope{.version = load_little<std::uint16_t>(datagram.data() + 4),
                          .flags = load_little<std::uint16_t>(datagram.data() + 6),
                          .run = {.high = load_little<std::uint64_t>(datagram.data() + 8),
                                  .low = load_little<std::uint64_t>(datagram.data() + 16)}};
  if (envelope.version == 0 || envelope.version > protocol_version_max)
    return failure(ErrorCode::Mismatch, "datagram: of version " + std::to_string(envelope.version));
  return envelope;
}

Result<Datagram> decode_datagram(Bytes datagram) {
  TRY(envelope, read_envelope(datagram));
  const Bytes bytes = datagram.subspan(envelope_bytes);
  if (bytes.size() > datagram_body_bytes_max)
    return corrupt("Datagram", std::to_string(bytes.size()) + " bytes are too many");
  TRY(body, verified<flat::Datagram>(bytes, flat::DatagramIdentifier()));
  if (body->statuses() != nullptr && body->statuses()->size() > statuses_max)
    return corrupt("Datagram", std::to_string(body->statuses()->size()) + " statuses are too many");
  TRY(statuses, read_list<CellStatus>(body->statuses(), "Datagram"));
  TRY(updates, read_updates(body->updates(), updates_max, "Datagram", body.allowance()));
  Datagram value{.run = envelope.run,
                 .sender = value_of(body->sender()),
                 .incarnation = body->incarnation(),
                 .message = read_message(*body),
                 .updates = std::move(updates),
                 .statuses = std::move(statuses)};
  const auto* request = std::get_if<PingRequest>(&value.message);
  if (request != nullptr && !request->endpoint.is_of_one_host())
    return corrupt("PingRequest", "its endpoint is not of one host with a port");
  return value;
}

}  // namespace quadrille::wire
