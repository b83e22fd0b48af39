// Replays the fuzzer's corpus, so that every build reads what once was interesting.
#include "fuzz/run_file_case.hpp"
#include "support/corpus.hpp"

namespace quadrille {
namespace {

BOOST_AUTO_TEST_CASE(every_run_file_of_the_corpus_is_survived) {
  test::replay_corpus("run_file", [](const std::string& text) { fuzz::run_file_case(text); });
}

}  // namespace
}  // namespace quadrille
