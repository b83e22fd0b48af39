// One probe, from the ping to the verdict, and the pings that are sent for others.
#include "peer/membership/prober.hpp"

#include <boost/test/unit_test.hpp>

#include "peer/membership/relays.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(prober)

namespace {

const Prober::Plan plan = {
    .target = id_of(7), .sequence = 42, .help_at = at(milliseconds(500)), .end_at = at(seconds(1))};

Prober begun() {
  Prober prober;
  prober.begin(plan);
  return prober;
}

// With helpers 1, 2 and 3 asked.
Prober helped() {
  Prober prober = begun();
  BOOST_REQUIRE(prober.take_call_for_help(plan.help_at).has_value());
  for (std::uint64_t helper = 1; helper <= 3; ++helper) prober.add_helper(id_of(helper));
  return prober;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_ack_of_the_target_ends_it) {
  Prober prober = begun();
  BOOST_TEST((prober.wake_at() == plan.help_at));
  BOOST_TEST(prober.on_ack(42, id_of(7)));
  BOOST_TEST(!prober.on_ack(42, id_of(7)));
  BOOST_TEST(!prober.wake_at().has_value());
  BOOST_TEST(!prober.take_call_for_help(at(seconds(5))).has_value());
  BOOST_TEST(!prober.take_verdict(at(seconds(5))).has_value());
}

BOOST_AUTO_TEST_CASE(acks_of_others_and_of_earlier_probes_do_not) {
  Prober prober = helped();
  BOOST_TEST(!prober.on_ack(41, id_of(7)));
  BOOST_TEST(!prober.on_ack(42, id_of(8)));
  BOOST_TEST(prober.take_verdict(plan.end_at).has_value());
}

BOOST_AUTO_TEST_CASE(a_helpers_ack_ends_it) {
  Prober prober = helped();
  BOOST_TEST(prober.on_ack(42, id_of(2)));
}

BOOST_AUTO_TEST_CASE(help_is_called_for_once_and_not_before_its_time) {
  Prober prober = begun();
  BOOST_TEST(!prober.take_call_for_help(at(milliseconds(499))).has_value());
  BOOST_TEST(prober.take_call_for_help(at(milliseconds(500)))->target == id_of(7));
  BOOST_TEST(!prober.take_call_for_help(at(milliseconds(600))).has_value());
  BOOST_TEST((prober.wake_at() == plan.end_at));
}

BOOST_AUTO_TEST_CASE(the_verdict_tells_helpers_that_have_no_answer_from_those_that_are_silent) {
  Prober prober = helped();
  prober.on_nack(42, id_of(1));
  prober.on_nack(42, id_of(1));
  prober.on_nack(42, id_of(9));  // was not asked
  prober.on_nack(41, id_of(2));  // of another probe
  BOOST_TEST(!prober.take_verdict(at(milliseconds(999))).has_value());
  const auto verdict = prober.take_verdict(plan.end_at);
  BOOST_REQUIRE(verdict.has_value());
  BOOST_TEST(verdict->target == id_of(7));
  BOOST_TEST(verdict->helpers == 3u);
  BOOST_TEST(verdict->silent_helpers == 2u);
  BOOST_TEST(!verdict->heard_by_stream);
  BOOST_TEST(!prober.take_verdict(at(seconds(2))).has_value());
}

BOOST_AUTO_TEST_CASE(an_answer_by_stream_is_told_apart) {
  Prober prober = helped();
  prober.on_stream_answer(id_of(8));
  Prober heard = prober;
  heard.on_stream_answer(id_of(7));
  BOOST_TEST(!prober.take_verdict(plan.end_at)->heard_by_stream);
  BOOST_TEST(heard.take_verdict(plan.end_at)->heard_by_stream);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(relays)

namespace {

Relay relay(std::uint32_t sequence) {
  return {.sequence = sequence,
          .target = id_of(7),
          .asker = id_of(1),
          .asker_endpoint = endpoint_of(1),
          .asker_sequence = 1000 + sequence,
          .deadline = at(milliseconds(400 + sequence))};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_targets_answer_goes_back_to_who_asked_once) {
  Relays relays;
  relays.begin(relay(1));
  relays.begin(relay(2));
  BOOST_TEST(!relays.take_answered(2, id_of(8)).has_value());
  const auto answered = relays.take_answered(2, id_of(7));
  BOOST_REQUIRE(answered.has_value());
  BOOST_TEST(answered->asker_sequence == 1002u);
  BOOST_TEST(!relays.take_answered(2, id_of(7)).has_value());
}

BOOST_AUTO_TEST_CASE(those_without_answer_are_due_in_turn) {
  Relays relays;
  BOOST_TEST(!relays.wake_at().has_value());
  relays.begin(relay(1));
  relays.begin(relay(2));
  BOOST_TEST((relays.wake_at() == at(milliseconds(401))));
  BOOST_TEST(!relays.take_due(at(milliseconds(400))).has_value());
  BOOST_TEST(relays.take_due(at(milliseconds(401)))->sequence == 1u);
  BOOST_TEST(!relays.take_due(at(milliseconds(401))).has_value());
}

BOOST_AUTO_TEST_CASE(so_many_are_under_way_and_no_more) {
  Relays relays;
  for (std::uint32_t sequence = 0; sequence < relays_max; ++sequence) {
    BOOST_REQUIRE(!relays.full());
    relays.begin(relay(sequence));
  }
  BOOST_TEST(relays.full());
  BOOST_TEST(relays.take_answered(0, id_of(7)).has_value());
  BOOST_TEST(!relays.full());
}

BOOST_AUTO_TEST_SUITE_END()
