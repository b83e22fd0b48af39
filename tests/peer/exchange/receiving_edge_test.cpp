// One payload of an edge at a time: what it may be, and what became of it.
#include "peer/exchange/receiving_edge.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;
using namespace quadrille::peer;
using wire::PayloadFault;

BOOST_AUTO_TEST_SUITE(receiving_edges)

namespace {

constexpr EdgeId edge{.source = {3}, .reader = {4}};
using Phase = ReceivingEdgeState::Phase;

struct Reader {
  Reader() { state.subscribe(4); }

  wire::PayloadBegin keyframe(std::uint64_t version, Round round) const {
    return {.edge = edge,
            .round = round,
            .degree = 3,
            .heard = Round{7},
            .version = version,
            .bytes = 8,
            .exact = {}};
  }
  wire::PayloadBegin difference(std::uint64_t version, Round round) const {
    wire::PayloadBegin begin = keyframe(version, round);
    begin.base_version = version - 1;
    begin.base_checksum = 100 + version - 1;
    return begin;
  }
  // All the way to the worker, which says yes or no.
  std::optional<ReaderMessage> take(const wire::PayloadBegin& begin,
                                    std::optional<PayloadFault> fault = {}) {
    BOOST_TEST_REQUIRE(state.on_begin(begin, now).value());
    state.on_complete(std::make_shared<const ByteBuffer>(8));
    BOOST_TEST(state.start_applying().version == begin.version);
    now = now + std::chrono::milliseconds(5);
    return state.on_taken({.edge = edge,
                           .round = begin.round,
                           .version = begin.version,
                           .checksum = 100 + begin.version,
                           .fault = fault},
                          now);
  }

