// What a person types, and what is answered when it makes no sense.
#include "sim/command_line.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "base/printed.hpp"
#include "sim/scenario.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(command_line)

namespace {

std::string problem(const std::vector<std::string>& arguments) {
  const auto command = parse_command_line(arguments);
  return command ? "" : command.error().detail;
}

}  // namespace

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
  BOOST_TEST((square_grid(0) == GridShape{.rows = 1, .columns = 0}));
  for (std::uint32_t cells = 4; cells <= 200; ++cells) {
    const GridShape grid = square_grid(cells);
    BOOST_TEST(grid.rows >= 2U);
    BOOST_TEST(grid.cell_count() <= cells);
    BOOST_TEST(4 * grid.cell_count() >= 3 * cells);
  }
}

BOOST_AUTO_TEST_CASE(a_seed_of_the_random_scenario_says_what_it_means) {
  const auto once = parse_command_line({"--seed", "5"});
  const auto again = parse_command_line({"--seed", "5"});
  BOOST_REQUIRE(once);
  BOOST_TEST((described(*once) == described(*again)));
  BOOST_TEST((described(*once) != described(*parse_command_line({"--seed", "6"}))));
}

BOOST_AUTO_TEST_CASE(hosts_that_are_lost_for_good_are_among_what_a_seed_means) {
  std::size_t losing = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const auto command = parse_command_line({"--seed", std::to_string(seed), "--peers", "12"});
    BOOST_REQUIRE(command);
    std::string expected = "none";
    const std::vector<NodeIndex> lost = draw_faults(command->world).lost;
    if (!lost.empty()) expected = "host";
    for (const NodeIndex host : lost) expected += " " + std::to_string(host);
    const auto lines = described(*command);
    const auto line = std::ranges::find(
        lines, "lost_for_good", [](const auto& pair) { return std::string_view(pair.first); });
    BOOST_REQUIRE((line != lines.end()));
    BOOST_TEST(line->second == expected);
    losing += !lost.empty();
  }
  BOOST_TEST(losing >= 2U);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_told_with_the_next_step) {
  BOOST_TEST(problem({"--scenario", "flood"}) ==
             "--scenario flood is unknown; swarm-sim --help lists them");
  BOOST_TEST(problem({"--scenario", "crsh"}) ==
             "--scenario crsh is unknown; did you mean crash? swarm-sim --help lists them");
  BOOST_TEST(problem({"--grid", "3by4"}) ==
             "--grid is 3by4; it is ROWSxCOLUMNS, each 1 to 1024, such as 10x10");
  BOOST_TEST(problem({"--grid", "0x4"}).starts_with("--grid is 0x4"));
  BOOST_TEST(problem({"--grid", "4294967297x4"}).starts_with("--grid is 4294967297x4"));
  for (const char* grid : {"", "4", "4x", "x4", "4x4x4", "-1x4", "+1x4", " 4x4", "4x4 ", "1025x1"})
    BOOST_TEST(problem({"--grid", grid}).starts_with("--grid is "));
  BOOST_TEST(problem({"--record", ""}) == "--record is empty; it names a file");
  BOOST_TEST(problem({"--peers", "0"}).starts_with("--peers is 0"));
  BOOST_TEST(problem({"--peers", "1"}).starts_with("--peers is 1"));
  BOOST_TEST(problem({"--worker", "real"}) ==
             "--worker real is unknown; there are toy and lipizzaner");
  BOOST_TEST(problem({"--seed"}) == "--seed needs a value; swarm-sim --help says more");
  BOOST_TEST(problem({"--seed", "1", "--seed", "2"}) ==
             "--seed is given more than once; swarm-sim --help says more");
  BOOST_TEST(problem({"--record=", "--json"}) ==
             "--record= is not followed by a value; swarm-sim --help says more");
  BOOST_TEST(problem({"--record", "--json"}) ==
             "--record is followed by --json, and names a file; swarm-sim --help says more");
  for (const char* flag : {"--json=5", "--json=false", "--quiet=x"})
    BOOST_TEST(problem({flag}).find("takes no value") != std::string::npos, flag);
  BOOST_TEST(problem({"--nonsense"}) ==
             "--nonsense is no option of swarm-sim; swarm-sim --help says more");
}

BOOST_AUTO_TEST_CASE(a_scenario_without_its_option_is_recognized) {
  BOOST_TEST(problem({"crash"}) ==
             "crash is no option of swarm-sim; did you mean --scenario crash? swarm-sim --help "
             "says more");
  BOOST_TEST(problem({"--peers", "10", "half-splt"}).find("did you mean --scenario half-split?") !=
             std::string::npos);
}

// That an option of toys came, too, is no matter then.
BOOST_AUTO_TEST_CASE(an_unknown_worker_is_told_before_what_it_would_read) {
  BOOST_TEST(problem({"--worker", "foo", "--payload-bytes", "512"})
                 .starts_with("--worker foo is unknown"));
}

