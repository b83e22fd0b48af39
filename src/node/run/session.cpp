#include "node/run/session.hpp"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/count_text.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "node/run/available_memory.hpp"
#include "node/run/classifier_cache.hpp"
#include "node/run/worker_threads.hpp"
#include "node/spec/run_data.hpp"
#include "train/lipizzaner/learner.hpp"

namespace quadrille::node {
namespace {

std::string data_line(const data::LoadedData& data) {
  const data::Dataset& set = data.train;
  std::string line = "data: " + set.name + ", " + std::to_string(set.count);
  if (set.is_image())
    line +=
        " images of " + std::to_string(set.shape.height) + " x " + std::to_string(set.shape.width);
  else
    line += " points";
  if (set.class_count > 0)
    line += ", " + std::to_string(set.class_count) + (set.class_count == 1 ? " class" : " classes");
  if (data.files) line += " (" + data.files->directory.string() + ")";
  return line;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::make(RunSpec spec, const SessionRequest& request) {
  TRY(data, data::load_data({.name = spec.data.name,
                             .places = data::data_places(spec.data.path),
                             .synthetic = spec.data.synthetic,
                             .memory_bytes_max = available_memory_bytes()}));
  TRY(options, fit_to_data(spec, data.train));
  spec.lipizzaner = options;
  request.say(data_line(data));
  if (const std::string note = no_score_note(spec, data.train); !note.empty()) request.say(note);
  if (request.check) TRY_VOID(request.check(spec, data.train));
  std::unique_ptr<Session> session(new Session(std::move(spec), request, std::move(data)));
  TRY_VOID(session->prepare());
  return session;
}

Session::Session(RunSpec spec, SessionRequest request, data::LoadedData data)
    : spec_(std::move(spec)), request_(std::move(request)), data_(std::move(data)) {}

Result<void> Session::prepare() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  TRY(pool, start_threads(request_.threads.value_or(cores)));
  pool_ = std::move(pool);
  backend_ = compute::make_cpu_backend(*pool_);
  request_.say("device: " + std::string(backend_->description()) + ", " +
               count_text(pool_->thread_count(), "thread"));
  const train::LipizzanerOptions& options = spec_.lipizzaner;
  if (train::needs_classifier(options.score)) {
    TRY_VOID(ensure_classifier());
    scored_on_ = {.classifier = classifier_->name(), .test_split = !classifier_->model().held_out};
  }
  TRY(scorer, train::make_scorer(options.score,
                                 {.dataset = data_.train,
                                  .classifier = classifier_.get(),
                                  .truth = data_.truth ? &*data_.truth : nullptr},
                                 options.score_sample_size));
  scorer_ = std::move(scorer);
  TRY(learner,
      train::make_lipizzaner(spec_.run, options, *backend_, *pool_, data_.train, scorer_.get()));
  learner_ = std::move(learner);
  return {};
}

Result<void> Session::ensure_classifier() {
  if (classifier_) return {};
  std::optional<data::Dataset> test;
  if (data_.files) {
    TRY(loaded, data::load_test(*data_.files, data_.train, available_memory_bytes()));
    test = std::move(loaded);
  }
  const ClassifierRequest request{
      .train = data_.train,
      .test = test ? &*test : nullptr,
      .progress =
          [&](const train::ClassifierProgress& progress) {
            if (progress.epoch == 1)
              request_.say("classifier: training it once for this data set (" +
                           std::to_string(progress.epochs) + " epochs)");
          },
      .notice = [&](const std::string& notice) { request_.say(notice); }};
  TRY(model, load_or_train_classifier(cache_directory(), request, *backend_));
  classifier_ = std::make_unique<train::Classifier>(std::move(model), *backend_);
  request_.say("scores: on " + classifier_->description());
  return {};
}

Result<train::ScoreSources> Session::sources() {
  if (!data_.truth && !unclassifiable(data_.train)) TRY_VOID(ensure_classifier());
  return train::ScoreSources{.dataset = data_.train,
                             .classifier = classifier_.get(),
                             .truth = data_.truth ? &*data_.truth : nullptr};
}

std::filesystem::path cache_directory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "quadrille";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache" / "quadrille";
  return {};
}

}  // namespace quadrille::node
