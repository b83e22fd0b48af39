// Two views become one over a stream of purpose Sync.
#include "peer/session/anti_entropy.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(anti_entropy)

namespace {

constexpr TimePoint now{1s};
constexpr StreamId stream{1};

PeerId peer(std::uint64_t number) {
  return {.high = number << 56U, .low = number};
}

wire::PeerRecord record(std::uint64_t number, std::uint64_t incarnation = 1000) {
  return {.id = peer(number),
          .incarnation = incarnation,
          .name = "p",
          .endpoints = {wire::Endpoint::v4(0x0A000000U + static_cast<std::uint32_t>(number), 7746)},
          .capacity = 1};
}

wire::Update alive(std::uint64_t number) {
  const wire::PeerRecord own = record(number);
  return {.kind = wire::UpdateKind::Alive,
          .subject = own.id,
          .incarnation = own.incarnation,
          .version = own.version,
          .record = wire::encode(own)};
}

wire::Digest empty_digest() {
  return {std::vector<std::uint64_t>(wire::digest_buckets_min)};
}

struct End {
  explicit End(std::uint64_t number)
      : membership({}, {.run = {.high = 1, .low = 1}, .record = record(number), .seeds = {}}, pool,
                   RandomStream(number)) {
    membership.start(now, changes);
  }
  void know(std::uint64_t number) { membership.merge({.updates = {alive(number)}}, now, changes); }

