// Finding a set: by name in the list of places, by path, and the lines that say why it was not.
#include "data/set_files.hpp"

#include <boost/test/unit_test.hpp>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(set_files)

using test::says;
using test::TemporaryDirectory;

namespace {

constexpr std::string_view images_name = "train-images-idx3-ubyte";

// Only directories of the test's own.
DataPlaces places_in(const TemporaryDirectory& root) {
  return {.data_dir = {},
          .working_dir = root.path() / "cwd",
          .user_dir = root.path() / "user",
          .system_dir = root.path() / "system"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_published_names_are_recognised_plain_or_zipped) {
  const TemporaryDirectory root;
  root.write("train-images-idx3-ubyte.gz", "");
  root.write("train-labels-idx1-ubyte", "");
  root.write("t10k-images.idx3-ubyte", "");
  root.write("README", "");
  const auto set = find_set(root.path().string(), places_in(root));
  BOOST_REQUIRE(set.has_value());
  BOOST_TEST(set->train.images.filename() == "train-images-idx3-ubyte.gz");
  BOOST_TEST(set->train.labels.filename() == "train-labels-idx1-ubyte");
  BOOST_TEST(set->test.images.filename() == "t10k-images.idx3-ubyte");
  BOOST_TEST(set->test.labels.empty());
  BOOST_TEST(!set->transposed());
}

BOOST_AUTO_TEST_CASE(a_plain_file_is_preferred_to_its_zipped_twin) {
  const TemporaryDirectory root;
  root.write("train-images-idx3-ubyte.gz", "");
  root.write("train-images-idx3-ubyte", "");
  const auto set = find_set(root.path().string(), places_in(root));
  BOOST_REQUIRE(set.has_value());
  BOOST_TEST(set->train.images.filename() == "train-images-idx3-ubyte");
}

BOOST_AUTO_TEST_CASE(places_are_tried_in_order) {
  const TemporaryDirectory root;
  DataPlaces places = places_in(root);
  const auto found_in = [&](const std::string& folder) {
    root.write(folder + "/" + std::string(images_name), "");
    const auto set = find_set("mnist", places);
    BOOST_REQUIRE(set.has_value());
    BOOST_TEST(set->name == "mnist");
    return set->directory == root.path() / folder;
  };
  BOOST_TEST(found_in("system/mnist"));
  BOOST_TEST(found_in("user/mnist"));
  BOOST_TEST(found_in("cwd/data/mnist"));
  places.data_dir = root.path() / "given";
  BOOST_TEST(found_in("given"));
  BOOST_TEST(found_in("given/mnist"));
}

BOOST_AUTO_TEST_CASE(a_name_that_is_found_nowhere_is_tried_as_a_directory) {
  const TemporaryDirectory root;
  root.write("cwd/pictures/" + std::string(images_name), "");
  const auto set = find_set("pictures", places_in(root));
  BOOST_REQUIRE(set.has_value());
  BOOST_TEST(set->directory == root.path() / "cwd/pictures");
}

BOOST_AUTO_TEST_CASE(a_missing_set_tells_what_was_searched_and_how_to_get_it) {
  const TemporaryDirectory root;
  root.write("user/fashion-mnist/README", "");
  const auto set = find_set("fashion-mnist", places_in(root));
  BOOST_REQUIRE(!set.has_value());
  BOOST_TEST((set.error().code == ErrorCode::NotFound));
  BOOST_TEST(
      says(set.error().detail, {"data set \"fashion-mnist\" was not found",
                                "cwd/data/fashion-mnist", "user/fashion-mnist (which holds no set)",
                                "system/fashion-mnist", "apt-get install dataset-fashion-mnist"}));
  const auto mnist = find_set("mnist", places_in(root));
  BOOST_TEST(says(mnist.error().detail,
                  {"tools/data mnist", "from another working directory give --data CLONE/data"}));
}

BOOST_AUTO_TEST_CASE(a_misspelt_name_is_answered_with_the_nearest) {
  const TemporaryDirectory root;
  const auto set = find_set("fashon-mnist", places_in(root));
  BOOST_REQUIRE(!set.has_value());
  BOOST_TEST(says(set.error().detail, {"did you mean \"fashion-mnist\"?", "ring8"}));
  const auto letters = find_set("emnist-lettrs", places_in(root));
  BOOST_REQUIRE(!letters.has_value());
  BOOST_TEST(says(letters.error().detail, {"did you mean \"emnist-letters\"?"}));
  const auto right = find_set("emnist-letters", places_in(root));
  BOOST_REQUIRE(!right.has_value());
  BOOST_TEST(says(right.error().detail, {"download its IDX files"}));
}

BOOST_AUTO_TEST_CASE(a_data_directory_that_is_not_there_is_not_passed_over) {
  const TemporaryDirectory root;
  root.write("system/mnist/" + std::string(images_name), "");
  DataPlaces places = places_in(root);
  places.data_dir = root.path() / "misspelt";
  const auto set = find_set("mnist", places);
  BOOST_REQUIRE(!set.has_value());
  BOOST_TEST(says(set.error().detail, {"misspelt: no such directory", "--data"}));
}

BOOST_AUTO_TEST_CASE(a_directory_that_the_system_will_not_look_at_is_not_called_missing) {
  const TemporaryDirectory root;
  const auto loop = root.path() / "loop";
  std::filesystem::create_symlink(loop, loop);
  DataPlaces places = places_in(root);
  const auto by_path = find_set(loop.string(), places);
  BOOST_REQUIRE(!by_path.has_value());
  BOOST_TEST((by_path.error().code == ErrorCode::Mismatch));
  BOOST_TEST(says(by_path.error().detail, {"loop: cannot be looked at: Too many levels"}));
  places.data_dir = loop;
  const auto by_name = find_set("mnist", places);
  BOOST_REQUIRE(!by_name.has_value());
  BOOST_TEST((by_name.error().code == ErrorCode::Mismatch));
  BOOST_TEST(says(by_name.error().detail, {"loop: cannot be looked at: Too many levels"}));
}

BOOST_AUTO_TEST_CASE(a_long_directory_is_listed_in_part) {
  const TemporaryDirectory root;
  for (const char name : std::string("abcdefgh")) root.write(std::string(1, name), "");
  const auto set = find_set(root.path().string(), places_in(root));
  BOOST_REQUIRE(!set.has_value());
  BOOST_TEST(says(set.error().detail, {"it holds a, b, c, d, e, f and 2 more"}));
}

BOOST_AUTO_TEST_CASE(a_directory_of_sets_names_the_one_to_give) {
  const TemporaryDirectory root;
  root.write("data/notes/README", "");
  root.write("data/mnist/" + std::string(images_name), "");
  const auto data = root.path() / "data";
  const auto one = find_set(data.string(), places_in(root));
  BOOST_REQUIRE(!one.has_value());
  BOOST_TEST(says(one.error().detail, {"(it holds mnist, notes); give ", "data/mnist"}));
  root.write("data/kmnist/" + std::string(images_name), "");
  const auto several = find_set(data.string(), places_in(root));
  BOOST_REQUIRE(!several.has_value());
  const std::string sets =
      "; give one of its sets: " + (data / "kmnist").string() + ", " + (data / "mnist").string();
  BOOST_TEST(says(several.error().detail, {sets}));
}

BOOST_AUTO_TEST_CASE(wrong_paths_are_told_apart) {
  const TemporaryDirectory root;
  const auto file = root.write("some/" + std::string(images_name), "");
  const auto given_file = find_set(file.string(), places_in(root));
  BOOST_REQUIRE(!given_file.has_value());
  BOOST_TEST(says(given_file.error().detail, {"is a file; give the directory", "some"}));
  const auto missing = find_set((root.path() / "none").string(), places_in(root));
  BOOST_REQUIRE(!missing.has_value());
  BOOST_TEST(says(missing.error().detail, {"none: no such directory"}));
  root.write("other/photo.png", "");
  const auto other = find_set((root.path() / "other").string(), places_in(root));
  BOOST_REQUIRE(!other.has_value());
  BOOST_TEST(says(other.error().detail,
                  {"holds no train-images-idx3-ubyte, plain or .gz", "it holds photo.png"}));
  const auto nameless = find_set("", places_in(root));
  BOOST_REQUIRE(!nameless.has_value());
  BOOST_TEST((nameless.error().code == ErrorCode::Config));
}

BOOST_AUTO_TEST_CASE(emnist_sets_are_found_by_their_names_in_one_directory) {
  const TemporaryDirectory root;
  root.write("system/emnist/emnist-letters-train-images-idx3-ubyte.gz", "");
  root.write("system/emnist/emnist-letters-test-images-idx3-ubyte.gz", "");
  const auto only = find_set("emnist", places_in(root));
  BOOST_REQUIRE(only.has_value());
  BOOST_TEST(only->prefix == "emnist-letters-");
  BOOST_TEST(only->transposed());
  root.write("system/emnist/emnist-digits-train-images-idx3-ubyte.gz", "");
  const auto letters = find_set("emnist-letters", places_in(root));
  BOOST_REQUIRE(letters.has_value());
  BOOST_TEST(letters->prefix == "emnist-letters-");
  BOOST_TEST(letters->test.images.filename() == "emnist-letters-test-images-idx3-ubyte.gz");
  const auto several = find_set("emnist", places_in(root));
  BOOST_REQUIRE(!several.has_value());
  BOOST_TEST((several.error().code == ErrorCode::Config));
  BOOST_TEST(says(several.error().detail,
                  {"holds several sets (emnist-digits, emnist-letters)", "name one"}));
  // The example that this error gives works.
  const auto path = root.path() / "system/emnist/emnist-letters";
  BOOST_TEST(says(several.error().detail, {path.string()}));
  BOOST_TEST(find_set(path.string(), places_in(root)).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
