#include "fuzz/fuzzed_input.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/hash.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::fuzz {
namespace {

// What the peer's incarnation and those of the records begin with.
constexpr std::uint64_t first_incarnation = 1000;

// Mostly what a small view has, and goes on with; else any that there can be.
std::size_t digest_size(std::uint8_t what) {
  return wire::digest_buckets_min << (what < 128 ? 0 : what % 9U);
}

}  // namespace

wire::Endpoint fuzzed_address(std::uint32_t number) {
  return wire::Endpoint::v4(0x0A000001U + number, 7746);
}

std::uint8_t FuzzedInput::byte() {
  if (bytes_.empty()) return 0;
  const auto value = std::to_integer<std::uint8_t>(bytes_.front());
  bytes_ = bytes_.subspan(1);
  return value;
}

ByteBuffer FuzzedInput::raw() {
  const std::size_t wanted = byte();
  const std::size_t count = std::min(wanted, bytes_.size());
  ByteBuffer bytes(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
  bytes_ = bytes_.subspan(count);
  return bytes;
}

PeerId FuzzedInput::id(std::uint32_t number) const {
  return number == 0 ? self_ : PeerId{.high = 0, .low = number};
}

// Claims are ascending runs of small cells, and a yield is the front of one of them.
wire::PeerRecord FuzzedInput::record(std::uint32_t number) {
  const std::uint8_t shape = byte();
  wire::PeerRecord record{.id = id(number),
                          .incarnation = first_incarnation + shape % 4U,
                          .version = byte() % 8U,
                          .name = "p" + std::to_string(number),
                          .endpoints = {fuzzed_address(number)},
                          .capacity = shape / 16U,
                          .leaving = (shape & 4U) != 0};
  record.grid = {.epoch = 0, .rows = 2, .columns = 2};
  const std::uint8_t claims = byte();
  for (std::uint32_t cell = 0; cell < 4; ++cell)
    if ((claims >> cell & 1U) != 0)
      record.claims.push_back({.first = cell, .count = 1, .stamp = 1U + (claims >> 6U)});
  if ((shape & 8U) != 0 && !record.claims.empty())
    record.yields.push_back(
        {.first = record.claims.front().first, .count = 1, .to = id(byte() % (partners + 1))});
  return record;
}

wire::Update FuzzedInput::update() {
  const std::uint8_t what = byte();
  const std::uint32_t subject = what / 8U % (partners + 1);
  wire::Update update{.kind = static_cast<wire::UpdateKind>(what % 5U),
                      .subject = id(subject),
                      .incarnation = first_incarnation + what / 64U,
                      .record = {}};
  if (update.kind == wire::UpdateKind::Alive) {
    const wire::PeerRecord said = record(subject);
    update.incarnation = said.incarnation;
    update.version = said.version;
    update.record = wire::encode(said);
  } else if (update.kind == wire::UpdateKind::Suspect || update.kind == wire::UpdateKind::Dead) {
    update.accuser = id(byte() % (partners + 1));
  }
  return update;
}

wire::Message FuzzedInput::message(std::uint32_t last_ping) {
  const std::uint8_t what = byte();
  const std::uint32_t sequence = (what & 8U) != 0 ? last_ping : what / 16U;
  const PeerId target = id(what / 16U % (partners + 1));
  switch (what % 8U) {
    case 0:
      return wire::Gossip{};
    case 1:
      return wire::Ping{.sequence = sequence, .target = target};
    case 2:
      return wire::PingRequest{
          .sequence = sequence, .target = target, .endpoint = fuzzed_address(what / 16U)};
    case 3:
      return wire::Ack{.sequence = sequence};
    case 4:
      return wire::Nack{.sequence = sequence};
    case 5:
      return wire::CompareViews{.view_hash = what, .is_answer = (what & 16U) != 0};
    case 6:
      return wire::YieldRequest{.sequence = sequence, .cells_held = what / 32U};
    default:
      return wire::YieldReply{.sequence = sequence, .granted = (what & 16U) != 0};
  }
}

wire::CellStatus FuzzedInput::status() {
  const std::uint8_t what = byte();
  return {.cell = cell(),
          .owner = id(what % (partners + 1)),
          .sequence = what / 8U,
          .round = byte(),
          .age_seconds = byte()};
}

wire::Hello FuzzedInput::hello(std::uint32_t partner, wire::StreamPurpose purpose) {
  wire::Hello hello{.version_min = wire::protocol_version_min,
                    .version_max = wire::protocol_version_max,
                    .run = fuzzed_run,
                    .sender = id(partner),
                    .purpose = purpose,
                    .record = {}};
  const std::uint8_t what = byte();
  if (what == 255) hello.run = {};
  if (what == 254) hello.run = {.high = 9, .low = 9};
  if (what == 253) hello.version_min = hello.version_max = 9;
  if (what == 252) hello.sender = self_;
  if (what % 2U == 1) hello.record = wire::encode(record(partner));
  return hello;
}

ByteBuffer FuzzedInput::body(wire::FrameType type) {
  using enum wire::FrameType;
  switch (type) {
    case Digest: {
      const std::uint8_t what = byte();
      return wire::encode(wire::Digest{std::vector<std::uint64_t>(digest_size(what), what)});
    }
    case State: {
      wire::State state;
      for (std::uint32_t left = byte() % 4U; left > 0; --left) state.updates.push_back(update());
      return wire::encode(state);
    }
    case StateEnd: {
      const std::uint8_t what = byte();
      return wire::encode(wire::StateEnd{std::vector<bool>(digest_size(what), what % 2U == 0)});
    }
    case Refusal:
      return wire::encode(
          wire::Refusal{.reason = static_cast<wire::RefusalReason>(byte() % 8U), .text = "no"});
    case Subscribe:
    case Unsubscribe:
    case PayloadBegin:
    case PayloadApplied:
    case PayloadRefused:
    case DirectBegin:
      return exchange_body(type);
    case Chunk:
    case Credit:
    case ObjectQuery:
    case ObjectInfo:
    case ObjectRequest:
    case ObjectBegin:
      return object_body(type);
    default:
      return raw();
  }
}

ByteBuffer FuzzedInput::exchange_body(wire::FrameType type) {
  using enum wire::FrameType;
  const wire::EdgeId edge{.source = cell(), .reader = cell()};
  const std::uint64_t version = byte() % 16U;
  const auto checksum = [](std::uint64_t of) { return of == 0 ? 0 : of + 99; };  // as the worker's
  switch (type) {
    case Subscribe:
      return wire::encode(wire::Subscribe{
          .edge = edge, .version = version, .checksum = checksum(version), .degree = 2});
    case Unsubscribe:
      return wire::encode(wire::Unsubscribe{edge});
    case PayloadBegin: {
      const std::uint64_t base = byte() % 16U;
      return wire::encode(wire::PayloadBegin{.edge = edge,
                                             .transfer = byte() % 8U,
                                             .round = round(),
                                             .base_version = base,
                                             .base_checksum = checksum(base),
                                             .version = version,
                                             .bytes = byte()});
    }
    case PayloadApplied:
      return wire::encode(wire::PayloadApplied{.edge = edge, .version = version});
    case PayloadRefused:
      return wire::encode(
          wire::PayloadRefused{.edge = edge,
                               .version = version,
                               .fault = static_cast<wire::PayloadFault>(1 + byte() % 4U)});
    default:
      return wire::encode(wire::DirectBegin{.from = edge.source,
                                            .to = edge.reader,
                                            .transfer = byte() % 8U,
                                            .round = round(),
                                            .bytes = byte()});
  }
}

ByteBuffer FuzzedInput::object_body(wire::FrameType type) {
  using enum wire::FrameType;
  if (type == Chunk) {
    ByteBuffer chunk = wire::encode(wire::ChunkHead{.transfer = byte() % 8U, .offset = byte()});
    chunk.resize(chunk.size() + byte(), std::byte{0x5A});
    return chunk;
  }
  if (type == Credit) return wire::encode(wire::Credit{.bytes = std::uint64_t{1} << byte() % 64U});
  const std::uint32_t request = byte() % 32U;
  const auto kind = static_cast<wire::ObjectKind>(byte() % 4U);
  switch (type) {
    case ObjectQuery:
      return wire::encode(wire::ObjectQuery{.request = request, .kind = kind, .cell = cell()});
    case ObjectInfo:
      return wire::encode(
          wire::ObjectInfo{.request = request, .found = byte() % 2U == 0, .round = round()});
    case ObjectRequest:
      return wire::encode(wire::ObjectRequest{
          .request = request, .kind = kind, .cell = cell(), .hand_over = byte() % 2U == 0});
    default: {
      const ByteBuffer object(byte(), std::byte{0x5A});
      return wire::encode(wire::ObjectBegin{.request = request,
                                            .transfer = byte() % 8U,
                                            .round = round(),
                                            .bytes = object.size(),
                                            .checksum = hash_of(object)});
    }
  }
}

}  // namespace quadrille::fuzz
