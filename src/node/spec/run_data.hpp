// What a run file and a data set must agree on, once the data are there.
#pragma once

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

// The run's options with every "auto" replaced by what this data set allows. Config, with a problem
// for each disagreement: a batch or a fitness sample larger than the data, a score that needs
// labels where there are none.
Result<train::LipizzanerOptions> fit_to_data(const RunSpec& spec, const data::Dataset& dataset);

}  // namespace quadrille::node
