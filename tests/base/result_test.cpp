// Result carries a value or an error, and TRY hands errors on.
#include "base/result.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(results)

namespace {

Result<int> parse(int value) {
  if (value < 0) return failure(ErrorCode::Config, "value is negative");
  return value;
}

Result<void> check(int value) {
  TRY_VOID(parse(value));
  return {};
}

Result<std::string> doubled(int value, int& reached) {
  TRY(number, parse(value));
  TRY(again, parse(number));
  TRY_VOID(check(again));
  ++reached;
  return std::to_string(number + again);
}

Result<std::unique_ptr<int>> owned(int value) {
  TRY(number, parse(value));
  return std::make_unique<int>(number);
}

}  // namespace

BOOST_AUTO_TEST_CASE(try_gives_the_value) {
  int reached = 0;
  const auto result = doubled(21, reached);
  BOOST_REQUIRE(result.has_value());
  BOOST_TEST(*result == "42");
  BOOST_TEST(reached == 1);
}

BOOST_AUTO_TEST_CASE(try_returns_the_error_unchanged_and_at_once) {
  int reached = 0;
  const auto result = doubled(-1, reached);
  BOOST_REQUIRE(!result.has_value());
  BOOST_CHECK((result.error() == Error{ErrorCode::Config, "value is negative"}));
  BOOST_TEST(reached == 0);
  BOOST_TEST(!check(-1).has_value());
  BOOST_TEST(check(1).has_value());
}

BOOST_AUTO_TEST_CASE(several_problems_are_one_error_and_each_gets_its_place) {
  const Failure two = failures(ErrorCode::Config, {"a is 0", "b is 1"});
  BOOST_TEST(two.error().detail == "a is 0");
  BOOST_TEST(two.error().more == std::vector<std::string>{"b is 1"});
  const Failure placed = failure_in("run.toml", two.error());
  BOOST_TEST(placed.error().detail == "run.toml: a is 0");
  BOOST_TEST(placed.error().more == std::vector<std::string>{"run.toml: b is 1"});
  BOOST_TEST(failures(ErrorCode::Config, {"a is 0"}).error().more.empty());
}

BOOST_AUTO_TEST_CASE(try_moves_values_that_cannot_be_copied) {
  const auto take = [](int value) -> Result<int> {
    TRY(pointer, owned(value));
    return *pointer;
  };
  BOOST_TEST(*take(5) == 5);
  BOOST_TEST(!take(-5).has_value());
}

BOOST_AUTO_TEST_CASE(failure_in_puts_the_place_in_front) {
  const auto inner = parse(-1);
  const Result<int> outer = failure_in("run.toml:12", inner.error());
  BOOST_TEST(outer.error().detail == "run.toml:12: value is negative");
  BOOST_CHECK(outer.error().code == ErrorCode::Config);
}

BOOST_AUTO_TEST_SUITE_END()
