// What a report makes of figures and failures.
#include "sim/report.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <nlohmann/json.hpp>

namespace quadrille::sim {

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(figures_within_their_bounds_are_fine) {
  Report report;
  report.add({.name = "a", .value = 3, .at_most = 3});
  report.add({.name = "b", .value = 3, .at_least = 3});
  report.add({.name = "c", .value = 99});
  BOOST_TEST((report.outcome() == Outcome::Ok));
  BOOST_TEST(report.find("c")->value == 99);
}

BOOST_AUTO_TEST_CASE(a_missed_bound_says_what_was_to_be_reached) {
  Report report;
  report.add({.name = "heal_seconds", .value = 31, .at_most = 30});
  BOOST_TEST((report.outcome() == Outcome::Unsettled));
  BOOST_TEST(report.reasons().at(0) == "heal_seconds is 31, and must be at most 30");
}

BOOST_AUTO_TEST_CASE(what_is_no_number_keeps_no_bound) {
  Report report;
  report.add({.name = "ratio", .value = std::numeric_limits<double>::quiet_NaN(), .at_least = 1});
  BOOST_TEST((report.outcome() == Outcome::Unsettled));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_outweighs_what_is_late) {
  Report report;
  report.add({.name = "moves", .value = 1, .at_most = 0, .miss = Outcome::Broken});
  report.fail(Outcome::Unsettled, "no rest");
  BOOST_TEST((report.outcome() == Outcome::Broken));
  BOOST_TEST(report.reasons().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_report_is_one_json_object) {
  Report report;
  report.add({.name = "moves", .value = 1, .at_most = 0});
  const World world({.hosts = 2, .grid = {1, 2}, .capacity = 1});
  const ReportHead head{.scenario = "boot",
                        .seed = 7,
                        .options = {{"loss", "0"}, {"fault", "one"}, {"fault", "another"}},
                        .replay = ""};
  const auto json = nlohmann::json::parse(to_json(head, report, world));
  BOOST_TEST(json["scenario"] == "boot");
  BOOST_TEST(json["figures"]["moves"] == 1);
  BOOST_TEST(json["at_most"]["moves"] == 0);
  BOOST_TEST(json["outcome"] == "unsettled");
  BOOST_TEST(json["options"]["loss"] == "0");
  BOOST_TEST(json["faults"].size() == 2U);
}

BOOST_AUTO_TEST_CASE(who_fails_tells_how_it_is_run_again) {
  Report report;
  const World world({.hosts = 2, .grid = {1, 2}, .capacity = 1});
  const std::string again = "build/release/swarm-sim --scenario boot --seed 7 --peers 2";
  const ReportHead head{.scenario = "boot", .seed = 7, .options = {}, .replay = again};
  BOOST_TEST(to_text(head, report, world).find("replay") == std::string::npos);
  BOOST_TEST(!nlohmann::json::parse(to_json(head, report, world)).contains("replay"));
  report.fail(Outcome::Unsettled, "no rest");
  BOOST_TEST(to_text(head, report, world).ends_with("\nreplay with:  " + again + "\n"));
  BOOST_TEST(nlohmann::json::parse(to_json(head, report, world))["replay"] == again);
}

BOOST_AUTO_TEST_CASE(options_alone_are_one_json_object) {
  const ReportHead head{.scenario = "random",
                        .seed = 7,
                        .options = {{"loss", "0"}, {"fault", "one"}, {"fault", "another"}},
                        .replay = ""};
  const auto json = nlohmann::json::parse(options_to_json(head));
  BOOST_TEST(json["scenario"] == "random");
  BOOST_TEST(json["seed"] == 7);
  BOOST_TEST(json["options"]["loss"] == "0");
  BOOST_TEST(json["faults"].size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
