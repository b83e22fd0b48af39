// Replays the fuzzer's corpus, so that every build reads what once was interesting.
#include "support/corpus.hpp"
#include "fuzz/codec_case.hpp"

namespace quadrille {
namespace {

BOOST_AUTO_TEST_CASE(every_payload_of_the_corpus_is_survived) {
  test::replay_corpus("codec", [](const std::string& content) {
    fuzz::codec_case(bytes_of(std::span<const char>(content)));
  });
}

}  // namespace
}  // namespace quadrille
