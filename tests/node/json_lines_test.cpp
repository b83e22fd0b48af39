// metrics.jsonl: the text of a line, and what becomes of the file when something goes wrong.
#include "node/files/json_lines.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>

#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(json_lines)

using test::contents_of;
using test::put_contents;
using test::ScratchDirectory;

namespace {

peer::Status status(std::uint32_t cell, std::uint64_t generation) {
  return {.cell = {cell},
          .round = {generation, 0},
          .generator_fitness = 0.5,
          .discriminator_fitness = 1.25,
          .score = {},
          .images_seen = 60000,
          .measures = {}};
}

const std::string plain_line =
    R"({"cell":1,"generation":2,"generator_fitness":0.5,"discriminator_fitness":1.25,)"
    R"("score":null,"images_seen":60000})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_names_the_cell_its_measures_and_what_the_driver_adds) {
  peer::Status full = status(0, 3);
  full.score = 31.5;
  full.measures = {{"learning_rate", {0.25}}, {"mixture", {0.5, 0.5}}, {"none", {}}};
  const std::array<NamedNumber, 2> extra{{{"seconds", 2.5}, {"images_per_second", 24000}}};
  BOOST_TEST(status_line(full, extra) ==
             R"({"cell":0,"generation":3,"generator_fitness":0.5,"discriminator_fitness":1.25,)"
             R"("score":31.5,"images_seen":60000,"learning_rate":0.25,"mixture":[0.5,0.5],)"
             R"("none":[],"seconds":2.5,"images_per_second":24000})");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_become_null) {
  peer::Status odd = status(0, 3);
  odd.generator_fitness = std::numeric_limits<double>::quiet_NaN();
  odd.score = std::numeric_limits<double>::infinity();
  odd.measures = {{"loss", {1, -std::numeric_limits<double>::infinity()}}};
  BOOST_TEST(status_line(odd, {}) ==
             R"({"cell":0,"generation":3,"generator_fitness":null,"discriminator_fitness":1.25,)"
             R"("score":null,"images_seen":60000,"loss":[1,null]})");
}

BOOST_AUTO_TEST_CASE(a_mixing_round_is_named_where_there_are_several) {
  peer::Status mixing = status(0, 3);
  mixing.round.subround = 2;
  BOOST_TEST(status_line(mixing, {}).starts_with(R"({"cell":0,"generation":3,"subround":2,)"));
}

BOOST_AUTO_TEST_CASE(opened_again_the_file_goes_on_where_it_was) {
  const ScratchDirectory directory;
  for (int run = 0; run < 2; ++run) {
    auto lines = JsonLines::open(directory / "metrics.jsonl");
    BOOST_REQUIRE(lines.has_value());
    BOOST_REQUIRE(lines->append(status(1, 2)).has_value());
  }
  BOOST_TEST(contents_of(directory / "metrics.jsonl") == plain_line + "\n" + plain_line + "\n");
}

BOOST_AUTO_TEST_CASE(a_torn_last_line_is_cut_off_and_nothing_else) {
  const ScratchDirectory directory;
  // Longer than what is read in one piece.
  const std::string torn_far_back = "{\"cell\":" + std::string(10000, '1');
  const std::string zeros(5000, '\0');  // as a power cut leaves them
  for (const std::string& torn :
       {std::string("{\"cell\":"), torn_far_back, std::string(), zeros, "{\"cell\":1" + zeros}) {
    put_contents(directory / "f", "{}\n{\"a\":1}\n" + torn);
    auto lines = JsonLines::open(directory / "f");
    BOOST_REQUIRE(lines.has_value());
    BOOST_REQUIRE(lines->append(status(1, 2)).has_value());
    BOOST_TEST(contents_of(directory / "f") == "{}\n{\"a\":1}\n" + plain_line + "\n");
  }
  put_contents(directory / "f", torn_far_back);
  BOOST_REQUIRE(JsonLines::open(directory / "f").has_value());
  BOOST_TEST(contents_of(directory / "f").empty());
}

