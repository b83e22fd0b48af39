// What keys must agree on with each other: the rules that no single range can state. What they must
// agree on with the data is in run_data.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "node/spec/run_spec.hpp"

namespace quadrille::node {

// A rule that the spec breaks: the key to change, and
// a sentence about its value and what it should be.
struct Disagreement {
  std::string_view key;
  std::string text;
};

std::vector<Disagreement> disagreements(const RunSpec& spec);

// What "auto" stands for as long as only the name of the data set is known.
std::string_view auto_model(const RunSpec& spec);
train::ScoreKind auto_score(const RunSpec& spec);

}  // namespace quadrille::node