  ReceivingEdgeState state{edge};
  TimePoint now;
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_applied_is_acknowledged_and_counted) {
  Reader reader;
  BOOST_TEST((reader.take(reader.keyframe(1, {2})) ==
              ReaderMessage(wire::PayloadApplied{.edge = edge, .version = 1})));
  reader.take(reader.difference(2, {5}));
  reader.take(reader.difference(3, {5, 3}));
  const EdgeStatistics& statistics = reader.state.statistics();
  BOOST_TEST(statistics.payloads == 3U);
  BOOST_TEST(statistics.keyframes == 1U);
  BOOST_TEST(statistics.bytes == 24U);
  BOOST_TEST(statistics.rounds_merged == 2U + 2U);
  BOOST_TEST(statistics.newest == (Round{5, 3}));
  BOOST_TEST((statistics.last_delay == std::chrono::milliseconds(5)));
  BOOST_TEST(reader.state.source_degree() == 3U);
  BOOST_TEST(*reader.state.heard() == Round{7});
  const wire::Subscribe again = reader.state.subscribe(4);
  BOOST_TEST(again.version == 3U);
  BOOST_TEST(again.checksum == 103U);
}

BOOST_AUTO_TEST_CASE(the_worker_holds_two_rounds_and_one_while_it_applies) {
  Reader reader;
  reader.take(reader.keyframe(1, {1}));
  reader.take(reader.difference(2, {2}));
  BOOST_TEST(*reader.state.rounds().previous == Round{1});
  BOOST_TEST(*reader.state.rounds().newest == Round{2});
  BOOST_TEST(reader.state.on_begin(reader.difference(3, {3}), reader.now).value());
  reader.state.on_complete(std::make_shared<const ByteBuffer>(8));
  BOOST_TEST(*reader.state.rounds().previous == Round{1});
  reader.state.start_applying();
  BOOST_TEST(!reader.state.rounds().previous.has_value());
  BOOST_TEST(*reader.state.rounds().newest == Round{2});
}

BOOST_AUTO_TEST_CASE(a_refused_payload_leaves_the_newest_round) {
  Reader reader;
  reader.take(reader.keyframe(1, {1}));
  reader.take(reader.difference(2, {2}));
  BOOST_TEST((reader.take(reader.difference(3, {3}), PayloadFault::NotFinite) ==
              ReaderMessage(wire::PayloadRefused{
                  .edge = edge, .version = 3, .fault = PayloadFault::NotFinite})));
  BOOST_TEST(*reader.state.rounds().newest == Round{2});
  BOOST_TEST(!reader.state.rounds().previous.has_value());
  BOOST_TEST(reader.state.statistics().faults == 1U);
  BOOST_TEST(reader.state.subscribe(4).version == 2U);
}

BOOST_AUTO_TEST_CASE(a_difference_against_something_else_is_not_wanted) {
  Reader reader;
  reader.take(reader.keyframe(1, {1}));
  wire::PayloadBegin begin = reader.difference(2, {2});
  begin.base_checksum ^= 1;
  BOOST_TEST(!reader.state.on_begin(begin, reader.now).value());
  BOOST_TEST((reader.state.refuse(PayloadFault::Mismatch, reader.now) ==
              ReaderMessage(wire::PayloadRefused{
                  .edge = edge, .version = 2, .fault = PayloadFault::Mismatch})));
  BOOST_TEST(reader.state.on_begin(reader.keyframe(2, {2}), reader.now).value());
}

BOOST_AUTO_TEST_CASE(no_sender_begins_what_cannot_follow) {
  const auto refused = [](Reader& reader, const wire::PayloadBegin& begin) {
    return !reader.state.on_begin(begin, reader.now).has_value();
  };
  Reader reader;
  BOOST_TEST(refused(reader, reader.keyframe(0, {1})));
  reader.take(reader.keyframe(3, {1}));
  reader.take(reader.difference(4, {2}));
  BOOST_TEST(refused(reader, reader.difference(3, {3})));
  wire::PayloadBegin backwards = reader.difference(5, {3});
  backwards.base_version = 5;
  BOOST_TEST(refused(reader, backwards));
  BOOST_TEST(reader.state.on_begin(reader.difference(5, {3}), reader.now).value());
  BOOST_TEST(refused(reader, reader.keyframe(6, {3})));  // before an answer
}

BOOST_AUTO_TEST_CASE(a_keyframe_may_begin_the_count_anew) {
  Reader reader;
  reader.take(reader.keyframe(30, {1}));
  reader.take(reader.keyframe(1, {2}));
  BOOST_TEST(reader.take(reader.difference(2, {3})).has_value());
}

BOOST_AUTO_TEST_CASE(a_lost_line_loses_the_payload_under_way_but_not_one_with_the_worker) {
  Reader reader;
  BOOST_TEST(reader.state.on_begin(reader.keyframe(1, {1}), reader.now).value());
  reader.state.on_line_lost();
  BOOST_TEST((reader.state.phase() == Phase::Idle));
  reader.state.subscribe(4);
  BOOST_TEST(reader.state.on_begin(reader.keyframe(1, {1}), reader.now).value());
  reader.state.on_complete(std::make_shared<const ByteBuffer>(8));
  reader.state.on_line_lost();
  BOOST_TEST((reader.state.phase() == Phase::Idle));
  reader.state.subscribe(4);
  BOOST_TEST(reader.state.on_begin(reader.keyframe(1, {1}), reader.now).value());
  reader.state.on_complete(std::make_shared<const ByteBuffer>(8));
  reader.state.start_applying();
  reader.state.on_line_lost();
  BOOST_TEST((reader.state.phase() == Phase::Applying));
}

BOOST_AUTO_TEST_CASE(the_third_fault_of_ten_is_answered_after_the_quarantine) {
  Reader reader;
  reader.take(reader.keyframe(1, {1}));
  std::uint64_t version = 1;
  // Two faults with eight good ones between them, and on: never three of ten.
  for (int i = 0; i < 40; ++i) {
    const bool is_bad = i % 5 == 0;
    const auto fault = is_bad ? std::optional(PayloadFault::OutOfNorm) : std::nullopt;
    BOOST_TEST(reader.take(reader.keyframe(++version, {version}), fault).has_value());
  }
  BOOST_TEST(
      reader.take(reader.keyframe(++version, {version}), PayloadFault::NotFinite).has_value());
  const auto answer = reader.take(reader.keyframe(++version, {version}), PayloadFault::NotFinite);
  BOOST_TEST(!answer.has_value());
  BOOST_TEST((reader.state.phase() == Phase::Quarantined));
  BOOST_TEST((*reader.state.quarantined_until() == reader.now + ReceivingEdgeState::quarantine));
  BOOST_TEST((reader.state.end_quarantine() ==
              ReaderMessage(wire::PayloadRefused{
                  .edge = edge, .version = version, .fault = PayloadFault::NotFinite})));
  BOOST_TEST(!reader.state.quarantined_until().has_value());
  // It begins with a clean slate.
  BOOST_TEST(
      reader.take(reader.keyframe(++version, {version}), PayloadFault::NotFinite).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
