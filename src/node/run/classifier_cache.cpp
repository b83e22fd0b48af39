#include "node/run/classifier_cache.hpp"

#include "node/files/atomic_file.hpp"
#include "train/score/classifier_file.hpp"

namespace quadrille::node {
namespace {

using train::ClassifierModel;

// The largest network over the largest sample is far below: a file beyond it is not a classifier.
constexpr std::uint64_t file_bytes_max = std::uint64_t{256} << 20;

// The cached classifier, if it is the one that the request would train.
Result<ClassifierModel> load_cached(const std::filesystem::path& path,
                                    const ClassifierRequest& request) {
  TRY(bytes, read_file(path, file_bytes_max));
  auto model = train::parse_classifier(bytes);
  if (!model) return failure_in(path.string(), model.error());
  if (model->fingerprint != request.train.fingerprint ||
      model->sample_size != request.train.shape.size() ||
      model->class_count != request.train.class_count || model->epochs != request.training.epochs ||
      model->held_out != (request.test == nullptr))
    return failure(ErrorCode::Mismatch, path.string() +
                                            ": a classifier of other data, or trained "
                                            "in another way");
  return std::move(*model);
}

// Peers on one machine may do this at once: the last rename stays.
Result<void> write_cached(const std::filesystem::path& path, Bytes bytes) {
  TRY_VOID(make_directories(path.parent_path()));
  return write_file_atomically(path, bytes);
}

}  // namespace

std::filesystem::path classifier_path(const std::filesystem::path& directory,
                                      const ClassifierRequest& request) {
  std::string name = request.train.fingerprint;
  if (request.test) name += "-" + request.test->fingerprint;
  return directory / (name + ".classifier");
}

Result<ClassifierModel> load_or_train_classifier(const std::filesystem::path& directory,
                                                 const ClassifierRequest& request,
                                                 compute::Backend& backend) {
  const auto path = classifier_path(directory, request);
  const auto notify = [&request](const std::string& text) {
    if (request.notice) request.notice(text);
  };
  if (!directory.empty()) {
    auto cached = load_cached(path, request);
    if (cached) return cached;
    if (cached.error().code != ErrorCode::NotFound)
      notify(cached.error().detail + "; the classifier is trained anew");
  }
  TRY(model, train::train_classifier(request.train, request.test, backend, request.training,
                                     request.progress));
  if (!directory.empty())
    if (const auto written = write_cached(path, train::serialise(model)); !written)
      notify(written.error().detail +
             "; the classifier is not kept, and the next run trains its own");
  return model;
}

}  // namespace quadrille::node
