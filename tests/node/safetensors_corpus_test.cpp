// Replays the fuzzer's corpus, so that every build reads what once was interesting.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "fuzz/safetensors_case.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille {
namespace {

BOOST_AUTO_TEST_CASE(every_safetensors_input_of_the_corpus_is_survived) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/tests/fuzz/corpus/safetensors")) {
    const std::string content = test::contents_of(entry.path());
    BOOST_TEST_CONTEXT(entry.path().filename())
    fuzz::safetensors_case(bytes_of(std::span<const char>(content)));
    ++count;
  }
  BOOST_TEST(count >= 10u);
}

}  // namespace
}  // namespace quadrille
