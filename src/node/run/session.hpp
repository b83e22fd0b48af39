// A run brought to life in this process: its data, its device, its scorer and its learner, built
// from the run file in that order, each once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/worker_pool.hpp"
#include "compute/backend.hpp"
#include "data/load.hpp"
#include "node/run/checkpoint_file.hpp"
#include "node/spec/run_spec.hpp"
#include "peer/learner.hpp"
#include "train/score/classifier.hpp"
#include "train/score/scorer.hpp"
#include "train/score/scorers.hpp"

namespace quadrille::node {

using SayFn = std::function<void(const std::string& line)>;
// Of the options that the data allow, and the data.
using CheckFn = std::function<Result<void>(const RunSpec& spec, const data::Dataset& dataset)>;

struct SessionRequest {
  std::optional<std::uint32_t> threads;  // none: one for each core
  SayFn say;                             // a line for a person
  CheckFn check = {};  // asked before anything is computed: what it refuses, make() refuses
};

class Session {
 public:
  // Config, NotFound or Corrupt when the data are not what the run needs.
  static Result<std::unique_ptr<Session>> make(RunSpec spec, const SessionRequest& request);

  const RunSpec& spec() const { return spec_; }
  const data::Dataset& dataset() const { return data_.train; }
  peer::Learner& learner() { return *learner_; }
  // The classifier of the run's own score; none where it needs none.
  const std::optional<ScoredOn>& scored_on() const { return scored_on_; }
  // What figures are measured against; trains the classifier when the data set allows one and the
  // run's own score did not need it.
  Result<train::ScoreSources> sources();

 private:
  Session(RunSpec spec, SessionRequest request, data::LoadedData data);
  Result<void> prepare();
  Result<void> ensure_classifier();

  RunSpec spec_;
  SessionRequest request_;
  data::LoadedData data_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<compute::Backend> backend_;
  std::unique_ptr<train::Classifier> classifier_;
  std::optional<ScoredOn> scored_on_;
  std::unique_ptr<train::Scorer> scorer_;
  std::unique_ptr<peer::Learner> learner_;
};

// Where classifiers are kept between runs: $XDG_CACHE_HOME/quadrille, else ~/.cache/quadrille;
// empty when neither is known.
std::filesystem::path cache_directory();

}  // namespace quadrille::node
