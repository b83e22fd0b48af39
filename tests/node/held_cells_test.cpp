// How many cells a peer takes on: by memory, by --cells, and never fewer than a synchronous run
// needs.
#include "node/run/held_cells.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(held_cells_test)

namespace {

constexpr std::size_t image_size = 784;
constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

RunSpec spec(bool sync = false) {
  RunSpec spec;
  spec.run.grid = {3, 3};
  spec.lipizzaner.sync = sync;
  return spec;
}

std::uint64_t bytes_of_one() {
  return cell_bytes(spec(), image_size).value();
}

HeldCells held(const RunSpec& spec, std::optional<std::uint32_t> asked,
               std::uint64_t bytes_available) {
  const auto cells = held_cells(spec, {.asked = asked}, image_size, bytes_available);
  BOOST_REQUIRE_MESSAGE(cells.has_value(), (cells ? "" : cells.error().detail));
  return *cells;
}

std::string refusal(const RunSpec& spec, std::optional<std::uint32_t> asked,
                    std::uint64_t bytes_available) {
  const auto cells = held_cells(spec, {.asked = asked}, image_size, bytes_available);
  BOOST_TEST_REQUIRE(!cells.has_value());
  BOOST_TEST((cells.error().code == ErrorCode::Config));
  BOOST_TEST(cells.error().detail.find('\n') == std::string::npos);
  return cells.error().detail;
}

}  // namespace

BOOST_AUTO_TEST_CASE(alone_a_peer_holds_the_whole_grid) {
  const HeldCells all = held(spec(), {}, plenty);
  BOOST_TEST_REQUIRE(all.cells.size() == 9u);
  for (std::uint32_t cell = 0; cell < 9; ++cell) BOOST_TEST(all.cells[cell] == CellIndex{cell});
  BOOST_TEST(all.notice == "");
}

BOOST_AUTO_TEST_CASE(fewer_are_held_where_asked_and_the_peer_says_so) {
  const HeldCells some = held(spec(), 4, plenty);
  BOOST_TEST(some.cells.size() == 4u);
  BOOST_TEST(some.notice ==
             "--cells allows 4 of 9 cells: the others wait for other peers, and 4 of these train "
             "with fewer neighbours until then");
}

// On a long ring only the ends of what is held look at a cell that waits.
BOOST_AUTO_TEST_CASE(cells_whose_neighbours_are_all_held_miss_none) {
  RunSpec ring = spec();
  ring.run.grid = {1, 9};
  ring.lipizzaner.neighbourhood = train::NeighbourhoodKind::Ring;
  BOOST_TEST(held(ring, 4, plenty)
                 .notice.ends_with("and 2 of these train with fewer neighbours "
                                   "until then"));
}

BOOST_AUTO_TEST_CASE(more_than_the_grid_has_is_the_whole_grid) {
  const HeldCells all = held(spec(), 100, plenty);
  BOOST_TEST(all.cells.size() == 9u);
  BOOST_TEST(all.notice == "");
}

BOOST_AUTO_TEST_CASE(memory_bounds_what_is_held_unasked) {
  const HeldCells some = held(spec(), {}, 5 * bytes_of_one() + 1);
  BOOST_TEST(some.cells.size() == 5u);
  BOOST_TEST(some.notice ==
             "memory allows 5 of 9 cells: the others wait for other peers, and 5 of these train "
             "with fewer neighbours until then");
  // Whoever asks knows better.
  BOOST_TEST(held(spec(), 9, bytes_of_one()).cells.size() == 9u);
}

// Memory comes and goes, and no other number of cells goes on from a checkpoint.
BOOST_AUTO_TEST_CASE(what_a_checkpoint_holds_is_held_again_unless_asked_otherwise) {
  for (const std::uint64_t bytes : {bytes_of_one() / 2, 2 * bytes_of_one(), plenty}) {
    const auto again = held_cells(spec(), {.asked = {}, .saved = 4}, image_size, bytes);
    BOOST_TEST_REQUIRE(again.has_value());
    BOOST_TEST(again->cells.size() == 4u);
    BOOST_TEST(again->notice.starts_with("the checkpoint holds 4 of 9 cells: "), again->notice);
  }
  const auto asked = held_cells(spec(), {.asked = 2, .saved = 4}, image_size, plenty);
  BOOST_TEST_REQUIRE(asked.has_value());
  BOOST_TEST(asked->cells.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_synchronous_run_holds_all_cells_or_is_refused) {
  BOOST_TEST(held(spec(true), {}, plenty).cells.size() == 9u);
  BOOST_TEST(refusal(spec(true), 4, plenty) ==
             "algorithm.sync is true, and --cells allows 4 of 9 cells: a synchronous cell waits "
             "for all its neighbours. Allow all cells, or set algorithm.sync to false");
  BOOST_TEST(refusal(spec(true), {}, 5 * bytes_of_one()).find("memory allows 5 of 9 cells") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(memory_for_no_cell_at_all_is_an_error) {
  const std::string said = refusal(spec(), {}, bytes_of_one() - 1);
  BOOST_TEST(said.find("one cell takes about ") == 0u);
  BOOST_TEST(said.find("free memory, or make model, batch or sample sizes smaller") !=
             std::string::npos);
}

// Parameters of the published pair: 283,920 and 267,009. A cell holds five such pairs of its
// neighbourhood and some copies of its own.
BOOST_AUTO_TEST_CASE(a_cell_takes_more_than_its_neighbourhood_and_less_than_a_hundred_pairs) {
  constexpr std::uint64_t pair_bytes = 4 * (283'920 + 267'009);
  BOOST_TEST(bytes_of_one() > 8 * pair_bytes);
  BOOST_TEST(bytes_of_one() < 100 * pair_bytes);
}

// It is worked in passes of a hundred rows.
BOOST_AUTO_TEST_CASE(a_large_fitness_sample_takes_hardly_more_than_a_small_one) {
  RunSpec large = spec();
  large.lipizzaner.fitness_sample_size = 60'000;
  const std::uint64_t bytes = cell_bytes(large, image_size).value();
  BOOST_TEST(bytes > bytes_of_one());
  BOOST_TEST(bytes < bytes_of_one() + bytes_of_one() / 20);
}

// They lie on the host, all at once.
BOOST_AUTO_TEST_CASE(samples_that_are_scored_are_counted) {
  RunSpec scored = spec();
  scored.lipizzaner.score = train::ScoreKind::Frechet;
  scored.lipizzaner.score_sample_size = 1'000;
  const std::uint64_t bytes = cell_bytes(scored, image_size).value();
  scored.lipizzaner.score_sample_size = 50'000;
  BOOST_TEST(cell_bytes(scored, image_size).value() == bytes + 4 * 49'000 * image_size);
}

BOOST_AUTO_TEST_CASE(an_unknown_model_is_an_error) {
  RunSpec unknown = spec();
  unknown.lipizzaner.model = "mpl";
  BOOST_TEST(refusal(unknown, {}, plenty).find("did you mean \"mlp\"?") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
