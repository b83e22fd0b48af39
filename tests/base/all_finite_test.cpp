// One number that is none is found wherever it stands.
#include "base/all_finite.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <vector>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(all_finite_numbers)

namespace {

template <class Number>
void check_each_place() {
  using Limits = std::numeric_limits<Number>;
  const std::vector<Number> numbers{Limits::max(), Limits::lowest(), Limits::denorm_min(), 0};
  BOOST_TEST(all_finite(numbers));
  for (const Number wrong : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::vector<Number> damaged = numbers;
      damaged[i] = wrong;
      BOOST_TEST(!all_finite(damaged));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(nan_and_infinity_are_found_at_each_place) {
  check_each_place<float>();
  check_each_place<double>();
}

BOOST_AUTO_TEST_CASE(of_no_numbers_all_are_finite) {
  BOOST_TEST(all_finite(std::vector<float>()));
}

BOOST_AUTO_TEST_SUITE_END()