BOOST_AUTO_TEST_CASE(a_number_that_is_none_or_outside_is_told_with_its_range) {
  const std::string seed_range = "; it is a whole number, 0 to 18446744073709551615";
  for (const char* seed :
       {"-1", "99999999999999999999", "18446744073709551616", "0x10", "1e3", "1.0", "+1", "seven"})
    BOOST_TEST(problem({"--seed", seed}) == "--seed is " + std::string(seed) + seed_range);
  BOOST_TEST(problem({"--seed", ""}) == "--seed is ''" + seed_range);
  BOOST_TEST(problem({"--seed", " 1"}) == "--seed is ' 1'" + seed_range);
  for (const char* peers : {"-5", "4294967306", "ten", "1e1", "20481"})
    BOOST_TEST(problem({"--scenario", "crash", "--peers", peers}) ==
               "--peers is " + std::string(peers) + "; scenario crash has 3 to 20480");
  for (const char* capacity : {"0", "-1", "4097", "4294967297", "two"})
    BOOST_TEST(problem({"--capacity", capacity}) ==
               "--capacity is " + std::string(capacity) + "; a peer holds 1 to 4096 cells");
  for (const char* loss : {"2", "-0.1", "nan", "inf", "1e400", "0,1", "10%"})
    BOOST_TEST(problem({"--loss", loss}).starts_with("--loss is "));
  BOOST_TEST(problem({"--loss", "2"}) == "--loss is 2; it is a share of datagrams, 0 to 0.9");
  for (const char* crashes : {"0", "-1", "10001", "4294967297"})
    BOOST_TEST(problem({"--scenario", "crash", "--crashes", crashes}) ==
               "--crashes is " + std::string(crashes) + "; scenario crash measures 1 to 10000");
  for (const char* bytes : {"-1", "67108865", "18446744073709551617", "2k"})
    BOOST_TEST(problem({"--payload-bytes", bytes}) == "--payload-bytes is " + std::string(bytes) +
                                                          "; scenario random takes 0 to 67108864");
  for (const char* time : {"1e7", "-1", "5s"})
    BOOST_TEST(problem({"--scenario", "steady", "--seconds", time}) ==
               "--seconds is " + std::string(time) + "; scenario steady measures 1 to 1000000");
}

BOOST_AUTO_TEST_CASE(numbers_are_decimal) {
  BOOST_TEST(parse_command_line({"--seed", "010"})->world.seed == 10U);
  BOOST_TEST(parse_command_line({"--seed", "18446744073709551615"})->world.seed ==
             18446744073709551615U);
  BOOST_TEST(parse_command_line({"--peers", "011"})->world.hosts == 11U);
}

BOOST_AUTO_TEST_CASE(a_scenario_has_a_least_size) {
  BOOST_TEST(problem({"--scenario", "growth", "--peers", "3"}) ==
             "--peers is 3; scenario growth has 4 to 20480");
  for (const Scenario& scenario : scenarios()) {
    const std::string name(scenario.name);
    const auto with = [&](std::uint32_t peers) {
      return problem({"--scenario", name, "--peers", std::to_string(peers)});
    };
    BOOST_TEST(with(scenario.hosts_min) == "");
    BOOST_TEST(with(scenario.hosts_min - 1).starts_with("--peers is "));
  }
}

BOOST_AUTO_TEST_CASE(what_no_scenario_reads_is_refused) {
  BOOST_TEST(problem({"--scenario", "boot", "--seconds", "30"}) ==
             "--seconds is 30, and is for scenarios that measure a time; boot lasts as long as it "
             "takes");
  BOOST_TEST(problem({"--scenario", "churn", "--seconds", "5"}) ==
             "--seconds is 5; scenario churn measures 10 to 1000000");
  BOOST_TEST(problem({"--scenario", "churn", "--seconds", "10"}) == "");
  BOOST_TEST(problem({"--scenario", "churn", "--seconds", "nan"}).starts_with("--seconds is nan"));
  BOOST_TEST(problem({"--scenario", "slow-edge", "--payload-bytes", "50"}) ==
             "--payload-bytes is 50; scenario slow-edge takes 180000 to 67108864");
  BOOST_TEST(problem({"--crashes", "3"}) ==
             "--crashes is 3, and is of scenario crash; this is random");
  BOOST_TEST(problem({"--scenario", "crash", "--crashes", "3"}) == "");
}

BOOST_AUTO_TEST_CASE(a_world_without_room_for_its_cells_is_refused) {
  const auto boot = [](const char* capacity) {
    return problem({"--scenario", "boot", "--peers", "4", "--grid", "3x3", "--capacity", capacity});
  };
  BOOST_TEST(boot("2") == "--capacity 2 gives 4 peers room for 8 cells; the grid has 9");
  BOOST_TEST(boot("3") == "");
  const auto growth = [](const char* grid) {
    return problem({"--scenario", "growth", "--peers", "12", "--grid", grid});
  };
  BOOST_TEST(growth("2x4") == "");
  BOOST_TEST(growth("3x4").starts_with("--grid is 3x4; to grow"));
  BOOST_TEST(growth("2x5").starts_with("--grid is 2x5; to grow"));
  const auto by_columns = [](const char* grid) {
    return problem({"--scenario", "growth-columns", "--peers", "12", "--grid", grid});
  };
  BOOST_TEST(by_columns("3x3") == "");
  BOOST_TEST(by_columns("3x4") ==
             "--grid is 3x4; to grow, 12 peers need a peer for each cell of one more column, and 4 "
             "columns at most then");
  BOOST_TEST(by_columns("4x3").starts_with("--grid is 4x3; to grow"));
}

