// Replays the fuzzer's corpus, so that every build reads what once was interesting.
#include "fuzz/safetensors_case.hpp"
#include "support/corpus.hpp"

namespace quadrille {
namespace {

BOOST_AUTO_TEST_CASE(every_safetensors_input_of_the_corpus_is_survived) {
  test::replay_corpus("safetensors", [](const std::string& content) {
    fuzz::safetensors_case(bytes_of(std::span<const char>(content)));
  });
}

}  // namespace
}  // namespace quadrille
