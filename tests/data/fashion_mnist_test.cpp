// The real Fashion-MNIST of Debian's dataset-fashion-mnist, where it is installed.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>

#include "data/inspect.hpp"
#include "data/load.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(fashion_mnist)

namespace {

constexpr const char* directory = "/usr/share/datasets/fashion-mnist";

bool is_installed() {
  const bool there = std::filesystem::is_directory(directory);
  if (!there)
    BOOST_TEST_MESSAGE("SKIPPED: Fashion-MNIST is not installed in "
                       << directory << "; apt-get install dataset-fashion-mnist");
  return there;
}

}  // namespace

BOOST_AUTO_TEST_CASE(both_splits_of_fashion_mnist_load_by_name) {
  if (!is_installed()) return;
  DataRequest request;
  request.name = "fashion-mnist";
  const auto loaded = load_data(request);
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST(loaded->train.name == "fashion-mnist");
  BOOST_TEST(loaded->train.count == 60'000U);
  BOOST_TEST((loaded->train.shape == SampleShape{.height = 28, .width = 28, .channels = 1}));
  BOOST_TEST(loaded->train.class_count == 10U);
  BOOST_TEST(loaded->train.labels[0] == 9);  // an ankle boot comes first
  // Published with the set's own loaders: mean 0.2860 of 255.
  double sum = 0;
  for (const std::uint8_t pixel : loaded->train.bytes) sum += pixel;
  BOOST_TEST(std::abs(sum / 255 / 47'040'000 - 0.2860) < 5e-5);  // the published rounding
  BOOST_TEST(loaded->train.fingerprint == "64ff4ae9fe95873db0ece629bb0e6d30");
  const auto test = load_test(*loaded->files, loaded->train);
  BOOST_REQUIRE(test.has_value());
  BOOST_REQUIRE(test->has_value());
  BOOST_TEST((*test)->count == 10'000U);
}

BOOST_AUTO_TEST_CASE(fashion_mnist_passes_its_check) {
  if (!is_installed()) return;
  const Inspection result = inspect(directory, {});
  for (const std::string& line : text_of(result)) BOOST_TEST_MESSAGE(line);
  BOOST_TEST(result.ok());
  BOOST_REQUIRE(result.sets.size() == 1U);
  BOOST_TEST((result.sets[0].files[1].label_counts == std::vector<std::size_t>(10, 6000)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
