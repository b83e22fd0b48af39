// The fuzzers' corpora, replayed by plain tests: every build runs what once was interesting.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/scratch_directory.hpp"

namespace quadrille::test {

// Calls run(content) for each file of tests/fuzz/corpus/NAME, in order of their names.
template <class Case>
void replay_corpus(const std::string& name, const Case& run) {
  constexpr std::size_t inputs_min = 10;  // fewer are no corpus, but a wrong path
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/tests/fuzz/corpus/" + name))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  BOOST_TEST(paths.size() >= inputs_min);
  for (const auto& path : paths) {
    BOOST_TEST_CONTEXT(path.filename()) run(contents_of(path));
  }
}

}  // namespace quadrille::test
