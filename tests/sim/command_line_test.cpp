// What a person types, and what is answered when it makes no sense.
#include "sim/command_line.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace quadrille::sim {
namespace {

std::string problem(const std::vector<std::string>& arguments) {
  const auto command = parse_command_line(arguments);
  return command ? "" : command.error().detail;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(a_scenario_brings_its_own_size_and_a_square_grid) {
  const auto command = parse_command_line({"--scenario", "half-split"});
  BOOST_REQUIRE(command);
  BOOST_TEST(command->world.hosts == 100U);
  BOOST_TEST((command->world.grid == GridShape{.rows = 10, .columns = 10}));
  BOOST_TEST(command->world.capacity == 4U);
}

BOOST_AUTO_TEST_CASE(what_is_typed_counts_more) {
  const auto command = parse_command_line({"--scenario", "pause", "--peers", "7", "--grid", "2x3",
                                           "--loss", "0.1", "--seed", "9", "--json"});
  BOOST_REQUIRE(command);
  BOOST_TEST(command->world.hosts == 7U);
  BOOST_TEST((command->world.grid == GridShape{.rows = 2, .columns = 3}));
  BOOST_TEST(command->world.network.loss == 0.1);
  BOOST_TEST(command->world.seed == 9U);
  BOOST_TEST(command->json);
}

BOOST_AUTO_TEST_CASE(a_prime_number_of_cells_gives_no_line) {
  BOOST_TEST((square_grid(97) == GridShape{.rows = 9, .columns = 10}));
  BOOST_TEST((square_grid(100) == GridShape{.rows = 10, .columns = 10}));
  BOOST_TEST((square_grid(2) == GridShape{.rows = 1, .columns = 2}));
}

BOOST_AUTO_TEST_CASE(a_seed_of_the_random_scenario_says_what_it_means) {
  const auto once = parse_command_line({"--seed", "5"});
  const auto again = parse_command_line({"--seed", "5"});
  BOOST_REQUIRE(once);
  BOOST_TEST((described(*once) == described(*again)));
  BOOST_TEST((described(*once) != described(*parse_command_line({"--seed", "6"}))));
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_told_with_the_next_step) {
  BOOST_TEST(problem({"--scenario", "flood"}) ==
             "--scenario flood is unknown; swarm-sim --help lists them");
  BOOST_TEST(problem({"--grid", "3by4"}) ==
             "--grid is 3by4; it is ROWSxCOLUMNS, each 1 to 1024, such as 10x10");
  BOOST_TEST(problem({"--grid", "0x4"}).starts_with("--grid is 0x4"));
  BOOST_TEST(problem({"--peers", "1"}).starts_with("--peers is 1"));
  BOOST_TEST(problem({"--loss", "2"}) == "--loss is a share, 0 to 0.9");
  BOOST_TEST(problem({"--worker", "real"}).starts_with("--worker real is unknown"));
  BOOST_TEST(problem({"--nonsense"}).ends_with("swarm-sim --help says more"));
}

BOOST_AUTO_TEST_CASE(help_names_the_scenarios_and_the_exit_codes) {
  const auto command = parse_command_line({"--help"});
  BOOST_REQUIRE(command);
  BOOST_TEST(command->help.find("half-split") != std::string::npos);
  BOOST_TEST(command->help.find("Exit codes") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
