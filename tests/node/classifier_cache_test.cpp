// The cache of classifiers: trained once, and never a reason for a run to fail.
#include "node/run/classifier_cache.hpp"

#include <boost/test/unit_test.hpp>

#include "compute/cpu/cpu_backend.hpp"
#include "support/scratch_directory.hpp"
#include "train/score_fixtures.hpp"

using namespace quadrille;
using namespace quadrille::node;
using train::ClassifierModel;

BOOST_AUTO_TEST_SUITE(classifier_cache)

namespace {

// One machine's cache, and what load_or_train_classifier said.
struct Cache {
  WorkerPool pool{1};
  std::unique_ptr<compute::Backend> backend = compute::make_cpu_backend(pool);
  test::ScratchDirectory scratch;
  data::Dataset set = test::bars(200, 1);
  std::optional<data::Dataset> test_split;
  std::size_t epochs = 2;
  std::size_t epochs_trained = 0;
  std::vector<std::string> notices;

  ClassifierModel get(const std::filesystem::path& directory) {
    epochs_trained = 0;
    notices.clear();
    auto model = load_or_train_classifier(
        directory,
        {.train = set,
         .test = test_split ? &*test_split : nullptr,
         .training = {.epochs = epochs, .batch_size = 20},
         .progress = [this](const train::ClassifierProgress&) { ++epochs_trained; },
         .notice = [this](const std::string& text) { notices.push_back(text); }},
        *backend);
    BOOST_REQUIRE(model.has_value());
    return *model;
  }
  ClassifierModel get() { return get(scratch / "cache"); }
  std::filesystem::path file() const {
    return classifier_path(scratch / "cache",
                           {.train = set, .test = test_split ? &*test_split : nullptr});
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_second_run_reads_what_the_first_one_trained) {
  Cache cache;
  const ClassifierModel first = cache.get();
  BOOST_TEST(cache.epochs_trained == 2u);
  BOOST_TEST(cache.file().filename() == cache.set.fingerprint + ".classifier");
  BOOST_CHECK(cache.get() == first);
  BOOST_TEST(cache.epochs_trained == 0u);
  BOOST_TEST(cache.notices.empty());
}

// It is trained on other rows: neither takes the other's place, whichever copy of the set is read.
BOOST_AUTO_TEST_CASE(a_set_with_a_test_split_and_the_same_without_have_a_file_each) {
  Cache cache;
  const ClassifierModel without = cache.get();
  cache.test_split = test::bars(100, 2);
  const ClassifierModel with = cache.get();
  BOOST_TEST(cache.epochs_trained == 2u);
  BOOST_TEST(cache.notices.empty());
  BOOST_TEST(!with.held_out);
  BOOST_TEST(cache.file().filename() ==
             cache.set.fingerprint + "-" + cache.test_split->fingerprint + ".classifier");
  BOOST_CHECK(with.parameters != without.parameters);
  for (int i = 0; i < 2; ++i) {
    cache.test_split.reset();
    BOOST_CHECK(cache.get() == without);
    BOOST_TEST(cache.epochs_trained == 0u);
    cache.test_split = test::bars(100, 2);
    BOOST_CHECK(cache.get() == with);
    BOOST_TEST(cache.epochs_trained == 0u);
  }
  BOOST_TEST(cache.notices.empty());
}

BOOST_AUTO_TEST_CASE(nothing_but_the_file_stays_behind) {
  Cache cache;
  cache.get();
  BOOST_TEST(cache.scratch.entry_count() == 2u);  // the directory and the file
}

BOOST_AUTO_TEST_CASE(no_directory_is_no_cache) {
  Cache cache;
  cache.get({});
  cache.get({});
  BOOST_TEST(cache.epochs_trained == 2u);
  BOOST_TEST(cache.notices.empty());
}

BOOST_AUTO_TEST_CASE(a_corrupt_file_is_told_and_replaced) {
  Cache cache;
  const ClassifierModel first = cache.get();
  std::string bytes = test::contents_of(cache.file());
  for (const std::string& bad :
       {bytes.substr(0, 1000), bytes + "x", std::string("hello"), std::string()}) {
    test::put_contents(cache.file(), bad);
    BOOST_CHECK(cache.get() == first);
    BOOST_TEST(cache.epochs_trained == 2u);
    BOOST_REQUIRE(cache.notices.size() == 1u);
    BOOST_TEST(cache.notices[0].starts_with(cache.file().string() + ": not a classifier file: "));
    BOOST_TEST(cache.notices[0].ends_with("; the classifier is trained anew"));
    BOOST_TEST(test::contents_of(cache.file()) == bytes);
  }
}

BOOST_AUTO_TEST_CASE(the_classifier_of_other_data_is_not_taken) {
  Cache cache;
  cache.get();
  const std::filesystem::path first = cache.file();
  cache.set = test::bars(200, 2);
  std::filesystem::copy_file(first, cache.file());
  BOOST_TEST(cache.get().fingerprint == cache.set.fingerprint);
  BOOST_TEST(cache.notices.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_classifier_that_was_trained_less_is_not_taken) {
  Cache cache;
  cache.get();
  cache.epochs = 3;
  cache.get();
  BOOST_TEST(cache.epochs_trained == 3u);
}

// Root may write anywhere, so that a directory without permission would prove nothing there.
BOOST_AUTO_TEST_CASE(a_cache_that_cannot_be_written_costs_a_notice_and_nothing_else) {
  Cache cache;
  test::put_contents(cache.scratch / "file", "in the way");
  cache.get(cache.scratch / "file" / "cache");
  BOOST_TEST(cache.epochs_trained == 2u);
  BOOST_REQUIRE(!cache.notices.empty());
  BOOST_TEST(cache.notices.back().ends_with(
      "; the classifier is not kept, and the next run trains its own"));
}

BOOST_AUTO_TEST_CASE(a_directory_in_the_files_place_costs_a_notice_too) {
  Cache cache;
  std::filesystem::create_directories(cache.file());
  cache.get();
  BOOST_TEST(cache.epochs_trained == 2u);
  BOOST_TEST(!cache.notices.empty());
  BOOST_TEST(cache.scratch.entry_count() == 2u);  // no partial file
}

BOOST_AUTO_TEST_CASE(an_error_of_the_data_is_an_error) {
  Cache cache;
  cache.set.labels.clear();
  const auto model =
      load_or_train_classifier(cache.scratch / "cache", {.train = cache.set}, *cache.backend);
  BOOST_REQUIRE(!model);
  BOOST_CHECK(model.error().code == ErrorCode::Config);
}

BOOST_AUTO_TEST_SUITE_END()
