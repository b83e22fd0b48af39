// When the gate opens.
#include "peer/placement/gate.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(gates)

namespace {

constexpr Gate::Options options = {.latest = std::chrono::seconds(12),
                                   .early_quiet = std::chrono::seconds(1)};
constexpr Gate::Options with_seeds = {.latest = std::chrono::seconds(12),
                                      .early_quiet = std::chrono::seconds(1),
                                      .sync = Gate::Sync::Needed};
constexpr Gate::Options with_old_friends = {.latest = std::chrono::seconds(12),
                                            .early_quiet = std::chrono::seconds(1),
                                            .sync = Gate::Sync::Hoped};

TimePoint at(int milliseconds) {
  return {std::chrono::milliseconds(milliseconds)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_opens_early_when_capacity_covers_the_grid_and_the_view_is_quiet) {
  Gate gate(options);
  gate.start(at(0));
  gate.note(at(500));
  BOOST_TEST((gate.due(true) == at(1500)));
  gate.update(true, at(1499));
  BOOST_TEST(!gate.is_open());
  gate.update(true, at(1500));
  BOOST_TEST((gate.state() == Gate::State::OpenedEarly));
  BOOST_TEST(!gate.due(true));
}

BOOST_AUTO_TEST_CASE(it_opens_late_when_capacity_does_not_cover_the_grid) {
  Gate gate(options);
  gate.start(at(0));
  gate.update(false, at(11'999));
  BOOST_TEST(!gate.is_open());
  gate.update(false, at(12'000));
  BOOST_TEST((gate.state() == Gate::State::OpenedLate));
}

BOOST_AUTO_TEST_CASE(it_opens_late_when_the_view_is_never_quiet) {
  Gate gate(options);
  gate.start(at(0));
  for (int time = 0; time < 12'000; time += 500) {
    gate.note(at(time));
    gate.update(true, at(time));
    BOOST_TEST(!gate.is_open());
  }
  gate.note(at(11'900));
  gate.update(true, at(12'000));
  BOOST_TEST((gate.state() == Gate::State::OpenedLate));
}

BOOST_AUTO_TEST_CASE(with_peers_that_may_be_gone_it_opens_early_after_a_sync_and_late_without) {
  Gate alone(with_old_friends);
  alone.start(at(0));
  BOOST_TEST((alone.due(true) == at(12'000)));
  alone.update(true, at(11'999));
  BOOST_TEST(!alone.is_open());
  alone.update(true, at(12'000));
  BOOST_TEST((alone.state() == Gate::State::OpenedLate));
  BOOST_TEST(!alone.synced());

  Gate joined(with_old_friends);
  joined.start(at(0));
  joined.on_synced();
  BOOST_TEST((joined.due(true) == at(1000)));
}

BOOST_AUTO_TEST_CASE(with_seeds_it_opens_only_after_a_sync) {
  Gate gate(with_seeds);
  gate.start(at(0));
  gate.update(true, at(100'000));
  BOOST_TEST(!gate.is_open());
  BOOST_TEST(!gate.due(true));
  gate.on_synced();
  gate.update(true, at(100'000));
  BOOST_TEST(gate.is_open());
}

BOOST_AUTO_TEST_CASE(a_sync_that_was_needed_may_turn_out_to_be_hoped_for_only) {
  Gate gate(with_seeds);
  gate.start(at(0));
  gate.update(true, at(20'000));
  BOOST_TEST(!gate.is_open());
  gate.hope();
  BOOST_TEST((gate.due(true) == at(12'000)));
  gate.update(true, at(20'000));
  BOOST_TEST((gate.state() == Gate::State::OpenedLate));

  Gate without(options);
  without.hope();  // there is nothing to wait for
  BOOST_TEST(without.synced());
}

BOOST_AUTO_TEST_CASE(it_stays_open) {
  Gate gate(options);
  gate.start(at(0));
  gate.update(true, at(1000));
  gate.note(at(1100));
  gate.update(false, at(1200));
  BOOST_TEST(gate.is_open());
}

BOOST_AUTO_TEST_CASE(before_the_start_it_is_shut) {
  Gate gate(options);
  gate.update(true, at(100'000));
  BOOST_TEST(!gate.is_open());
}

BOOST_AUTO_TEST_SUITE_END()