  RecordPool pool;
  MembershipOutput changes;
  Membership membership;
  AntiEntropy anti_entropy;
  std::vector<OutFrame> out;
  bool done = false;
  std::size_t updates_sent = 0;
};

Sessions::Party party(bool dialled) {
  return {.stream = stream, .purpose = wire::StreamPurpose::Sync, .dialled = dialled};
}

Result<AntiEntropy::Progress> give(End& to, bool dialled, wire::FrameType type, Bytes body) {
  const wire::Frame frame{.header = {.type = type}, .body = body};
  return to.anti_entropy.on_frame(party(dialled), frame, to.membership, now, to.changes, to.out);
}

void carry(End& from, End& to, bool to_dialler) {
  for (const OutFrame& frame : std::exchange(from.out, {})) {
    if (frame.type == wire::FrameType::State)
      from.updates_sent += wire::decode_state(frame.body)->updates.size();
    const auto progress = give(to, to_dialler, frame.type, frame.body);
    BOOST_REQUIRE(progress.has_value());
    to.done = *progress == AntiEntropy::Progress::Done;
  }
}

void converse(End& dialler, End& listener) {
  dialler.anti_entropy.on_opened(party(true), dialler.membership, now, dialler.out);
  listener.anti_entropy.on_opened(party(false), listener.membership, now, listener.out);
  carry(dialler, listener, false);
  carry(listener, dialler, true);
  carry(dialler, listener, false);
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_views_become_one) {
  End a(1);
  End b(2);
  a.know(3);
  b.know(4);
  b.know(5);
  converse(a, b);
  BOOST_TEST(a.done);
  BOOST_TEST(b.done);
  BOOST_TEST(a.membership.view().live_count() == 5U);
  BOOST_TEST(a.membership.view().hash() == b.membership.view().hash());
}

BOOST_AUTO_TEST_CASE(only_what_differs_is_sent_and_nothing_is_echoed) {
  End a(1);
  End b(2);
  for (std::uint64_t shared = 10; shared < 30; ++shared) {
    a.know(shared);
    b.know(shared);
  }
  a.know(2);
  b.know(1);
  b.know(40);
  converse(a, b);
  const std::size_t sent = b.updates_sent;  // with what shares its bucket
  BOOST_TEST(sent >= 1U);
  BOOST_TEST(sent <= 4U);
  BOOST_TEST(a.updates_sent == 0U);
  converse(a, b);
  BOOST_TEST(b.updates_sent == sent);
}

BOOST_AUTO_TEST_CASE(a_dialogue_that_does_not_begin_with_a_digest_is_refused) {
  End b(2);
  b.anti_entropy.on_opened(party(false), b.membership, now, b.out);
  const ByteBuffer state = wire::encode(wire::State{.updates = {alive(3)}});
  const auto progress = give(b, false, wire::FrameType::State, state);
  BOOST_REQUIRE(!progress.has_value());
  BOOST_CHECK(progress.error().code == ErrorCode::Corrupt);
  BOOST_TEST(b.membership.view().live_count() == 1U);
}

BOOST_AUTO_TEST_CASE(a_second_digest_and_frames_of_other_protocols_are_refused) {
  End b(2);
  b.anti_entropy.on_opened(party(false), b.membership, now, b.out);
  const ByteBuffer digest = wire::encode(empty_digest());
  BOOST_TEST(give(b, false, wire::FrameType::Digest, digest).has_value());
  BOOST_TEST(!give(b, false, wire::FrameType::Digest, digest).has_value());
  BOOST_TEST(!give(b, false, wire::FrameType::Credit, digest).has_value());
}

BOOST_AUTO_TEST_CASE(more_than_a_view_can_be_is_refused) {
  End b(2);
  b.anti_entropy.on_opened(party(false), b.membership, now, b.out);
  BOOST_REQUIRE(give(b, false, wire::FrameType::Digest, wire::encode(empty_digest())).has_value());
  const ByteBuffer state = wire::encode(wire::State{.updates = {alive(3)}});
  Result<AntiEntropy::Progress> progress = AntiEntropy::Progress::Going;
  std::size_t sent = 0;
  while (progress && sent <= wire::sync_bytes_max) {
    sent += state.size();
    progress = give(b, false, wire::FrameType::State, state);
  }
  BOOST_REQUIRE(!progress.has_value());
  BOOST_CHECK(progress.error().code == ErrorCode::Limit);
}

BOOST_AUTO_TEST_CASE(an_end_about_other_buckets_than_it_was_asked_for_is_refused) {
  End a(1);
  a.anti_entropy.on_opened(party(true), a.membership, now, a.out);
  BOOST_REQUIRE_EQUAL(a.membership.view().digest().buckets.size(), 16U);
  const ByteBuffer end = wire::encode(wire::StateEnd{std::vector<bool>(32, true)});
  const auto progress = give(a, true, wire::FrameType::StateEnd, end);
  BOOST_REQUIRE(!progress.has_value());
  BOOST_CHECK(progress.error().code == ErrorCode::Corrupt);
}

// As of ten thousand peers of which one has moved a cell.
BOOST_AUTO_TEST_CASE(of_large_views_that_differ_in_one_member_few_members_are_sent) {
  End a(1);
  End b(2);
  for (std::uint64_t shared = 10; shared < 2000; ++shared) {
    a.know(shared);
    b.know(shared);
  }
  a.know(2);
  b.know(1);
  b.know(2000);
  converse(a, b);
  BOOST_TEST(a.membership.view().hash() == b.membership.view().hash());
  BOOST_TEST(b.updates_sent >= 1U);
  BOOST_TEST(a.updates_sent + b.updates_sent < 16U);
}

BOOST_AUTO_TEST_CASE(a_dialogue_that_takes_too_long_is_overdue_until_it_ends) {
  End a(1);
  a.anti_entropy.on_opened(party(true), a.membership, now, a.out);
  BOOST_TEST((a.anti_entropy.wake_at() == now + AntiEntropy::deadline));
  BOOST_TEST(a.anti_entropy.overdue(now + AntiEntropy::deadline).size() == 1U);
  a.anti_entropy.on_ended(stream);
  BOOST_TEST(a.anti_entropy.overdue(now + AntiEntropy::deadline).empty());
  BOOST_TEST((a.anti_entropy.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_SUITE_END()
