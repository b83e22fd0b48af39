#include "wire/exchange_messages.hpp"

#include <exchange_generated.h>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
constexpr std::size_t builder_bytes = 256;  // enough for all but a PayloadBegin

template <class Root>
ByteBuffer finish(Builder& builder, flatbuffers::Offset<Root> root) {
  return finished(builder, root, flat::SubscribeIdentifier());
}

template <class Root>
Result<Verified<Root>> open(Bytes body) {
  return verified<Root>(body, flat::SubscribeIdentifier());
}

Failure too_long(std::uint64_t bytes) {
  return failure(ErrorCode::Limit, std::to_string(bytes) + " bytes are announced; at most " +
                                       std::to_string(object_bytes_max));
}

}  // namespace

ByteBuffer encode(const ChunkHead& head) {
  ByteBuffer bytes(chunk_head_bytes);
  store_little(bytes.data(), head.transfer);
  store_little(bytes.data() + 4, head.offset);
  return bytes;
}

Result<Chunk> decode_chunk(Bytes body) {
  if (body.size() < chunk_head_bytes || body.size() > chunk_head_bytes + chunk_bytes_max)
    return corrupt("Chunk", "it has " + std::to_string(body.size()) + " bytes");
  const Chunk chunk{.head = {.transfer = load_little<std::uint32_t>(body.data()),
                             .offset = load_little<std::uint64_t>(body.data() + 4)},
                    .bytes = body.subspan(chunk_head_bytes)};
  if (chunk.head.offset > object_bytes_max - chunk.bytes.size())
    return corrupt("Chunk", "at offset " + std::to_string(chunk.head.offset));
  return chunk;
}

ByteBuffer encode(const Subscribe& message) {
  Builder builder(builder_bytes);
  const flat::EdgeId edge = flat_of(message.edge);
  return finish(builder, flat::CreateSubscribe(builder, &edge, message.version, message.checksum,
                                               message.degree));
}

Result<Subscribe> decode_subscribe(Bytes body) {
  TRY(root, open<flat::Subscribe>(body));
  return Subscribe{.edge = value_of(root->edge()),
                   .version = root->version(),
                   .checksum = root->checksum(),
                   .degree = root->degree()};
}

ByteBuffer encode(const Unsubscribe& message) {
  Builder builder(builder_bytes);
  const flat::EdgeId edge = flat_of(message.edge);
  return finish(builder, flat::CreateUnsubscribe(builder, &edge));
}

Result<Unsubscribe> decode_unsubscribe(Bytes body) {
  TRY(root, open<flat::Unsubscribe>(body));
  return Unsubscribe{.edge = value_of(root->edge())};
}

ByteBuffer encode(const PayloadBegin& message) {
  CHECK(message.bytes <= object_bytes_max, message.bytes);
  CHECK(message.exact.size() <= exact_bytes_max, message.exact.size());
  Builder builder(builder_bytes + message.exact.size());
  const auto exact = write_bytes(builder, message.exact);
  const flat::EdgeId edge = flat_of(message.edge);
  const flat::Round round = flat_of(message.round);
  const flat::Round heard = flat_of(message.heard.value_or(Round{}));
  return finish(builder, flat::CreatePayloadBegin(builder, &edge, message.transfer, &round,
                                                  message.degree, message.heard ? &heard : nullptr,
                                                  message.base_version, message.base_checksum,
                                                  message.version, message.bytes, exact));
}

Result<PayloadBegin> decode_payload_begin(Bytes body) {
  TRY(root, open<flat::PayloadBegin>(body));
  const Bytes exact = value_of(root->exact());
  if (root->bytes() > object_bytes_max) return too_long(root->bytes());
  if (exact.size() > exact_bytes_max)
    return corrupt("PayloadBegin", "an exact part of " + std::to_string(exact.size()) + " bytes");
  PayloadBegin message{.edge = value_of(root->edge()),
                       .transfer = root->transfer(),
                       .round = value_of(root->round()),
                       .degree = root->degree(),
                       .heard = std::nullopt,
                       .base_version = root->base_version(),
                       .base_checksum = root->base_checksum(),
                       .version = root->version(),
                       .bytes = root->bytes(),
                       .exact = {exact.begin(), exact.end()}};
  if (root->heard() != nullptr) message.heard = value_of(root->heard());
  return message;
}

ByteBuffer encode(const Credit& message) {
  Builder builder(builder_bytes);
  return finish(builder, flat::CreateCredit(builder, message.bytes));
}

