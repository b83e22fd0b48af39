// A fingerprint names content: it depends on all of it and on nothing else.
#include "data/fingerprint.hpp"

#include <boost/test/unit_test.hpp>

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(fingerprint)

namespace {

Dataset small_set() {
  Dataset dataset;
  dataset.name = "small";
  dataset.shape = {.height = 2, .width = 3, .channels = 1};
  dataset.count = 2;
  dataset.bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  dataset.labels = {0, 1};
  dataset.class_count = 2;
  return dataset;
}

}  // namespace

// The value is written into checkpoints and caches: it must not change between versions.
BOOST_AUTO_TEST_CASE(a_fingerprint_stays_what_it_was) {
  BOOST_TEST(fingerprint_of(small_set()) == "d2a24953795d3bc2d3a615cb5fd505d4");
}

BOOST_AUTO_TEST_CASE(the_name_does_not_count) {
  Dataset other = small_set();
  other.name = "another name";
  BOOST_TEST(fingerprint_of(other) == fingerprint_of(small_set()));
}

BOOST_AUTO_TEST_CASE(every_part_of_the_content_counts) {
  const std::string original = fingerprint_of(small_set());
  Dataset pixel = small_set();
  pixel.bytes[11] ^= 1;
  BOOST_TEST(fingerprint_of(pixel) != original);
  Dataset label = small_set();
  label.labels[1] = 0;
  BOOST_TEST(fingerprint_of(label) != original);
  Dataset turned = small_set();
  turned.shape = {.height = 3, .width = 2, .channels = 1};
  BOOST_TEST(fingerprint_of(turned) != original);
  Dataset unlabelled = small_set();
  unlabelled.labels.clear();
  BOOST_TEST(fingerprint_of(unlabelled) != original);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
