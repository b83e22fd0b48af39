// The classifier on real images: Fashion-MNIST as Debian's dataset-fashion-mnist installs it, MNIST
// where tools/data has put it. Where a set is not there its tests are skipped.
#include <cstddef>

#include <boost/test/unit_test.hpp>

#include "compute/cpu/cpu_backend.hpp"
#include "data/load.hpp"
#include "train/score_fixtures.hpp"

using namespace quadrille;
using namespace quadrille::train;
using boost::test_tools::assertion_result;

BOOST_AUTO_TEST_SUITE(score_fashion)

namespace {

data::DataPlaces places() {
  data::DataPlaces usual = data::data_places({});
  usual.working_dir = QUADRILLE_SOURCE_DIR;
  return usual;
}

template <bool long_test>
struct IsThere {
  const char* name;

  assertion_result operator()(boost::unit_test::test_unit_id) const {
    assertion_result there(data::find_set(name, places()).has_value() &&
                           (!long_test || test::long_tests_wanted()));
    there.message() << name << " is not installed, or QUADRILLE_LONG is not set";
    return there;
  }
};

double accuracy(const char* name, std::size_t row_count_max) {
  auto loaded = data::load_data({.name = name, .places = places(), .synthetic = {}});
  BOOST_REQUIRE(loaded.has_value());
  data::Dataset& train_set = loaded->train;
  const auto test_set = data::load_test(*loaded->files, train_set);
  BOOST_REQUIRE(test_set.has_value() && test_set->has_value());
  if (train_set.count > row_count_max) {
    train_set.count = row_count_max;
    train_set.bytes.resize(row_count_max * train_set.shape.size());
    train_set.labels.resize(row_count_max);
  }
  WorkerPool pool(1);
  const auto backend = compute::make_cpu_backend(pool);
  const auto model = train_classifier(train_set, &**test_set, *backend);
  BOOST_REQUIRE(model.has_value());
  return model->accuracy;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sixth_of_fashion_mnist_teaches_four_of_five,
                     *boost::unit_test::precondition(IsThere<false>{"fashion-mnist"})) {
  BOOST_TEST(accuracy("fashion-mnist", 10'000) >= 0.80);
}

BOOST_AUTO_TEST_CASE(all_of_fashion_mnist_teaches_87_of_100,
                     *boost::unit_test::precondition(IsThere<true>{"fashion-mnist"})) {
  BOOST_TEST(accuracy("fashion-mnist", 60'000) >= 0.87);
}

BOOST_AUTO_TEST_CASE(all_of_mnist_teaches_97_of_100,
                     *boost::unit_test::precondition(IsThere<true>{"mnist"})) {
  BOOST_TEST(accuracy("mnist", 60'000) >= 0.97);
}

BOOST_AUTO_TEST_SUITE_END()
