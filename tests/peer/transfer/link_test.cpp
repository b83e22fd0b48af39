// Chunks under credit: a chunk of each transfer in turn, nothing beyond what the receiver granted,
// and nothing believed that the sender claims.
#include "peer/transfer/link.hpp"

#include <boost/test/unit_test.hpp>

#include "base/hash.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(links)

namespace {

constexpr StreamId stream{2};
constexpr TimePoint start{};

Payload payload_of(std::size_t bytes) {
  ByteBuffer buffer(bytes);
  for (std::size_t i = 0; i < bytes; ++i) buffer[i] = std::byte(mix64(i) & 0xFF);
  return std::make_shared<const ByteBuffer>(std::move(buffer));
}

// A chunk as the other end decodes it.
wire::Chunk chunk_of(const OutFrame& frame) {
  const wire::Chunk head = wire::decode_chunk(frame.body).value();
  return {.head = head.head,
          .bytes = frame.tail ? Bytes(*frame.tail).subspan(frame.tail_offset, frame.tail_bytes)
                              : Bytes()};
}

std::vector<std::uint32_t> transfers_of(const std::vector<OutFrame>& frames) {
  std::vector<std::uint32_t> numbers;
  for (const OutFrame& frame : frames)
    if (frame.type == wire::FrameType::Chunk) numbers.push_back(chunk_of(frame).head.transfer);
  return numbers;
}

std::uint64_t credit_in(const std::vector<OutFrame>& frames) {
  std::uint64_t bytes = 0;
  for (const OutFrame& frame : frames)
    if (frame.type == wire::FrameType::Credit)
      bytes += wire::decode_credit(frame.body).value().bytes;
  return bytes;
}

constexpr std::size_t chunk = OutgoingLink::chunk_bytes;

// A receiver that granted its window.
struct Receiver {
  Receiver() { link.grant_first_credit(frames); }
  ErrorCode refusal(const wire::ChunkHead& head, const ByteBuffer& bytes) {
    const auto taken = link.take({.head = head, .bytes = bytes}, start, frames);
    BOOST_REQUIRE(!taken.has_value());
    return taken.error().code;
  }
  IncomingLink link{stream};
  std::vector<OutFrame> frames;
};

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_is_sent_without_credit) {
  OutgoingLink link(stream);
  std::vector<OutFrame> out;
  link.begin(wire::PayloadBegin{}, payload_of(3 * chunk), out);
  BOOST_TEST(out.size() == 1U);
  BOOST_TEST(link.on_credit({chunk - 1}, out));
  BOOST_TEST(out.size() == 1U);
  BOOST_TEST(link.on_credit({chunk + 1}, out));
  BOOST_TEST(out.size() == 3U);
  BOOST_TEST(link.sent_bytes() == 2 * chunk);
  BOOST_TEST(link.carries(1));
  BOOST_TEST(link.on_credit({chunk}, out));
  BOOST_TEST(!link.carries(1));
}

