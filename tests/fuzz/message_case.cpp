#include "fuzz/message_case.hpp"

#include <algorithm>
#include <variant>

#include "base/check.hpp"
#include "wire/datagram.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"
#include "wire/samples.hpp"

namespace quadrille::fuzz {
namespace {

void body_case(const wire::test::BodyKind& kind, Bytes body) {
  const auto once = kind.rewrite(body);
  if (!once) return;
  const auto twice = kind.rewrite(*once);
  CHECK(twice.has_value(), kind.name);
  CHECK(*twice == *once, kind.name);
}

// What may be passed on is passed on in the bytes that it came in, beside what this version knows.
void datagram_case(Bytes bytes) {
  auto datagram = wire::decode_datagram(bytes);
  if (!datagram) return;
  if (std::holds_alternative<std::monostate>(datagram->message)) datagram->message = wire::Gossip{};
  std::size_t bound =
      wire::datagram_overhead_bytes + wire::cell_status_bytes * datagram->statuses.size();
  for (const wire::Update& update : datagram->updates) {
    (void)wire::decode_peer_record(update.record);
    bound += wire::encoded_bytes_bound(update);
  }
  if (bound > wire::datagram_body_bytes_max) return;
  const ByteBuffer once = wire::encode(*datagram);
  const auto decoded = wire::decode_datagram(once);
  CHECK(decoded.has_value());
  CHECK(wire::encode(*decoded) == once);
}

void chunk_case(Bytes body) {
  const auto chunk = wire::decode_chunk(body);
  if (!chunk) return;
  ByteBuffer again = wire::encode(chunk->head);
  again.insert(again.end(), chunk->bytes.begin(), chunk->bytes.end());
  CHECK(std::ranges::equal(again, body));
}

}  // namespace

void message_case(Bytes input) {
  if (input.empty()) return;
  const auto bodies = wire::test::every_body();
  const std::size_t choice = std::to_integer<std::size_t>(input[0]) % (bodies.size() + 2);
  const Bytes rest = input.subspan(1);
  if (choice < bodies.size())
    body_case(bodies[choice], rest);
  else if (choice == bodies.size())
    datagram_case(rest);
  else
    chunk_case(rest);
}

}  // namespace quadrille::fuzz