BOOST_AUTO_TEST_CASE(a_whole_last_line_that_lacks_its_end_gets_one) {
  const ScratchDirectory directory;
  put_contents(directory / "f", plain_line);
  auto lines = JsonLines::open(directory / "f");
  BOOST_REQUIRE(lines.has_value());
  BOOST_REQUIRE(lines->append(status(1, 3)).has_value());
  BOOST_TEST(
      contents_of(directory / "f").starts_with(plain_line + "\n{\"cell\":1,\"generation\":3"));
  // Of a neighbourhood of a thousand cells.
  peer::Status large = status(1, 2);
  large.measures.push_back({"list", std::vector<double>(10'000, 0.123456789)});
  const std::string long_line = status_line(large, {});
  put_contents(directory / "f", long_line);
  BOOST_REQUIRE(JsonLines::open(directory / "f").has_value());
  BOOST_TEST((contents_of(directory / "f") == long_line + "\n"));
}

BOOST_AUTO_TEST_CASE(lines_of_somebody_else_are_set_aside_and_never_lost) {
  const ScratchDirectory directory;
  const auto judge = [](CellIndex cell, std::uint64_t generation) {
    if (cell != CellIndex{1}) return JsonLines::Line::Foreign;
    return generation <= 2 ? JsonLines::Line::Wanted : JsonLines::Line::Outdated;
  };
  const auto after_keep = [&](const std::string& text) {
    put_contents(directory / "f", text);
    auto lines = JsonLines::open(directory / "f");
    BOOST_REQUIRE(lines.has_value());
    const auto aside = lines->keep(judge);
    BOOST_REQUIRE(aside.has_value());
    BOOST_REQUIRE(lines->append(status(1, 2)).has_value());
    return aside.value();
  };
  const std::string two = plain_line + "\n" + plain_line + "\n";
  const std::string later = status_line(status(1, 3), {}) + "\n\n";
  BOOST_TEST(after_keep(plain_line + "\n" + later).lines == 0u);
  BOOST_TEST(contents_of(directory / "f") == two);
  BOOST_TEST(directory.entry_count() == 1u);
  std::filesystem::create_directory(directory / "f.damaged-2");  // somebody else's

  const std::string foreign =
      "mine\n" + plain_line + "\n" + status_line(status(0, 1), {}) + "\n" + later + "{}\nmore";
  for (const std::string& name : {std::string("f.damaged"), std::string("f.damaged-3")}) {
    const SetAside aside = after_keep(foreign);
    BOOST_TEST(aside.lines == 4u);
    BOOST_TEST(aside.file == directory / name);
    BOOST_TEST(contents_of(directory / "f") == two);
    BOOST_TEST(contents_of(directory / name) == foreign + "\n");
  }
  BOOST_TEST(std::filesystem::is_directory(directory / "f.damaged-2"));
}

BOOST_AUTO_TEST_CASE(a_line_that_does_not_fit_on_the_disk_leaves_no_part_of_itself) {
  const ScratchDirectory directory;
  auto lines = JsonLines::open(directory / "f");
  BOOST_REQUIRE(lines.has_value());
  BOOST_REQUIRE(lines->append(status(1, 2)).has_value());

  rlimit old{};
  BOOST_REQUIRE_EQUAL(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = old;
  limit.rlim_cur = plain_line.size() + 10;
  BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto refused = lines->append(status(1, 2));
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);

  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == ErrorCode::Io));
  BOOST_TEST(contents_of(directory / "f") == plain_line + "\n");
  BOOST_REQUIRE(lines->append(status(1, 2)).has_value());
  BOOST_TEST(contents_of(directory / "f") == plain_line + "\n" + plain_line + "\n");
}

BOOST_AUTO_TEST_CASE(a_directory_in_its_place_is_an_error) {
  const ScratchDirectory directory;
  BOOST_TEST(!JsonLines::open(directory.path()).has_value());
  BOOST_TEST(!JsonLines::open(directory / "none/f").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