BOOST_AUTO_TEST_CASE(each_transfer_sends_one_chunk_in_turn) {
  OutgoingLink link(stream);
  std::vector<OutFrame> out;
  link.begin(wire::PayloadBegin{}, payload_of(3 * chunk), out);
  link.begin(wire::PayloadBegin{}, payload_of(chunk + 1), out);
  link.begin(wire::DirectBegin{}, payload_of(10), out);
  BOOST_TEST(link.on_credit({10 * chunk}, out));
  BOOST_TEST(transfers_of(out) == (std::vector<std::uint32_t>{1, 2, 3, 1, 2, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cancelled_transfer_sends_nothing_more) {
  OutgoingLink link(stream);
  std::vector<OutFrame> out;
  link.begin(wire::PayloadBegin{}, payload_of(3 * chunk), out);
  link.begin(wire::PayloadBegin{}, payload_of(2 * chunk), out);
  BOOST_TEST(link.on_credit({chunk}, out));
  link.cancel(1);
  BOOST_TEST(link.on_credit({10 * chunk}, out));
  BOOST_TEST(transfers_of(out) == (std::vector<std::uint32_t>{1, 2, 2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(credit_beyond_what_anybody_grants_is_not_taken) {
  OutgoingLink link(stream);
  std::vector<OutFrame> out;
  BOOST_TEST(link.on_credit({wire::credit_bytes_max}, out));
  BOOST_TEST(!link.on_credit({1}, out));
  BOOST_TEST(!link.on_credit({~std::uint64_t{0}}, out));
}

BOOST_AUTO_TEST_CASE(a_link_is_full_with_1024_transfers) {
  OutgoingLink link(stream);
  std::vector<OutFrame> out;
  const Payload payload = payload_of(1);
  for (std::size_t i = 0; i < wire::transfers_max; ++i) {
    BOOST_TEST_REQUIRE(!link.full());
    link.begin(wire::DirectBegin{}, payload, out);
  }
  BOOST_TEST(link.full());
  BOOST_TEST(link.on_credit({1}, out));
  BOOST_TEST(!link.full());
}

BOOST_AUTO_TEST_CASE(payloads_of_every_size_arrive_whole) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, chunk - 1, chunk, chunk + 1, 5 * chunk + 7}) {
    OutgoingLink sender(stream);
    Receiver receiver;
    std::vector<OutFrame> out;
    const Payload sent = payload_of(bytes);
    sender.begin(wire::PayloadBegin{}, sent, out);
    BOOST_TEST(sender.on_credit({IncomingLink::credit_window_bytes}, out));
    BOOST_REQUIRE(receiver.link.begin(1, bytes, start).has_value());
    Payload arrived;
    for (const OutFrame& frame : out) {
      if (frame.type != wire::FrameType::Chunk) continue;
      BOOST_TEST(arrived == nullptr);
      arrived =
          receiver.link.take(chunk_of(frame), start, receiver.frames).value().value_or(nullptr);
    }
    BOOST_TEST_REQUIRE(arrived != nullptr);
    BOOST_TEST((*arrived == *sent));
  }
}

BOOST_AUTO_TEST_CASE(credit_comes_back_as_chunks_are_taken) {
  Receiver receiver;
  BOOST_TEST(credit_in(receiver.frames) == IncomingLink::credit_window_bytes);
  constexpr std::uint64_t all = 20 * IncomingLink::credit_window_bytes;
  BOOST_REQUIRE(receiver.link.begin(1, all, start).has_value());
  const ByteBuffer bytes(chunk);
  for (std::uint64_t offset = 0; offset < all; offset += chunk)
    BOOST_TEST_REQUIRE(
        receiver.link.take({.head = {1, offset}, .bytes = bytes}, start, receiver.frames)
            .has_value());
  BOOST_TEST(credit_in(receiver.frames) == IncomingLink::credit_window_bytes + all);
  BOOST_TEST(receiver.frames.size() == 1 + all / IncomingLink::credit_return_bytes);
}

BOOST_AUTO_TEST_CASE(chunks_without_credit_are_refused) {
  IncomingLink link(stream);
  std::vector<OutFrame> out;
  BOOST_REQUIRE(link.begin(1, 100, start).has_value());
  const ByteBuffer bytes(10);
  BOOST_TEST(!link.take({.head = {1, 0}, .bytes = bytes}, start, out).has_value());
}

BOOST_AUTO_TEST_CASE(a_chunk_that_cannot_be_is_refused) {
  Receiver receiver;
  BOOST_REQUIRE(receiver.link.begin(7, 100, start).has_value());
  BOOST_TEST((receiver.refusal({8, 0}, ByteBuffer(10)) == ErrorCode::Corrupt));   // no such
  BOOST_TEST((receiver.refusal({7, 10}, ByteBuffer(10)) == ErrorCode::Corrupt));  // a gap
  BOOST_TEST((receiver.refusal({7, 0}, ByteBuffer(101)) == ErrorCode::Corrupt));  // too long
  BOOST_TEST((receiver.refusal({7, 0}, ByteBuffer()) == ErrorCode::Corrupt));     // for ever
  BOOST_TEST((receiver.link.begin(7, 1, start).error().code == ErrorCode::Corrupt));
  BOOST_TEST(
      (receiver.link.begin(8, wire::object_bytes_max + 1, start).error().code == ErrorCode::Limit));
}

BOOST_AUTO_TEST_CASE(transfers_at_once_are_limited) {
  Receiver receiver;
  for (std::uint32_t i = 0; i < wire::transfers_max; ++i)
    BOOST_TEST_REQUIRE(receiver.link.begin(i, wire::object_bytes_max, start).has_value());
  BOOST_TEST((receiver.link.begin(5000, 1, start).error().code == ErrorCode::Limit));
}

BOOST_AUTO_TEST_CASE(what_comes_of_an_abandoned_transfer_is_dropped) {
  Receiver receiver;
  const ByteBuffer bytes(10);
  for (std::uint32_t i = 0; i <= IncomingLink::abandoned_max; ++i) {
    BOOST_TEST_REQUIRE(receiver.link.begin(i, 100, start).has_value());
    receiver.link.abandon(i);
  }
  const auto taken = receiver.link.take({.head = {1, 50}, .bytes = bytes}, start, receiver.frames);
  BOOST_TEST_REQUIRE(taken.has_value());
  BOOST_TEST(!taken->has_value());
  BOOST_TEST(!receiver.link.stalls_at().has_value());
  // The first of them is forgotten by now.
  BOOST_TEST((receiver.refusal({0, 0}, bytes) == ErrorCode::Corrupt));
  // A number that is used again is a new transfer.
  BOOST_REQUIRE(receiver.link.begin(1, 10, start).has_value());
  BOOST_TEST(receiver.link.take({.head = {1, 0}, .bytes = bytes}, start, receiver.frames)
                 .value()
                 .has_value());
}

BOOST_AUTO_TEST_CASE(bytes_of_any_transfer_put_the_stall_off) {
  Receiver receiver;
  const ByteBuffer bytes(10);
  BOOST_TEST(!receiver.link.stalls_at().has_value());
  BOOST_REQUIRE(receiver.link.begin(1, 10, start).has_value());
  BOOST_REQUIRE(receiver.link.begin(2, 100, start).has_value());
  const TimePoint later = start + std::chrono::seconds(9);
  BOOST_TEST(
      receiver.link.take({.head = {2, 0}, .bytes = bytes}, later, receiver.frames).has_value());
  BOOST_TEST((receiver.link.stalls_at() == later + IncomingLink::stall_max));
}

BOOST_AUTO_TEST_SUITE_END()
