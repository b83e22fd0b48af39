// Replays the fuzzer's corpus, so that every build reads what once was interesting.
#include "fuzz/idx_case.hpp"
#include "support/corpus.hpp"

namespace quadrille {
namespace {

BOOST_AUTO_TEST_CASE(every_data_file_of_the_corpus_is_survived) {
  test::replay_corpus("idx", [](const std::string& content) {
    fuzz::idx_case(bytes_of(std::span<const char>(content)));
  });
}

}  // namespace
}  // namespace quadrille
