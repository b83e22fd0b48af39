// Files become a Dataset: split by split, labels beside images, EMNIST upright.
#include "data/load.hpp"

#include <boost/test/unit_test.hpp>

#include "data/inspect.hpp"
#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(load)

using test::FileBytes;
using test::gzip;
using test::idx_bytes;
using test::idx_images;
using test::idx_labels;
using test::says;
using test::TemporaryDirectory;

namespace {

Result<LoadedData> load_from(const TemporaryDirectory& directory, const std::string& below = "") {
  DataRequest request;
  request.name = directory.path().string() + below;
  return load_data(request);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_set_is_loaded_with_its_labels_and_its_test_split) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte.gz", gzip(idx_images(12, 3, 2)));
  directory.write("train-labels-idx1-ubyte.gz", gzip(idx_labels(12, 4)));
  directory.write("t10k-images-idx3-ubyte", idx_images(5, 3, 2));
  directory.write("t10k-labels-idx1-ubyte", idx_labels(5, 4));
  const auto loaded = load_from(directory);
  BOOST_REQUIRE(loaded.has_value());
  const Dataset& train = loaded->train;
  BOOST_TEST(train.count == 12U);
  BOOST_TEST((train.shape == SampleShape{.height = 3, .width = 2, .channels = 1}));
  BOOST_TEST(train.bytes.size() == 72U);
  BOOST_TEST(train.labels.size() == 12U);
  BOOST_TEST(train.class_count == 4U);
  BOOST_TEST(train.fingerprint.size() == 32U);
  BOOST_TEST(train.is_image());
  BOOST_TEST(!loaded->truth.has_value());
  const auto test = load_test(*loaded->files, loaded->train);
  BOOST_REQUIRE(test.has_value());
  BOOST_REQUIRE(test->has_value());
  BOOST_TEST((*test)->count == 5U);
  BOOST_TEST((*test)->fingerprint != train.fingerprint);
}

BOOST_AUTO_TEST_CASE(labels_and_a_test_split_may_be_absent) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_images(12, 3, 2));
  const auto loaded = load_from(directory);
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST(loaded->train.labels.empty());
  BOOST_TEST(loaded->train.class_count == 0U);
  const auto test = load_test(*loaded->files, loaded->train);
  BOOST_REQUIRE(test.has_value());
  BOOST_TEST(!test->has_value());
}

BOOST_AUTO_TEST_CASE(images_and_labels_that_disagree_in_count_are_told_with_both_numbers) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_images(12, 3, 2));
  directory.write("train-labels-idx1-ubyte", idx_labels(11, 4));
  const auto loaded = load_from(directory);
  BOOST_REQUIRE(!loaded.has_value());
  BOOST_TEST((loaded.error().code == ErrorCode::Mismatch));
  BOOST_TEST(says(loaded.error().detail,
                  {"train-images-idx3-ubyte: holds 12 images", "train-labels", "11 labels"}));
}

// A gzip bomb is found out by its label file.
BOOST_AUTO_TEST_CASE(counts_that_differ_are_told_before_any_pixel_is_inflated) {
  const TemporaryDirectory directory;
  FileBytes images = gzip(idx_images(300, 28, 28));
  images.resize(images.size() / 2);  // reading on would find that it is cut short
  directory.write("train-images-idx3-ubyte.gz", images);
  directory.write("train-labels-idx1-ubyte", idx_labels(12, 4));
  const auto loaded = load_from(directory);
  BOOST_REQUIRE(!loaded.has_value());
  BOOST_TEST((loaded.error().code == ErrorCode::Mismatch));
  BOOST_TEST(says(loaded.error().detail, {"holds 300 images, but", "12 labels"}));
}

BOOST_AUTO_TEST_CASE(a_set_that_memory_has_no_room_for_is_refused_with_its_size) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_images(12, 3, 2));
  directory.write("train-labels-idx1-ubyte", idx_labels(12, 4));
  directory.write("t10k-images-idx3-ubyte", idx_images(13, 3, 2));
  directory.write("t10k-labels-idx1-ubyte", idx_labels(13, 4));
  DataRequest request;
  request.name = directory.path().string();
  request.memory_bytes_max = 72;
  const auto loaded = load_data(request);
  BOOST_REQUIRE(loaded.has_value());
  const auto test = load_test(*loaded->files, loaded->train, 72);
  BOOST_REQUIRE(!test.has_value());
  request.memory_bytes_max = 71;
  const auto refused = load_data(request);
  BOOST_REQUIRE(!refused.has_value());
  for (const Error& error : {refused.error(), test.error()})
    BOOST_TEST((error.code == ErrorCode::Limit));
  BOOST_TEST(says(refused.error().detail, {"train-images-idx3-ubyte: promises 12 images of 3 x 2 "
                                           "(72 bytes); reading them takes 72 bytes of "
                                           "memory, and 71 are free"}));
  const Inspection checked = inspect(request.name, {}, {}, 71);
  BOOST_REQUIRE(checked.problems.size() == 2U);
  BOOST_TEST(checked.problems[0] == refused.error().detail);
}