BOOST_AUTO_TEST_CASE(a_crash_that_nobody_has_room_to_mend_is_refused) {
  BOOST_TEST(problem({"--scenario", "crash", "--peers", "10", "--capacity", "1"}) ==
             "--capacity 1 gives the 9 peers that scenario crash leaves room for 9 cells; the grid "
             "has 10, and nobody could take over what the dead held");
  BOOST_TEST(problem({"--scenario", "crash", "--peers", "10", "--capacity", "2"}) == "");
  BOOST_TEST(
      problem({"--scenario", "crash", "--peers", "10", "--capacity", "1", "--grid", "3x3"}) == "");
  BOOST_TEST(problem({"--scenario", "mass-crash", "--peers", "300", "--capacity", "1"})
                 .starts_with("--capacity 1 gives the 294 peers"));
  // Of a large fleet half stay lost, and one more.
  const auto large = [](const char* crashes) {
    return problem({"--scenario", "crash", "--peers", "300", "--grid", "15x20", "--capacity", "2",
                    "--crashes", crashes});
  };
  BOOST_TEST(large("150") == "");
  BOOST_TEST(large("151").starts_with("--capacity 2 gives the 149 peers"));
  // Who leaves lets go of what nobody takes, and comes back to it: that is another matter.
  BOOST_TEST(problem({"--scenario", "drain", "--capacity", "1"}) == "");
}

BOOST_AUTO_TEST_CASE(one_cell_has_no_slow_edge) {
  BOOST_TEST(problem({"--scenario", "slow-edge", "--grid", "1x1"}) ==
             "--grid is 1x1; scenario slow-edge needs 2 cells at least");
  BOOST_TEST(problem({"--scenario", "slow-edge", "--grid", "1x2"}) == "");
}

// And with nothing that is not an option of it: what is told is read again, to the same world.
BOOST_AUTO_TEST_CASE(what_makes_the_same_run_again_can_be_pasted) {
  BOOST_TEST(parse_command_line({})->replay == "--scenario random --seed 1");
  const auto command =
      parse_command_line({"--seed", "9", "--scenario", "crash", "--peers", "7", "--grid", "2x3",
                          "--capacity", "5", "--loss", "0.1", "--crashes", "2", "--json",
                          "--events", "--quiet", "--record", "it's here"});
  BOOST_REQUIRE(command);
  BOOST_TEST(command->replay ==
             "--scenario crash --seed 9 --peers 7 --grid 2x3 --capacity 5 --loss 0.1 --crashes 2 "
             "--record 'it'\\''s here'");
  BOOST_TEST(
      parse_command_line({"--scenario", "steady", "--seconds", "2.5", "--payload-bytes", "4096"})
          ->replay == "--scenario steady --seed 1 --seconds 2.5 --payload-bytes 4096");
  BOOST_TEST(parse_command_line({"--worker", "lipizzaner"})->replay ==
             "--scenario random --seed 1 --worker lipizzaner");
}

// Their payloads are what their weights come to.
BOOST_AUTO_TEST_CASE(what_real_learners_do_not_read_is_neither_taken_nor_described) {
  BOOST_TEST(problem({"--worker", "lipizzaner", "--payload-bytes", "9"}).starts_with("--payload"));
  const auto is_described = [](const Command& command, const char* key) {
    return std::ranges::count(described(command), key,
                              [](const auto& line) { return line.first; }) == 1;
  };
  bool some_are_not_finite = false;
  bool some_fail = false;
  for (int seed = 1; seed <= 20; ++seed) {
    const auto toy = parse_command_line({"--seed", std::to_string(seed)});
    const auto real =
        parse_command_line({"--seed", std::to_string(seed), "--worker", "lipizzaner"});
    some_are_not_finite |= toy->world.toy.not_finite > 0;
    some_fail |= toy->world.toy.failing_rounds > 0 || toy->world.toy.failing_places > 0;
    BOOST_TEST(real->world.toy.not_finite == 0);
    BOOST_TEST(real->world.toy.failing_rounds == 0);
    BOOST_TEST(real->world.toy.failing_places == 0);
    for (const char* key : {"payload_bytes", "not_finite", "failing_rounds", "failing_places"}) {
      BOOST_TEST(is_described(*toy, key));
      BOOST_TEST(!is_described(*real, key));
    }
  }
  BOOST_TEST(some_are_not_finite);
  BOOST_TEST(some_fail);
}

BOOST_AUTO_TEST_CASE(help_names_the_scenarios_and_the_exit_codes) {
  const auto command = parse_command_line({"--help"});
  BOOST_REQUIRE(command);
  for (const Scenario& scenario : scenarios())
    BOOST_TEST(command->help.find(printed("\n  ", scenario.name, "  ")) != std::string::npos,
               scenario.name);
  BOOST_TEST(command->help.find("Exit codes") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
