// The check of a set: what it measures, and that it tells all problems, not the first.
#include "data/inspect.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(inspection)

using test::contains;
using test::FileBytes;
using test::gzip;
using test::idx_bytes;
using test::idx_images;
using test::idx_labels;
using test::TemporaryDirectory;

namespace {

Inspection inspected(const TemporaryDirectory& directory) {
  return inspect(directory.path().string(), {});
}

bool any_contains(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return contains(line, part); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sound_set_is_measured_and_found_fine) {
  const TemporaryDirectory directory;
  // Four images of 1 x 2: the first and the last alike, the second blank.
  const FileBytes pixels{0, 10, 7, 7, 255, 0, 0, 10};
  directory.write("train-images-idx3-ubyte", idx_bytes(0x803, {4, 1, 2}, pixels));
  directory.write("train-labels-idx1-ubyte", idx_bytes(0x801, {4}, {0, 2, 2, 0}));
  directory.write("t10k-images-idx3-ubyte", idx_bytes(0x803, {1, 1, 2}, {255, 0}));
  directory.write("t10k-labels-idx1-ubyte", idx_bytes(0x801, {1}, {2}));
  const Inspection result = inspected(directory);
  BOOST_TEST(result.ok());
  BOOST_REQUIRE(result.sets.size() == 1U);
  BOOST_REQUIRE(result.sets[0].files.size() == 4U);
  const FileInspection& images = result.sets[0].files[0];
  BOOST_REQUIRE(images.images.has_value());
  BOOST_TEST(images.count == 4U);
  BOOST_TEST(images.file_bytes == 24U);
  BOOST_TEST(images.images->minimum == 0);
  BOOST_TEST(images.images->maximum == 255);
  BOOST_TEST(images.images->mean == 289.0 / 8);
  BOOST_TEST(images.images->duplicates == 1U);
  BOOST_TEST(images.images->blank == 1U);
  BOOST_TEST((result.sets[0].files[1].label_counts == std::vector<std::size_t>{2, 0, 2}));
  BOOST_TEST(result.sets[0].files[2].images->in_train == 1U);
  BOOST_TEST(result.sets[0].fingerprint.size() == 32U);
  BOOST_TEST(any_contains(result.remarks, "no image has label 1"));
  const auto lines = text_of(result);
  BOOST_TEST(any_contains(lines, "train images: 4 of 1 x 2, pixels 0 to 255, mean 36.12"));
  BOOST_TEST(any_contains(lines, "1 duplicate, 1 blank"));
  BOOST_TEST(lines.back() == "verdict: fine, ready to train on");
}

BOOST_AUTO_TEST_CASE(all_problems_are_told_at_once) {
  const TemporaryDirectory directory;
  FileBytes cut = idx_images(10, 4, 4);
  cut.resize(16 + 70);
  directory.write("train-images-idx3-ubyte", cut);
  directory.write("train-labels-idx1-ubyte", idx_labels(9, 3));
  FileBytes corrupt = gzip(idx_images(5, 4, 4));
  corrupt[corrupt.size() - 6] ^= 0xFF;
  directory.write("t10k-images-idx3-ubyte.gz", corrupt);
  directory.write("t10k-labels-idx1-ubyte", std::string_view("<html>404</html>"));
  const Inspection result = inspected(directory);
  BOOST_TEST(!result.ok());
  BOOST_TEST(result.problems.size() == 4U);
  BOOST_TEST(any_contains(result.problems, "train-images-idx3-ubyte: is cut short"));
  BOOST_TEST(any_contains(result.problems, "holds 10 images, but"));
  BOOST_TEST(any_contains(result.problems, "checksum does not match"));
  BOOST_TEST(any_contains(result.problems, "is an HTML or XML page"));
  // What can be read of the damaged file is still measured.
  BOOST_TEST(result.sets[0].files[0].count == 4U);
  BOOST_TEST(result.sets[0].files[0].images.has_value());
  BOOST_TEST(result.sets[0].fingerprint.empty());
  BOOST_TEST(text_of(result).back() == "verdict: 4 problems, to be mended first");
}

BOOST_AUTO_TEST_CASE(content_that_cannot_be_learnt_from_is_a_problem) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_bytes(0x803, {2, 1, 2}, FileBytes(4)));
  directory.write("t10k-images-idx3-ubyte", idx_bytes(0x803, {2, 1, 2}, {0, 1, 1, 0}));
  const Inspection result = inspected(directory);
  BOOST_TEST(any_contains(result.problems, "every pixel is 0"));
  BOOST_TEST(any_contains(result.problems, "pixels are 0 and 1 only"));
  BOOST_TEST(any_contains(result.remarks, "no labels: it can be trained on"));
}