BOOST_AUTO_TEST_CASE(pixels_that_teach_nothing_are_refused_in_the_words_of_the_check) {
  for (const FileBytes& pixels : {FileBytes(4, 0), FileBytes(4, 200), FileBytes{0, 1, 1, 0}}) {
    const TemporaryDirectory directory;
    directory.write("train-images-idx3-ubyte", idx_bytes(0x803, {2, 1, 2}, pixels));
    const auto loaded = load_from(directory);
    BOOST_REQUIRE(!loaded.has_value());
    BOOST_TEST((loaded.error().code == ErrorCode::Corrupt));
    const Inspection checked = inspect(directory.path().string(), {});
    BOOST_REQUIRE(checked.problems.size() == 1U);
    BOOST_TEST(loaded.error().detail == checked.problems[0]);
  }
}

BOOST_AUTO_TEST_CASE(a_test_split_of_another_set_is_refused_in_the_words_of_the_check) {
  for (const bool other_images : {true, false}) {
    const TemporaryDirectory directory;
    directory.write("train-images-idx3-ubyte", idx_images(12, 4, 4));
    directory.write("train-labels-idx1-ubyte", idx_labels(12, 4));
    directory.write("t10k-images-idx3-ubyte", idx_images(6, 4, other_images ? 5 : 4));
    directory.write("t10k-labels-idx1-ubyte", idx_labels(6, other_images ? 4 : 5));
    const auto loaded = load_from(directory);
    BOOST_REQUIRE(loaded.has_value());
    const auto test = load_test(*loaded->files, loaded->train);
    BOOST_REQUIRE(!test.has_value());
    BOOST_TEST((test.error().code == ErrorCode::Mismatch));
    const Inspection checked = inspect(directory.path().string(), {});
    BOOST_REQUIRE(checked.problems.size() == 1U);
    BOOST_TEST(test.error().detail == checked.problems[0]);
  }
}

BOOST_AUTO_TEST_CASE(a_test_split_without_labels_is_none) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_images(12, 3, 2));
  directory.write("train-labels-idx1-ubyte", idx_labels(12, 4));
  directory.write("t10k-images-idx3-ubyte", idx_images(5, 3, 2));
  const auto loaded = load_from(directory);
  BOOST_REQUIRE(loaded.has_value());
  const auto test = load_test(*loaded->files, loaded->train);
  BOOST_REQUIRE(test.has_value());
  BOOST_TEST(!test->has_value());
}

BOOST_AUTO_TEST_CASE(a_labels_file_in_the_place_of_images_is_told) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_labels(12, 4));
  const auto loaded = load_from(directory);
  BOOST_REQUIRE(!loaded.has_value());
  BOOST_TEST(says(loaded.error().detail, {"is IDX labels, not IDX images"}));
}

BOOST_AUTO_TEST_CASE(emnist_images_are_turned_upright) {
  const TemporaryDirectory directory;
  // Two images of 2 x 3, stored row by row.
  const FileBytes pixels{1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16};
  directory.write("emnist-digits-train-images-idx3-ubyte", idx_bytes(0x803, {2, 2, 3}, pixels));
  const auto loaded = load_from(directory, "/emnist-digits");
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST((loaded->train.shape == SampleShape{.height = 3, .width = 2, .channels = 1}));
  const FileBytes upright{1, 4, 2, 5, 3, 6, 11, 14, 12, 15, 13, 16};
  BOOST_TEST((loaded->train.bytes == upright));
}

BOOST_AUTO_TEST_CASE(a_synthetic_set_is_loaded_by_name_with_its_truth) {
  DataRequest request;
  request.name = "ring8";
  request.synthetic.count = 80;
  const auto loaded = load_data(request);
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST(loaded->train.count == 80U);
  BOOST_TEST(!loaded->files.has_value());
  BOOST_REQUIRE(loaded->truth.has_value());
  BOOST_TEST(loaded->truth->centres.size() == 8U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