Result<Credit> decode_credit(Bytes body) {
  TRY(root, open<flat::Credit>(body));
  return Credit{.bytes = root->bytes()};
}

ByteBuffer encode(const PayloadApplied& message) {
  Builder builder(builder_bytes);
  const flat::EdgeId edge = flat_of(message.edge);
  return finish(builder, flat::CreatePayloadApplied(builder, &edge, message.version));
}

Result<PayloadApplied> decode_payload_applied(Bytes body) {
  TRY(root, open<flat::PayloadApplied>(body));
  return PayloadApplied{.edge = value_of(root->edge()), .version = root->version()};
}

ByteBuffer encode(const PayloadRefused& message) {
  Builder builder(builder_bytes);
  const flat::EdgeId edge = flat_of(message.edge);
  return finish(builder,
                flat::CreatePayloadRefused(builder, &edge, message.version,
                                           static_cast<flat::PayloadFault>(message.fault)));
}

Result<PayloadRefused> decode_payload_refused(Bytes body) {
  TRY(root, open<flat::PayloadRefused>(body));
  return PayloadRefused{.edge = value_of(root->edge()),
                        .version = root->version(),
                        .fault = enum_of<PayloadFault::OutOfNorm>(root->fault())};
}

ByteBuffer encode(const ObjectQuery& message) {
  Builder builder(builder_bytes);
  return finish(builder, flat::CreateObjectQuery(builder, message.request,
                                                 static_cast<flat::ObjectKind>(message.kind),
                                                 message.cell.value));
}

Result<ObjectQuery> decode_object_query(Bytes body) {
  TRY(root, open<flat::ObjectQuery>(body));
  return ObjectQuery{.request = root->request(),
                     .kind = enum_of<ObjectKind::Sheet>(root->kind()),
                     .cell = {root->cell()}};
}

ByteBuffer encode(const ObjectInfo& message) {
  Builder builder(builder_bytes);
  const flat::Round round = flat_of(message.round);
  return finish(builder, flat::CreateObjectInfo(builder, message.request, message.found, &round));
}

Result<ObjectInfo> decode_object_info(Bytes body) {
  TRY(root, open<flat::ObjectInfo>(body));
  return ObjectInfo{
      .request = root->request(), .found = root->found(), .round = value_of(root->round())};
}

ByteBuffer encode(const ObjectRequest& message) {
  Builder builder(builder_bytes);
  return finish(builder, flat::CreateObjectRequest(builder, message.request,
                                                   static_cast<flat::ObjectKind>(message.kind),
                                                   message.cell.value, message.hand_over));
}

Result<ObjectRequest> decode_object_request(Bytes body) {
  TRY(root, open<flat::ObjectRequest>(body));
  return ObjectRequest{.request = root->request(),
                       .kind = enum_of<ObjectKind::Sheet>(root->kind()),
                       .cell = {root->cell()},
                       .hand_over = root->hand_over()};
}

ByteBuffer encode(const ObjectBegin& message) {
  CHECK(message.bytes <= object_bytes_max, message.bytes);
  Builder builder(builder_bytes);
  const flat::Round round = flat_of(message.round);
  return finish(builder, flat::CreateObjectBegin(builder, message.request, message.transfer, &round,
                                                 message.bytes, message.checksum));
}

Result<ObjectBegin> decode_object_begin(Bytes body) {
  TRY(root, open<flat::ObjectBegin>(body));
  if (root->bytes() > object_bytes_max) return too_long(root->bytes());
  return ObjectBegin{.request = root->request(),
                     .transfer = root->transfer(),
                     .round = value_of(root->round()),
                     .bytes = root->bytes(),
                     .checksum = root->checksum()};
}

ByteBuffer encode(const DirectBegin& message) {
  CHECK(message.bytes <= object_bytes_max, message.bytes);
  Builder builder(builder_bytes);
  const flat::Round round = flat_of(message.round);
  return finish(builder, flat::CreateDirectBegin(builder, message.from.value, message.to.value,
                                                 message.transfer, &round, message.bytes));
}

Result<DirectBegin> decode_direct_begin(Bytes body) {
  TRY(root, open<flat::DirectBegin>(body));
  if (root->bytes() > object_bytes_max) return too_long(root->bytes());
  return DirectBegin{.from = {root->from()},
                     .to = {root->to()},
                     .transfer = root->transfer(),
                     .round = value_of(root->round()),
                     .bytes = root->bytes()};
}

}  // namespace quadrille::wire
