#include "train/score/classifier_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "train/score/classifier_file.hpp"

namespace quadrille::train {
namespace {

// The largest network over the largest sample is far below: a file beyond it is not a classifier.
constexpr std::uintmax_t file_bytes_max = std::uintmax_t{256} << 20;

Failure io_failure(const std::filesystem::path& path, int error_number) {
  return failure(
      ErrorCode::Io,
      path.string() + ": " + std::error_code(error_number, std::generic_category()).message());
}

Result<ByteBuffer> read_cached(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory)
    return failure(ErrorCode::NotFound, path.string());
  if (error) return io_failure(path, error.value());
  if (bytes > file_bytes_max)
    return failure(ErrorCode::Limit, path.string() + ": " + std::to_string(bytes) + " bytes");
  ByteBuffer out(bytes);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(bytes)))
    return failure(ErrorCode::Io, path.string() + ": cannot be read");
  return out;
}

// Returns 0, or the errno of what failed.
int write_and_sync(int descriptor, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// Peers on one machine may do this at once: each has
// its own temporary name, and the last rename stays.
Result<void> write_cached(const std::filesystem::path& path, Bytes bytes) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return io_failure(path.parent_path(), error.value());
  std::string partial = path.string() + ".partial-XXXXXX";
  const int descriptor = ::mkstemp(partial.data());
  if (descriptor < 0) return io_failure(path, errno);
  int error_number = write_and_sync(descriptor, bytes);
  if (::close(descriptor) != 0 && error_number == 0) error_number = errno;
  if (error_number == 0 && ::rename(partial.c_str(), path.c_str()) != 0) error_number = errno;
  if (error_number == 0) return {};
  ::unlink(partial.c_str());
  return io_failure(path, error_number);
}

// The cached classifier, if it is the one that the request would train.
Result<ClassifierModel> load_cached(const std::filesystem::path& path,
                                    const ClassifierRequest& request) {
  TRY(bytes, read_cached(path));
  auto model = parse_classifier(bytes);
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

}  // namespace

std::filesystem::path classifier_path(const std::filesystem::path& directory,
                                      const std::string& fingerprint) {
  return directory / (fingerprint + ".classifier");
}

Result<ClassifierModel> load_or_train_classifier(const std::filesystem::path& directory,
                                                 const ClassifierRequest& request,
                                                 compute::Backend& backend) {
  const auto path = classifier_path(directory, request.train.fingerprint);
  const auto notify = [&request](const std::string& text) {
    if (request.notice) request.notice(text);
  };
  if (!directory.empty()) {
    auto cached = load_cached(path, request);
    if (cached) return cached;
    if (cached.error().code != ErrorCode::NotFound)
      notify(cached.error().detail + "; the classifier is trained anew");
  }
  TRY(model,
      train_classifier(request.train, request.test, backend, request.training, request.progress));
  if (!directory.empty())
    if (const auto written = write_cached(path, serialise(model)); !written)
      notify(written.error().detail +
             "; the classifier is not kept, and the next run trains its own");
  return model;
}

}  // namespace quadrille::train
