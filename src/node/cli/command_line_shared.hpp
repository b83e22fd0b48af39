// What several verbs take: how to work, where the data are, changes to the run file.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "node/cli/command_line.hpp"
#include "node/cli/command_line_words.hpp"

namespace quadrille::node {

// As text, until the words are parsed.
struct WorkWords {
  MaybeGiven threads, cells, device, log_level;

  void declare(Words& words);
  Result<WorkFlags> read() const;
};

void declare_threads(Words& words, MaybeGiven& threads);
void declare_data(Words& words, MaybeGiven& data);
void declare_set(Words& words, std::vector<std::string>& sets);
Result<std::vector<Override>> overrides_of(const MaybeGiven& data,
                                           const std::vector<std::string>& sets);

}  // namespace quadrille::node
