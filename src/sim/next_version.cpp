#include "sim/next_version.hpp"

#include <version2_generated.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "wire/frame.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"

namespace quadrille::sim {
namespace {

namespace v2 = quadrille::wire::version2;
using Builder = flatbuffers::FlatBufferBuilder;
using Updates = std::vector<std::unique_ptr<v2::UpdateT>>;

constexpr std::uint16_t next_version = 2;
constexpr const char* motto = "later is better";

// Where these stand in a frame's header.
constexpr std::size_t type_at = 4;
constexpr std::size_t length_at = 8;
constexpr std::size_t sequence_at = 12;
constexpr auto dance_step = std::byte{60};  // a type of frame that today's code does not know
constexpr std::size_t dance_step_bytes = 300;

template <class Table>
const Table& table_in(Bytes bytes) {
  return *flatbuffers::GetRoot<Table>(bytes.data());
}

Bytes built(const Builder& builder) {
  return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

ByteBuffer joined(Bytes head, Bytes tail) {
  ByteBuffer bytes(head.size() + tail.size());
  std::ranges::copy(head, bytes.begin());
  std::ranges::copy(tail, bytes.begin() + static_cast<std::ptrdiff_t>(head.size()));
  return bytes;
}

flatbuffers::Offset<flatbuffers::String> copied(Builder& builder, const flatbuffers::String* text) {
  return text == nullptr ? 0 : builder.CreateString(text);
}

template <class Struct>
flatbuffers::Offset<flatbuffers::Vector<const Struct*>> copied(
    Builder& builder, const flatbuffers::Vector<const Struct*>* list) {
  if (list == nullptr) return 0;
  return builder.CreateVectorOfStructs(reinterpret_cast<const Struct*>(list->Data()), list->size());
}

// In the order of wire::encode(), in which the largest record has the least padding.
ByteBuffer written(const v2::PeerRecord& record, bool has_motto) {
  Builder builder(wire::record_bytes_max);
  const auto words = has_motto ? builder.CreateString(motto) : 0;
  const auto name = copied(builder, record.name());
  const auto zone = copied(builder, record.zone());
  const auto claims = copied(builder, record.claims());
  const auto endpoints = copied(builder, record.endpoints());
  const auto yields = copied(builder, record.yields());
  const v2::V2Mood mood(1 + record.version() % 5);
  builder.Finish(
      v2::CreatePeerRecord(builder, record.id(), record.incarnation(), record.version(), name, zone,
                           endpoints, record.capacity(), record.leaving(), record.features(),
                           record.grid(), claims, yields, record.signature(), &mood, words),
      "QREC");
  const Bytes bytes = built(builder);
  return {bytes.begin(), bytes.end()};
}

bool is_record_of(const v2::UpdateT& update, const v2::PeerId& peer) {
  return update.kind == v2::UpdateKind::Alive && update.subject && *update.subject == peer;
}

void rewrite_record(std::vector<std::uint8_t>& record) {
  const ByteBuffer bytes = record_of_next_version(std::as_bytes(std::span(record)));
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  record.assign(data, data + bytes.size());
}

// At the front, so that all the others are read only by who gets past it.
void add_paused(Updates& updates, const v2::PeerId& peer) {
  auto update = std::make_unique<v2::UpdateT>();
  update->kind = v2::UpdateKind::V2Paused;
  update->subject = std::make_unique<v2::PeerId>(peer);
  update->v2_reason = "lunch";
  updates.insert(updates.begin(), std::move(update));
}

bool remove_paused(Updates& updates) {
  return std::erase_if(updates, [](const auto& update) {
           return update->kind == v2::UpdateKind::V2Paused;
         }) > 0;
}

// Never the sender's own record: others may wait for it. False: there is nothing left to give.
bool drop_last(Updates& updates, const v2::PeerId& sender) {
  for (std::size_t last = updates.size(); last-- > 0;) {
    if (is_record_of(*updates[last], sender)) continue;
    updates.erase(updates.begin() + static_cast<std::ptrdiff_t>(last));
    return true;
  }
  return false;
}

void add_news(v2::DatagramT& datagram, std::uint64_t drawn) {
  if (datagram.updates.size() < wire::updates_max) add_paused(datagram.updates, *datagram.sender);
  datagram.v2_hops = static_cast<std::uint16_t>(1 + drawn % 7);
  if (v2::PingT* ping = datagram.message.AsPing()) ping->v2_sent_at = drawn;
  if (datagram.message.type == v2::Message::NONE && drawn % 4 == 0) {
    v2::V2GreetingT greeting;
    greeting.words = "good morning";
    datagram.message.Set(std::move(greeting));
  }
}

// The sender's cells, half of the time on a device and in a phase that today's code has not got.
void rewrite_statuses(v2::DatagramT& datagram, std::uint64_t drawn) {
  for (v2::CellStatus& status : datagram.statuses) {
    if (status.owner() != *datagram.sender || drawn % 2 == 0) continue;
    status.mutate_device(v2::DeviceKind::V2Rocm);
    status.mutate_phase(v2::CellPhase::V2Held);
  }
}

void remove_news(v2::DatagramT& datagram) {
  remove_paused(datagram.updates);
  datagram.v2_hops = 0;
  if (v2::PingT* ping = datagram.message.AsPing()) ping->v2_sent_at = 0;
  if (datagram.message.type == v2::Message::V2Greeting) datagram.message.Reset();
}

// The frame anew, with another body.
ByteBuffer with_body(Bytes frame, Bytes body) {
  ByteBuffer bytes = joined(frame.first(wire::frame_header_bytes), body);
  wire::store_little(bytes.data() + length_at, static_cast<std::uint32_t>(body.size()));
  return bytes;
}

ByteBuffer hello_of_next_version(const ByteBuffer& frame) {
  v2::HelloT hello;
  table_in<v2::Hello>(Bytes(frame).subspan(wire::frame_header_bytes)).UnPackTo(&hello);
  hello.version_max = next_version;
  hello.v2_language = "es";
  if (!hello.record.empty()) rewrite_record(hello.record);
  Builder builder;
  builder.Finish(v2::Hello::Pack(builder, &hello), "QSES");
  return with_body(frame, built(builder));
}

ByteBuffer state_of_next_version(const ByteBuffer& frame, PeerId sender) {
  const v2::PeerId self(sender.high, sender.low);
  v2::StateT state;
  table_in<v2::State>(Bytes(frame).subspan(wire::frame_header_bytes)).UnPackTo(&state);
  for (const auto& update : state.updates)
    if (is_record_of(*update, self)) rewrite_record(update->record);
  add_paused(state.updates, self);
  while (true) {
    Builder builder;
    builder.Finish(v2::State::Pack(builder, &state), "QSYN");
    if (builder.GetSize() <= wire::control_frame_bytes_max) return with_body(frame, built(builder));
    CHECK(remove_paused(state.updates) || drop_last(state.updates, self));
  }
}

ByteBuffer news_frame() {
  const ByteBuffer body(dance_step_bytes, std::byte{7});
  ByteBuffer frame = wire::encode_frame(wire::FrameType::Credit, 1, body);
  frame[type_at] = dance_step;
  return frame;
}

}  // namespace

ByteBuffer record_of_next_version(Bytes record) {
  const auto& table = table_in<v2::PeerRecord>(record);
  ByteBuffer whole = written(table, true);
  if (whole.size() <= wire::record_bytes_max) return whole;
  ByteBuffer silent = written(table, false);
  CHECK(silent.size() <= wire::record_bytes_max, silent.size());
  return silent;
}

bool is_record_of_next_version(Bytes record) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(record.data()),
                                 record.size());
  return verifier.VerifyBuffer<v2::PeerRecord>("QREC") &&
         table_in<v2::PeerRecord>(record).v2_mood() != nullptr;
}

