// Plans follow from the seed alone, and make sense.
#include "sim/fault_plan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <set>
#include <utility>

#include "base/random.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(fault_plan)

namespace {

std::vector<Fault> plan_of(std::uint64_t seed) {
  RandomStream random(seed);
  const FaultRates rates = draw_rates(random);
  std::vector<Fault> plan = draw_plan(rates, 20, {}, random);
  add_version_changes(draw_versions(random), plan, random);
  return plan;
}

std::vector<std::string> lines_of(const std::vector<Fault>& plan) {
  std::vector<std::string> lines;
  for (const Fault& fault : plan) lines.push_back(text_of(fault));
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_seed_gives_one_plan_and_another_gives_another) {
  BOOST_TEST(lines_of(plan_of(1)) == lines_of(plan_of(1)));
  BOOST_TEST(lines_of(plan_of(1)) != lines_of(plan_of(2)));
}

BOOST_AUTO_TEST_CASE(a_fault_says_all_that_it_goes_by_and_nothing_else) {
  const auto text = [](FaultKind kind) {
    const TimePoint at{std::chrono::milliseconds(1500)};
    return text_of({.at = at, .kind = kind, .node = 9, .other = 0, .amount = 0.25});
  };
  BOOST_TEST(text(FaultKind::KillProcess) == "1.5 s: kill process host 9");
  BOOST_TEST(text(FaultKind::Isolate) == "1.5 s: isolate host 9");
  BOOST_TEST(text(FaultKind::Mute) == "1.5 s: mute host 9 to 0");
  BOOST_TEST(text(FaultKind::Lossy) == "1.5 s: lossy host 9 to 0, loss 0.25");
  BOOST_TEST(text(FaultKind::Slow) == "1.5 s: slow host 9 to 0, bytes per second 0.25");
  BOOST_TEST(text(FaultKind::Split) == "1.5 s: split share 0.25, draw 0");
  BOOST_TEST(text(FaultKind::SplitOneWay) == "1.5 s: split one way share 0.25, draw 0");
  BOOST_TEST(text(FaultKind::Join) == "1.5 s: join");
  BOOST_TEST(text(FaultKind::ClearLinks) == "1.5 s: clear links");
}

BOOST_AUTO_TEST_CASE(faults_come_in_order_and_within_their_time) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random(seed);
    const FaultRates rates = draw_rates(random);
    const std::vector<Fault> plan = draw_plan(rates, 20, {}, random);
    BOOST_TEST(std::ranges::is_sorted(plan, {}, &Fault::at));
    for (const Fault& fault : plan) BOOST_TEST((fault.at < TimePoint{rates.length}));
  }
}

BOOST_AUTO_TEST_CASE(a_host_that_started_is_left_alone_for_the_stability_time) {
  RandomStream random(3);
  const FaultRates rates{.length = std::chrono::seconds(1000), .crashes_per_host = 20};
  std::map<NodeIndex, TimePoint> started;
  std::size_t crashes = 0;
  for (const Fault& fault : draw_plan(rates, 20, {}, random)) {
    const bool ends = fault.kind == FaultKind::KillProcess || fault.kind == FaultKind::LoseMachine;
    if (ends && started.contains(fault.node))
      BOOST_TEST((fault.at >= started.at(fault.node) + rates.stability));
    if (fault.kind == FaultKind::Start) started[fault.node] = fault.at;
    crashes += ends;
  }
  BOOST_TEST(crashes > 100U);
}

BOOST_AUTO_TEST_CASE(some_seed_draws_every_kind_of_fault) {
  std::set<FaultKind> kinds;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const Fault& fault : plan_of(seed)) kinds.insert(fault.kind);
  BOOST_TEST(kinds.size() == static_cast<std::size_t>(FaultKind::ClearLinks) + 1);
}

BOOST_AUTO_TEST_CASE(a_version_changes_right_before_the_start_that_it_is_for) {
  RandomStream random(4);
  const FaultRates rates{.length = std::chrono::seconds(1000), .crashes_per_host = 20};
  std::vector<Fault> plan = draw_plan(rates, 20, {}, random);
  const std::size_t faults = plan.size();
  add_version_changes({.next_share = 0.5, .change_share = 0.5}, plan, random);
  std::size_t upgrades = 0;
  std::size_t downgrades = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    upgrades += plan[i].kind == FaultKind::Upgrade;
    downgrades += plan[i].kind == FaultKind::Downgrade;
    if (plan[i].kind != FaultKind::Upgrade && plan[i].kind != FaultKind::Downgrade) continue;
    BOOST_REQUIRE(i + 1 < plan.size());
    BOOST_TEST((plan[i + 1].kind == FaultKind::Start));
    BOOST_TEST(plan[i + 1].node == plan[i].node);
  }
  BOOST_TEST(upgrades > 20U);
  BOOST_TEST(downgrades > 20U);
  BOOST_TEST(plan.size() == faults + upgrades + downgrades);
}

BOOST_AUTO_TEST_CASE(where_there_is_one_version_the_plan_stays_as_it_was) {
  RandomStream random(5);
  std::vector<Fault> plan = draw_plan({.crashes_per_host = 5}, 20, {}, random);
  const std::vector<std::string> before = lines_of(plan);
  const VersionMix one_version;
  add_version_changes(one_version, plan, random);
  BOOST_TEST(lines_of(plan) == before);
  BOOST_TEST(draw_first_versions(one_version, 20, random).empty());
}

BOOST_AUTO_TEST_CASE(in_some_worlds_up_to_a_quarter_of_all_hosts_is_lost_for_good) {
  WorldOptions options{.hosts = 16, .seed_hosts = 3, .grid = {.rows = 4, .columns = 4}};
  options.capacity = 2;
  std::size_t worlds = 0;
  std::set<std::size_t> counts;
  std::set<NodeIndex> ever;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomStream random(seed);
    const std::vector<NodeIndex> lost = draw_lost(options, random);
    if (lost.empty()) continue;
    ++worlds;
    counts.insert(lost.size());
    ever.insert(lost.begin(), lost.end());
    const std::set<NodeIndex> distinct(lost.begin(), lost.end());
    BOOST_TEST(distinct.size() == lost.size());
    BOOST_TEST(std::ranges::is_sorted(lost));
    BOOST_TEST(!(distinct.contains(0) && distinct.contains(1) && distinct.contains(2)));
  }
  BOOST_TEST(worlds > 70U);
  BOOST_TEST(worlds < 130U);
  BOOST_TEST((counts == std::set<std::size_t>{1, 2, 3, 4}));
  BOOST_TEST(ever.size() == 16U);
}

BOOST_AUTO_TEST_CASE(never_so_many_are_lost_that_the_rest_has_no_room_for_all_cells) {
  WorldOptions options{.hosts = 16, .seed_hosts = 1, .grid = {.rows = 7, .columns = 4}};
  for (const auto& [capacity, most] : {std::pair(1U, 0U), {2U, 2U}, {28U, 4U}}) {
    options.capacity = capacity;
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      RandomStream random(seed);
      found = std::max(found, draw_lost(options, random).size());
    }
    BOOST_TEST(found == most);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
