#include "wire/samples.hpp"

#include <algorithm>
#include <string>

#include "base/check.hpp"
#include "wire/limits.hpp"

namespace quadrille::wire::test {
namespace {

// Small numbers, large ones, and 0, which FlatBuffers leaves out.
std::uint64_t any_u64(RandomStream& random) {
  return random.next_u64() >> (random.below(4) * 16);
}
std::uint32_t any_u32(RandomStream& random) {
  return static_cast<std::uint32_t>(any_u64(random));
}
std::uint16_t any_u16(RandomStream& random) {
  return static_cast<std::uint16_t>(any_u64(random));
}
bool any_bool(RandomStream& random) {
  return random.below(2) == 1;
}

template <auto last>
auto any_enum(RandomStream& random) {
  return static_cast<decltype(last)>(random.below(static_cast<std::uint32_t>(last) + 1));
}

ByteBuffer any_bytes(RandomStream& random, std::size_t count_max) {
  ByteBuffer bytes(random.below(static_cast<std::uint32_t>(count_max) + 1));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}

std::string any_line(RandomStream& random, std::size_t bytes_max) {
  constexpr std::string_view characters[] = {"a", "Z", "-", " ", "\u00e9", "\u20ac", "\U0001f40e"};
  std::string line;
  while (random.below(12) != 0) {
    const std::string_view next = characters[random.below(std::size(characters))];
    if (line.size() + next.size() > bytes_max) break;
    line += next;
  }
  return line;
}

RunId any_run(RandomStream& random) {
  return {.high = any_u64(random), .low = any_u64(random)};
}
Round any_round(RandomStream& random) {
  return {.index = any_u64(random), .subround = any_u32(random)};
}
CellIndex any_cell(RandomStream& random) {
  return {random.below(cells_max)};
}
EdgeId any_edge(RandomStream& random) {
  return {.source = any_cell(random), .reader = any_cell(random)};
}
std::uint16_t any_side(RandomStream& random) {
  return static_cast<std::uint16_t>(1 + random.below(grid_side_max));
}
GridEpoch any_grid(RandomStream& random) {
  return {.epoch = any_u32(random), .rows = any_side(random), .columns = any_side(random)};
}

std::vector<ClaimRun> any_claims(RandomStream& random) {
  std::vector<ClaimRun> claims(random.below(claim_runs_max + 1));
  std::uint32_t next = 0;
  for (ClaimRun& claim : claims) {
    claim = {.first = next + random.below(100),
             .count = 1 + random.below(100),
             .stamp = any_u64(random)};
    next = claim.first + claim.count;
  }
  return claims;
}

// Of some of the claims one cell each.
std::vector<CellYield> any_yields(RandomStream& random, std::span<const ClaimRun> claims) {
  std::vector<CellYield> yields;
  for (const ClaimRun& claim : claims)
    if (yields.size() < yields_max && random.below(4) == 0)
      yields.push_back(
          {.first = claim.first + random.below(claim.count), .count = 1, .to = any_peer(random)});
  return yields;
}

float any_float(RandomStream& random) {
  return static_cast<float>(random.normal() * 1e3);
}

Hello any_hello(RandomStream& random) {
  Hello hello{.version_min = any_u16(random),
              .version_max = any_u16(random),
              .run = any_run(random),
              .sender = any_peer(random),
              .purpose = any_enum<StreamPurpose::Watch>(random),
              .features = any_u64(random),
              .record = any_bytes(random, record_bytes_max)};
  if (hello.version_min > hello.version_max) std::swap(hello.version_min, hello.version_max);
  return hello;
}
Welcome any_welcome(RandomStream& random) {
  return {.version = any_u16(random),
          .run = any_run(random),
          .sender = any_peer(random),
          .features = any_u64(random)};
}
Refusal any_refusal(RandomStream& random) {
  return {.reason = any_enum<RefusalReason::Leaving>(random),
          .text = any_line(random, reason_bytes_max),
          .run = any_run(random)};
}
RunSpecText any_run_spec(RandomStream& random) {
  return {.run = any_run(random), .toml = "[run]\n\tname = \"" + any_line(random, 64) + "\"\r\n"};
}
std::size_t any_digest_size(RandomStream& random) {
  return digest_buckets_min << random.below(9);
}
Digest any_digest(RandomStream& random) {
  Digest digest{std::vector<std::uint64_t>(any_digest_size(random))};
  for (std::uint64_t& bucket : digest.buckets) bucket = any_u64(random);
  return digest;
}
State any_state(RandomStream& random) {
  State state;
  state.updates.resize(random.below(20));
  for (Update& update : state.updates) update = any_update(random);
  return state;
}
StateEnd any_state_end(RandomStream& random) {
  StateEnd end{std::vector<bool>(any_digest_size(random))};
  for (std::size_t bucket = 0; bucket < end.differing.size(); ++bucket)
    end.differing[bucket] = any_bool(random);
  return end;
}

Subscribe any_subscribe(RandomStream& random) {
  return {.edge = any_edge(random),
          .version = any_u64(random),
          .checksum = any_u64(random),
          .degree = any_u16(random)};
}
Unsubscribe any_unsubscribe(RandomStream& random) {
  return {.edge = any_edge(random)};
}
PayloadBegin any_payload_begin(RandomStream& random) {
  PayloadBegin begin{.edge = any_edge(random),
                     .transfer = any_u32(random),
                     .round = any_round(random),
                     .degree = any_u16(random),
                     .heard = std::nullopt,
                     .base_version = any_u64(random),
                     .base_checksum = any_u64(random),
                     .version = any_u64(random),
                     .bytes = any_u64(random) % (object_bytes_max + 1),
                     .exact = any_bytes(random, exact_bytes_max)};
  if (any_bool(random)) begin.heard = any_round(random);
  return begin;
}
Credit any_credit(RandomStream& random) {
  return {.bytes = any_u64(random)};
}
PayloadApplied any_payload_applied(RandomStream& random) {
  return {.edge = any_edge(random), .version = any_u64(random)};
}
PayloadRefused any_payload_refused(RandomStream& random) {
  return {.edge = any_edge(random),
          .version = any_u64(random),
          .fault = any_enum<PayloadFault::OutOfNorm>(random)};
}
ObjectQuery any_object_query(RandomStream& random) {
  return {.request = any_u32(random),
          .kind = any_enum<ObjectKind::Sheet>(random),
          .cell = any_cell(random)};
}
ObjectInfo any_object_info(RandomStream& random) {
  return {.request = any_u32(random), .found = any_bool(random), .round = any_round(random)};
}
ObjectRequest any_object_request(RandomStream& random) {
  return {.request = any_u32(random),
          .kind = any_enum<ObjectKind::Sheet>(random),
          .cell = any_cell(random),
          .hand_over = any_bool(random)};
}
ObjectBegin any_object_begin(RandomStream& random) {
  return {.request = any_u32(random),
          .transfer = any_u32(random),
          .round = any_round(random),
          .bytes = any_u64(random) % (object_bytes_max + 1),
          .checksum = any_u64(random)};
}
DirectBegin any_direct_begin(RandomStream& random) {
  return {.from = any_cell(random),
          .to = any_cell(random),
          .transfer = any_u32(random),
          .round = any_round(random),
          .bytes = any_u64(random) % (object_bytes_max + 1)};
}

WatchBegin any_watch_begin(RandomStream& random) {
  return {.run = any_run(random),
          .watched = any_peer(random),
          .run_name = any_line(random, reason_bytes_max),
          .grid = any_grid(random),
          .column_stride = any_side(random)};
}
WatchMembers any_watch_members(RandomStream& random) {
  WatchMembers message;
  message.members.resize(random.below(20));
  for (WatchedMember& member : message.members)
    member = {.state = any_enum<MemberState::Left>(random),
              .id = any_peer(random),
              .since_seconds = any_u32(random),
              .record = any_bytes(random, record_bytes_max)};
  return message;
}
WatchStatuses any_watch_statuses(RandomStream& random) {
  WatchStatuses message;
  message.statuses.resize(random.below(50));
  for (CellStatus& status : message.statuses) status = any_status(random);
  return message;
}
WatchEvents any_watch_events(RandomStream& random) {
  WatchEvents message;
  message.events.resize(random.below(20));
  for (WatchEvent& event : message.events)
    event = {.sequence = any_u64(random),
             .unix_milliseconds = any_u64(random),
             .kind = any_enum<EventKind::Notice>(random),
             .peer = any_peer(random),
             .cell = random.below(2) == 0 ? std::nullopt : std::optional(any_cell(random)),
             .text = any_line(random, reason_bytes_max)};
  return message;
}

template <auto any, auto decode>
ByteBuffer sample(RandomStream& random) {
  const auto message = any(random);
  ByteBuffer body = encode(message);
  const auto decoded = decode(body);
  CHECK(decoded.has_value(), decoded.error().detail);
  CHECK(*decoded == message);
  return body;
}

template <auto decode>
Result<ByteBuffer> rewrite(Bytes body) {
  TRY(message, decode(body));
  return encode(message);
}

template <auto any, auto decode>
constexpr BodyKind body_kind(std::string_view name, std::optional<FrameType> frame) {
  return {name, frame, sample<any, decode>, rewrite<decode>};
}

// Their order is the first byte of the fuzzer's inputs: append.
constexpr BodyKind bodies[] = {
    body_kind<any_record, decode_peer_record>("record", {}),
    body_kind<any_hello, decode_hello>("hello", FrameType::Hello),
    body_kind<any_welcome, decode_welcome>("welcome", FrameType::Welcome),
    body_kind<any_refusal, decode_refusal>("refusal", FrameType::Refusal),
    body_kind<any_run_spec, decode_run_spec>("run-spec", FrameType::RunSpec),
    body_kind<any_digest, decode_digest>("digest", FrameType::Digest),
    body_kind<any_state, decode_state>("state", FrameType::State),
    body_kind<any_state_end, decode_state_end>("state-end", FrameType::StateEnd),
    body_kind<any_subscribe, decode_subscribe>("subscribe", FrameType::Subscribe),
    body_kind<any_unsubscribe, decode_unsubscribe>("unsubscribe", FrameType::Unsubscribe),
    body_kind<any_payload_begin, decode_payload_begin>("payload-begin", FrameType::PayloadBegin),
    body_kind<any_credit, decode_credit>("credit", FrameType::Credit),
    body_kind<any_payload_applied, decode_payload_applied>("payload-applied",
                                                           FrameType::PayloadApplied),
    body_kind<any_payload_refused, decode_payload_refused>("payload-refused",
                                                           FrameType::PayloadRefused),
    body_kind<any_object_query, decode_object_query>("object-query", FrameType::ObjectQuery),
    body_kind<any_object_info, decode_object_info>("object-info", FrameType::ObjectInfo),
    body_kind<any_object_request, decode_object_request>("object-request",
                                                         FrameType::ObjectRequest),
    body_kind<any_object_begin, decode_object_begin>("object-begin", FrameType::ObjectBegin),
    body_kind<any_direct_begin, decode_direct_begin>("direct-begin", FrameType::DirectBegin),
    body_kind<any_watch_begin, decode_watch_begin>("watch-begin", FrameType::WatchBegin),
    body_kind<any_watch_members, decode_watch_members>("watch-members", FrameType::WatchMembers),
    body_kind<any_watch_statuses, decode_watch_statuses>("watch-statuses",
                                                         FrameType::WatchStatuses),
    body_kind<any_watch_events, decode_watch_events>("watch-events", FrameType::WatchEvents),
};

}  // namespace

PeerId any_peer(RandomStream& random) {
  return {.high = any_u64(random), .low = any_u64(random)};
}

Endpoint any_endpoint(RandomStream& random) {
  Endpoint endpoint = Endpoint::v4(random.next_u32(), 0);
  if (any_bool(random))
    for (std::uint8_t& byte : endpoint.address) byte = static_cast<std::uint8_t>(random.below(256));
  endpoint.port = static_cast<std::uint16_t>(1 + random.below(0xFFFF));
  if (!endpoint.is_of_one_host()) return any_endpoint(random);
  return endpoint;
}

PeerRecord any_record(RandomStream& random) {
  PeerRecord record{.id = any_peer(random),
                    .incarnation = any_u64(random),
                    .version = any_u32(random),
                    .name = any_line(random, name_bytes_max),
                    .zone = any_line(random, zone_bytes_max),
                    .endpoints = std::vector<Endpoint>(1 + random.below(endpoints_max)),
                    .capacity = any_u32(random),
                    .leaving = any_bool(random),
                    .features = any_u64(random),
                    .grid = any_grid(random),
                    .claims = any_claims(random),
                    .yields = {},
                    .signature = ByteBuffer(any_bool(random) ? signature_bytes : 0)};
  for (Endpoint& endpoint : record.endpoints) endpoint = any_endpoint(random);
  for (std::byte& byte : record.signature) byte = static_cast<std::byte>(random.below(256));
  record.yields = any_yields(random, record.claims);
  return record;
}

Message any_message(RandomStream& random) {
  switch (random.below(8)) {
    case 0:
      return Ping{.sequence = any_u32(random), .target = any_peer(random)};
    case 1:
      return PingRequest{.sequence = any_u32(random),
                         .target = any_peer(random),
                         .endpoint = any_endpoint(random)};
    case 2:
      return Ack{.sequence = any_u32(random)};
    case 3:
      return Nack{.sequence = any_u32(random)};
    case 4:
      return CompareViews{.view_hash = any_u64(random), .is_answer = any_bool(random)};
    case 5:
      return YieldRequest{.sequence = any_u32(random), .cells_held = any_u32(random)};
    case 6:
      return YieldReply{.sequence = any_u32(random), .granted = any_bool(random)};
    default:
      return Gossip{};
  }
}

CellStatus any_status(RandomStream& random) {
  return {.cell = any_cell(random),
          .owner = any_peer(random),
          .sequence = any_u32(random),
          .round = any_u64(random),
          .generator_fitness = any_float(random),
          .discriminator_fitness = any_float(random),
          .score = any_float(random),
          .sent_bytes_per_second = any_u32(random),
          .age_seconds = any_u16(random),
          .device = any_enum<DeviceKind::Cuda>(random),
          .phase = any_enum<CellPhase::Failed>(random)};
}

Update any_update(RandomStream& random) {
  Update update{.kind = any_enum<UpdateKind::Left>(random),
                .subject = any_peer(random),
                .incarnation = any_u64(random),
                .version = any_u32(random),
                .accuser = any_bool(random) ? any_peer(random) : PeerId{},
                .record = {}};
  if (update.kind == UpdateKind::Alive) {
    update.record = any_bytes(random, any_bool(random) ? record_bytes_max : 200);
    if (update.record.empty()) update.record.resize(1);
  }
  return update;
}

Datagram any_datagram(RandomStream& random) {
  Datagram datagram{.run = any_run(random),
                    .sender = any_peer(random),
                    .incarnation = any_u64(random),
                    .message = any_message(random),
                    .updates = {},
                    .statuses = std::vector<CellStatus>(random.below(statuses_max + 1))};
  for (CellStatus& status : datagram.statuses) status = any_status(random);
  std::size_t bytes = datagram_overhead_bytes + cell_status_bytes * datagram.statuses.size();
  while (datagram.updates.size() < updates_max && random.below(20) != 0) {
    Update update = any_update(random);
    bytes += encoded_bytes_bound(update);
    if (bytes > datagram_body_bytes_max) break;
    datagram.updates.push_back(std::move(update));
  }
  return datagram;
}

PeerRecord largest_record() {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  PeerRecord record{
      .id = {.high = all, .low = all},
      .incarnation = all,
      .version = ~0U,
      .name = std::string(name_bytes_max, 'n'),
      .zone = std::string(zone_bytes_max, 'z'),
      .endpoints = std::vector<Endpoint>(endpoints_max, Endpoint::v4(0xDFFFFFFF, 0xFFFF)),
      .capacity = ~0U,
      .leaving = true,
      .features = all,
      .grid = {.epoch = ~0U, .rows = grid_side_max, .columns = grid_side_max},
      .claims = {},
      .yields = {},
      .signature = ByteBuffer(signature_bytes, std::byte{0xFF})};
  for (std::uint32_t run = 0; run < claim_runs_max; ++run)
    record.claims.push_back({.first = 10 * run, .count = 10, .stamp = all});
  for (std::uint32_t run = 0; run < yields_max; ++run)
    record.yields.push_back({.first = 10 * run, .count = 10, .to = record.id});
  return record;
}

std::span<const BodyKind> every_body() {
  return bodies;
}

}  // namespace quadrille::wire::test