ByteBuffer datagram_of_next_version(Bytes datagram) {
  v2::DatagramT body;
  table_in<v2::Datagram>(datagram.subspan(wire::envelope_bytes)).UnPackTo(&body);
  CHECK(body.sender != nullptr);
  for (const auto& update : body.updates)
    if (is_record_of(*update, *body.sender)) rewrite_record(update->record);
  const std::uint64_t drawn = hash_of(datagram);
  rewrite_statuses(body, drawn);
  add_news(body, drawn);
  for (bool has_news = true;; has_news = false) {
    Builder builder(wire::datagram_body_bytes_max);
    builder.Finish(v2::Datagram::Pack(builder, &body), "QDGM");
    if (builder.GetSize() <= wire::datagram_body_bytes_max) {
      return joined(datagram.first(wire::envelope_bytes), built(builder));
    }
    if (has_news) {
      remove_news(body);
    } else if (!drop_last(body.updates, *body.sender)) {
      CHECK(!body.statuses.empty());
      body.statuses.pop_back();
    }
  }
}

ByteBuffer frame_of_next_version(ByteBuffer frame, PeerId sender) {
  CHECK(frame.size() >= wire::frame_header_bytes, frame.size());
  const auto type = static_cast<wire::FrameType>(frame[type_at]);
  if (type == wire::FrameType::Hello) frame = hello_of_next_version(frame);
  if (type == wire::FrameType::State) frame = state_of_next_version(frame, sender);
  const auto sequence = wire::load_little<std::uint32_t>(frame.data() + sequence_at);
  if (sequence > 0) {
    wire::store_little(frame.data() + sequence_at, sequence + 1);
    return frame;
  }
  return joined(frame, news_frame());
}

}  // namespace quadrille::sim
