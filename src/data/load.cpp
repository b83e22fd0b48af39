#include "data/load.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/count_text.hpp"
#include "data/fingerprint.hpp"
#include "data/image_statistics.hpp"

namespace quadrille::data {
namespace {

// Swaps rows and columns of every image, in place.
void transpose_images(std::vector<std::uint8_t>& bytes, SampleShape& shape) {
  const std::size_t rows = shape.height;
  const std::size_t columns = shape.width;
  std::vector<std::uint8_t> original(shape.size());
  for (std::size_t first = 0; first < bytes.size(); first += shape.size()) {
    const std::span image = std::span(bytes).subspan(first, shape.size());
    std::ranges::copy(image, original.begin());
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        image[column * rows + row] = original[row * columns + column];
  }
  std::swap(shape.height, shape.width);
}

// What the headers say is compared before the first pixel is inflated. One that is damaged is told
// of when its file is read.
Result<void> compare_promises(const SplitFiles& split) {
  const auto images = promised_count(split.images, IdxKind::Images);
  const auto labels = promised_count(split.labels, IdxKind::Labels);
  if (!images || !labels) return {};
  if (const auto why = other_count(split, {.images = *images, .labels = *labels}))
    return failure(ErrorCode::Mismatch, *why);
  return {};
}

Result<Dataset> load_split(const SetFiles& files, const SplitFiles& split,
                           std::uint64_t memory_bytes_max) {
  const IdxBounds bounds{.memory_bytes_max = memory_bytes_max};
  if (!split.labels.empty()) TRY_VOID(compare_promises(split));
  TRY(images, read_idx(split.images, IdxKind::Images, bounds));
  if (split.labels.empty()) return assemble(files, std::move(images), nullptr);
  TRY(labels, read_idx(split.labels, IdxKind::Labels, bounds));
  return assemble(files, std::move(images), &labels);
}

}  // namespace

Result<Dataset> assemble(const SetFiles& files, IdxFile images, const IdxFile* labels) {
  if (!images.problems.empty()) return Failure(images.problems.front());
  if (labels != nullptr && !labels->problems.empty()) return Failure(labels->problems.front());
  if (labels != nullptr)
    if (const auto why = other_count({.images = images.path, .labels = labels->path},
                                     {.images = images.count, .labels = labels->count}))
      return failure(ErrorCode::Mismatch, *why);
  const auto [least, most] = std::ranges::minmax(images.values);
  if (const auto why = unlearnable({.minimum = least, .maximum = most}))
    return failure(ErrorCode::Corrupt, images.path.string() + ": " + *why);
  Dataset dataset;
  dataset.name = files.name;
  dataset.shape = images.shape;
  dataset.count = images.count;
  dataset.bytes = std::move(images.values);
  if (files.transposed()) transpose_images(dataset.bytes, dataset.shape);
  if (labels != nullptr) {
    dataset.labels = labels->values;
    dataset.class_count = std::size_t{1} + std::ranges::max(dataset.labels);
  }
  dataset.fingerprint = fingerprint_of(dataset);
  return dataset;
}

Result<std::optional<Dataset>> load_test(const SetFiles& files, const Dataset& train,
                                         std::uint64_t memory_bytes_max) {
  if (files.test.images.empty() || files.test.labels.empty()) return std::optional<Dataset>();
  TRY(test, load_split(files, files.test, memory_bytes_max));
  if (const auto why = other_shape({.train = train.shape, .test = test.shape}))
    return failure(ErrorCode::Mismatch, files.test.images.string() + ": " + *why);
  if (const auto why = other_classes({.train = train.class_count, .test = test.class_count}))
    return failure(ErrorCode::Mismatch, files.test.labels.string() + ": " + *why);
  return std::optional<Dataset>(std::move(test));
}

std::optional<std::string> other_count(const SplitFiles& split, const SplitCounts& counts) {
  if (counts.images == counts.labels) return std::nullopt;
  return split.images.string() + ": holds " + count_text(counts.images, "image") + ", but " +
         split.labels.string() + " holds " + count_text(counts.labels, "label") +
         "; both must be of one set: fetch them again";
}

std::optional<std::string> other_shape(const BothSplits<SampleShape>& shapes) {
  const auto& [train, test] = shapes;
  if (test == train) return std::nullopt;
  return "holds images of " + std::to_string(test.height) + " x " + std::to_string(test.width) +
         ", the training split of " + std::to_string(train.height) + " x " +
         std::to_string(train.width) + "; both must be of one set: fetch them again";
}

std::optional<std::string> other_classes(const BothSplits<std::size_t>& class_counts) {
  if (class_counts.test <= class_counts.train) return std::nullopt;
  return "has label " + std::to_string(class_counts.test - 1) +
         ", which the training split has not; both must be of one set: fetch them again";
}

Result<LoadedData> load_data(const DataRequest& request) {
  if (is_synthetic(request.name)) {
    TRY(made, make_synthetic(request.name, request.synthetic));
    return LoadedData{
        .train = std::move(made.dataset), .files = {}, .truth = std::move(made.truth)};
  }
  TRY(files, find_set(request.name, request.places));
  TRY(train, load_split(files, files.train, request.memory_bytes_max));
  return LoadedData{.train = std::move(train), .files = std::move(files), .truth = {}};
}

}  // namespace quadrille::data
