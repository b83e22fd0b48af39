// What a reader gets next follows from what it holds, what the replica is, and what is kept.
#include "peer/exchange/sending_edge.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;
using namespace quadrille::peer;
using wire::PayloadFault;

BOOST_AUTO_TEST_SUITE(sending_edges)

namespace {

constexpr EdgeId edge{.source = {3}, .reader = {4}};
using Step = SendingEdgeState::Step;

// A state with the worker behind it: a replica that counts, with checksum 100 + version.
struct Sender {
  explicit Sender(bool synchronous = false) : state(edge, synchronous) {}

  // Carries the encoding out; the round that it asked for, or the newest.
  EncodePayload encode(Round newest) {
    const EncodePayload command = state.start_encoding();
    BOOST_TEST((state.next() == Step::None));
    const bool moves = version == 0 || !command.keyframe;
    PayloadEncoded encoded;
    encoded.edge = edge;
    if (moves) {
      round = command.round.value_or(newest);
      encoded.base_version = version;
      encoded.base_checksum = version == 0 ? 0 : 100 + version;
      ++version;
    }
    encoded.round = round;
    encoded.version = version;
    encoded.checksum = 100 + version;
    encoded.payload = std::make_shared<const ByteBuffer>(8);
    state.on_encoded(encoded);
    return command;
  }
  wire::PayloadBegin send() { return state.start_sending(1, 4); }
  // The first state, acknowledged.
  void begin() {
    state.mark({1});
    state.on_reader({});
    encode({1});
    send();
    BOOST_TEST_REQUIRE(state.on_applied(1));
  }

  SendingEdgeState state;
  std::uint64_t version = 0;
  Round round;
};

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_is_encoded_before_somebody_reads_and_something_was_published) {
  Sender sender;
  sender.state.on_reader({});
  BOOST_TEST((sender.state.next() == Step::None));
  sender.state.on_reader_lost();
  sender.state.mark({1});
  BOOST_TEST((sender.state.next() == Step::None));
  sender.state.on_reader({});
  BOOST_TEST((sender.state.next() == Step::Encode));
}

BOOST_AUTO_TEST_CASE(the_first_payload_is_the_first_state) {
  Sender sender;
  sender.state.mark({1});
  sender.state.on_reader({});
  BOOST_TEST(sender.encode({1}).keyframe);
  const wire::PayloadBegin begin = sender.send();
  BOOST_TEST(begin.base_version == 0U);
  BOOST_TEST(begin.version == 1U);
  BOOST_TEST(begin.degree == 4U);
  BOOST_TEST(begin.bytes == 8U);
}

BOOST_AUTO_TEST_CASE(one_payload_is_on_its_way_and_missed_rounds_merge) {
  Sender sender;
  sender.begin();
  sender.state.mark({2});
  BOOST_TEST(!sender.encode({2}).keyframe);
  sender.send();
  for (std::uint64_t round = 3; round < 9; ++round) {
    sender.state.mark({round});
    BOOST_TEST((sender.state.next() == Step::None));
  }
  BOOST_TEST(sender.state.on_applied(2));
  BOOST_TEST(!sender.encode({8}).round.has_value());
  const wire::PayloadBegin begin = sender.send();
  BOOST_TEST(begin.round == Round{8});
  BOOST_TEST(begin.base_version == 2U);
  BOOST_TEST(sender.state.on_applied(3));
  BOOST_TEST((sender.state.next() == Step::None));
}

BOOST_AUTO_TEST_CASE(a_round_that_was_encoded_before_it_was_reported_is_not_encoded_again) {
  Sender sender;
  sender.begin();
  sender.state.mark({2});
  sender.encode({3});
  sender.send();
  sender.state.mark({3});
  BOOST_TEST(sender.state.on_applied(2));
  BOOST_TEST((sender.state.next() == Step::None));
}

BOOST_AUTO_TEST_CASE(in_synchronous_mode_every_round_goes_in_turn) {
  Sender sender(true);
  sender.begin();
  for (std::uint64_t round = 2; round < 6; ++round) sender.state.mark({round});
  for (std::uint64_t round = 2; round < 6; ++round) {
    BOOST_TEST((sender.encode({99}).round == Round{round}));
    sender.send();
    BOOST_TEST(sender.state.on_applied(round));
  }
  BOOST_TEST((sender.state.next() == Step::None));
}

BOOST_AUTO_TEST_CASE(of_too_many_waiting_rounds_the_oldest_is_given_up) {
  Sender sender(true);
  sender.begin();
  for (std::uint64_t round = 2; round < 3 + rounds_waiting_max; ++round) sender.state.mark({round});
  BOOST_TEST((sender.encode({99}).round == Round{3}));
}

BOOST_AUTO_TEST_CASE(after_a_broken_stream_the_payload_on_its_way_is_sent_again) {
  Sender sender;
  sender.begin();
  sender.state.mark({2});
  sender.encode({2});
  const wire::PayloadBegin first = sender.send();
  sender.state.on_reader_lost();
  sender.state.mark({3});
  BOOST_TEST((sender.state.next() == Step::None));
  sender.state.on_reader({1, 101});
  BOOST_TEST((sender.state.next() == Step::Send));
  BOOST_TEST((sender.send() == first));
}