BOOST_AUTO_TEST_CASE(labels_of_one_class_are_remarked_on) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_images(3, 4, 4));
  directory.write("train-labels-idx1-ubyte", idx_bytes(0x801, {3}, {5, 5, 5}));
  const Inspection result = inspected(directory);
  BOOST_TEST(result.ok());
  BOOST_TEST(any_contains(result.remarks,
                          "every image has label 5: it can be trained on, but not "
                          "judged by classes"));
  directory.write("train-labels-idx1-ubyte", idx_bytes(0x801, {3}, {5, 5, 4}));
  BOOST_TEST(!any_contains(inspected(directory).remarks, "every image has label"));
}

BOOST_AUTO_TEST_CASE(splits_of_two_sets_are_a_problem) {
  const TemporaryDirectory directory;
  directory.write("train-images-idx3-ubyte", idx_images(6, 4, 4));
  directory.write("train-labels-idx1-ubyte", idx_labels(6, 3));
  directory.write("t10k-images-idx3-ubyte", idx_images(6, 4, 5));
  directory.write("t10k-labels-idx1-ubyte", idx_labels(6, 5));
  const Inspection result = inspected(directory);
  BOOST_TEST(result.problems.size() == 2U);
  BOOST_TEST(any_contains(result.problems, "images of 4 x 5, the training split of 4 x 4"));
  BOOST_TEST(any_contains(result.problems, "has label 4"));
}

BOOST_AUTO_TEST_CASE(missing_training_images_do_not_hide_the_other_files) {
  const TemporaryDirectory directory;
  directory.write("train-labels-idx1-ubyte", idx_labels(6, 3));
  directory.write("t10k-images-idx3-ubyte", idx_images(6, 4, 5));
  const Inspection result = inspected(directory);
  BOOST_TEST(any_contains(result.problems, "holds no train-images-idx3-ubyte"));
  BOOST_TEST(result.sets[0].files.size() == 2U);
}

BOOST_AUTO_TEST_CASE(every_set_of_a_directory_is_inspected) {
  const TemporaryDirectory directory;
  directory.write("emnist-digits-train-images-idx3-ubyte", idx_images(6, 4, 4));
  directory.write("emnist-letters-train-images-idx3-ubyte", idx_images(7, 4, 4));
  const Inspection result = inspected(directory);
  BOOST_TEST(result.ok());
  BOOST_REQUIRE(result.sets.size() == 2U);
  BOOST_TEST(result.sets[1].name == "emnist-letters");
  BOOST_TEST(any_contains(result.remarks, "loaded upright"));
}

BOOST_AUTO_TEST_CASE(a_set_is_named_after_its_directory_with_or_without_a_slash) {
  const TemporaryDirectory directory;
  const auto images = directory.write("pictures/train-images-idx3-ubyte", idx_images(6, 4, 4));
  const std::string path = images.parent_path().string();
  BOOST_TEST(inspect(path, {}).sets[0].name == "pictures");
  BOOST_TEST(inspect(path + "/", {}).sets[0].name == "pictures");
}

BOOST_AUTO_TEST_CASE(a_set_that_is_not_there_is_the_problem) {
  const TemporaryDirectory directory;
  const Inspection result = inspect((directory.path() / "none").string(), {});
  BOOST_TEST(!result.ok());
  BOOST_TEST(result.sets.empty());
  BOOST_TEST(any_contains(result.problems, "no such directory"));
}

BOOST_AUTO_TEST_CASE(a_synthetic_set_is_described_too) {
  const Inspection result = inspect("ring8", {});
  BOOST_TEST(result.ok());
  BOOST_TEST(any_contains(text_of(result), "points: 50000; labels 0 to 7, 6250 each"));
}

BOOST_AUTO_TEST_CASE(the_json_form_has_the_same_content_and_escapes_text) {
  Inspection result;
  result.problems.push_back("a \"quoted\" \\ path\n");
  result.sets.push_back({.name = "n", .directory = "/d", .fingerprint = "f", .files = {}});
  BOOST_TEST(json_of(result) ==
             "{\"ok\": false, \"sets\": [{\"name\": \"n\", \"directory\": \"/d\", "
             "\"fingerprint\": \"f\", \"files\": []}], \"remarks\": [], "
             "\"problems\": [\"a \\\"quoted\\\" \\\\ path\\u000a\"]}");
}

BOOST_AUTO_TEST_CASE(the_json_form_is_utf_8_whatever_a_path_holds) {
  Inspection result;
  result.remarks.push_back("caf\xe9, \u03b1.gz \xff");
  BOOST_TEST(json_of(result) ==
             "{\"ok\": true, \"sets\": [], \"remarks\": [\"caf\uFFFD, \u03b1.gz \uFFFD\"], "
             "\"problems\": []}");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
