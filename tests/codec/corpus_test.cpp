// Replays the fuzzer's corpus, so that every build runs what once was interesting.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/codec_case.hpp"

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(corpus)

BOOST_AUTO_TEST_CASE(every_input_of_the_corpus_is_survived) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/tests/fuzz/corpus/codec"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  BOOST_TEST(files.size() >= 10u);
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    BOOST_TEST_CONTEXT(path.filename()) fuzz::codec_case(std::as_bytes(std::span(content)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