BOOST_AUTO_TEST_CASE(a_reader_that_holds_the_replica_goes_on_with_a_difference) {
  Sender sender;
  sender.begin();
  sender.state.mark({2});
  sender.encode({2});
  sender.send();
  sender.state.on_reader_lost();  // with its acknowledgement
  sender.state.on_reader({2, 102});
  BOOST_TEST((sender.state.next() == Step::None));
  sender.state.mark({3});
  BOOST_TEST(!sender.encode({3}).keyframe);
  BOOST_TEST(sender.send().base_version == 2U);
}

BOOST_AUTO_TEST_CASE(a_reader_that_holds_anything_else_gets_the_replica_as_it_is) {
  for (const EdgeVersion held : {EdgeVersion{}, {1, 999}, {2, 999}, {7, 107}}) {
    Sender sender;
    sender.begin();
    sender.state.mark({2});
    sender.encode({2});
    sender.send();
    sender.state.mark({3});
    sender.state.on_reader(held);
    BOOST_TEST(sender.encode({3}).keyframe);
    const wire::PayloadBegin begin = sender.send();
    BOOST_TEST(begin.base_version == 0U);
    BOOST_TEST(begin.version == 2U);
    BOOST_TEST(begin.round == Round{2});
    BOOST_TEST(sender.state.on_applied(2));
    BOOST_TEST(!sender.encode({3}).keyframe);
  }
}

// An adopter publishes what it adopted once more, under a later round: same bits, another round.
BOOST_AUTO_TEST_CASE(a_reader_that_happens_to_hold_the_same_bits_is_sent_them_all_the_same) {
  Sender sender;
  sender.state.mark({9});
  sender.state.on_reader({1, 101});
  BOOST_TEST(sender.encode({9}).keyframe);
  BOOST_TEST((sender.state.next() == Step::Send));
  BOOST_TEST(sender.send().round == Round{9});
}

BOOST_AUTO_TEST_CASE(a_reader_that_changes_while_the_worker_encodes_is_judged_afterwards) {
  Sender sender;
  sender.begin();
  sender.state.mark({2});
  sender.state.start_encoding();
  sender.state.on_reader({});
  BOOST_TEST((sender.state.next() == Step::None));
  sender.state.on_encoded({.edge = edge,
                           .round = {2},
                           .base_version = 1,
                           .base_checksum = 101,
                           .version = 2,
                           .checksum = 102,
                           .heard = {},
                           .payload = std::make_shared<const ByteBuffer>(8),
                           .exact = {}});
  BOOST_TEST(sender.state.start_encoding().keyframe);
}

BOOST_AUTO_TEST_CASE(a_difference_that_does_not_fit_or_was_damaged_is_mended_by_one_keyframe) {
  for (const PayloadFault fault : {PayloadFault::Mismatch, PayloadFault::Corrupt}) {
    Sender sender;
    sender.begin();
    sender.state.mark({2});
    sender.encode({2});
    sender.send();
    BOOST_TEST(sender.state.on_refused(2, fault));
    BOOST_TEST(sender.encode({2}).keyframe);
    BOOST_TEST(sender.send().version == 2U);
    // And if that is refused as well, then not before there is something new.
    BOOST_TEST(sender.state.on_refused(2, fault));
    BOOST_TEST((sender.state.next() == Step::None));
    sender.state.mark({3});
    BOOST_TEST(!sender.encode({3}).keyframe);  // the replica moves first
    BOOST_TEST(sender.encode({3}).keyframe);
    BOOST_TEST(sender.send().version == 3U);
  }
}

BOOST_AUTO_TEST_CASE(weights_that_the_reader_does_not_want_are_not_offered_again) {
  for (const PayloadFault fault :
       {PayloadFault::NotFinite, PayloadFault::OutOfNorm, PayloadFault::Unknown}) {
    Sender sender;
    sender.begin();
    sender.state.mark({2});
    sender.encode({2});
    sender.send();
    BOOST_TEST(sender.state.on_refused(2, fault));
    BOOST_TEST((sender.state.next() == Step::None));
    sender.state.mark({3});
    sender.encode({3});
    BOOST_TEST(sender.encode({3}).keyframe);
    const wire::PayloadBegin begin = sender.send();
    BOOST_TEST(begin.base_version == 0U);
    BOOST_TEST(begin.round == Round{3});
  }
}

BOOST_AUTO_TEST_CASE(what_could_not_be_encoded_waits_for_the_next_round) {
  Sender sender;
  sender.begin();
  sender.state.mark({2});
  sender.state.start_encoding();
  sender.state.on_encoded(
      {.edge = edge, .round = {2}, .heard = {}, .payload = nullptr, .exact = {}});
  BOOST_TEST((sender.state.next() == Step::None));
  sender.state.mark({3});
  BOOST_TEST(!sender.encode({3}).keyframe);
  BOOST_TEST(sender.send().base_version == 1U);
}

BOOST_AUTO_TEST_CASE(answers_to_what_is_not_on_its_way_are_told_apart) {
  Sender sender;
  sender.begin();
  BOOST_TEST(!sender.state.on_applied(1));
  sender.state.mark({2});
  sender.encode({2});
  sender.send();
  BOOST_TEST(!sender.state.on_applied(1));
  BOOST_TEST(!sender.state.on_applied(3));
  BOOST_TEST(!sender.state.on_refused(3, PayloadFault::Mismatch));
  BOOST_TEST(sender.state.on_applied(2));
}

BOOST_AUTO_TEST_SUITE_END()
