// Replays the fuzzer's corpus, so that every build reads what once was interesting.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "fuzz/run_file_case.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille {
namespace {

BOOST_AUTO_TEST_CASE(every_run_file_of_the_corpus_is_survived) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/tests/fuzz/corpus/run_file")) {
    BOOST_TEST_CONTEXT(entry.path().filename())
    fuzz::run_file_case(test::contents_of(entry.path()));
    ++count;
  }
  BOOST_TEST(count >= 10u);
}

}  // namespace
}  // namespace quadrille
