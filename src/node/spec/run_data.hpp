// What a run file and a data set must agree on, once the data are there.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

// The run's options with every "auto" replaced by what this data set allows. Config, with a problem
// for each disagreement: a batch or a fitness sample larger than the data, a score that needs
// labels where there are none. Each says where the key was set.
Result<train::LipizzanerOptions> fit_to_data(const RunSpec& spec, const data::Dataset& dataset);

// "has one class only (...)": why no classifier can be trained on the images' labels, without which
// a score of classes or features means nothing. None where one can.
std::optional<std::string> unclassifiable(const data::Dataset& dataset);

// A line for a person where the file leaves the score to the data and they allow none; else empty.
std::string no_score_note(const RunSpec& spec, const data::Dataset& dataset);

}  // namespace quadrille::node
