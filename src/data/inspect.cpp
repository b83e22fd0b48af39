#include "data/inspect.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/count_text.hpp"
#include "data/idx.hpp"
#include "data/load.hpp"

namespace quadrille::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::size_t> label_counts_of(const IdxFile& file) {
  std::vector<std::size_t> counts;
  for (const std::uint8_t label : file.values) {
    if (label >= counts.size()) counts.resize(label + std::size_t{1});
    ++counts[label];
  }
  return counts;
}

// Looks at the files of one set, in the order in which they depend on each other.
class SetInspector {
 public:
  SetInspector(const SetFiles& files, std::uint64_t memory_bytes_max, Inspection& into)
      : files_(files), memory_bytes_max_(memory_bytes_max), into_(into) {}

  void run() {
    set_.name = files_.name;
    set_.directory = files_.directory.string();
    if (files_.transposed())
      remark("EMNIST stores images with rows and columns swapped; they are loaded upright");
    inspect_train();
    if (!files_.test.images.empty() || !files_.test.labels.empty())
      inspect_test();
    else
      remark("no test split: the classifier's accuracy will be measured on training images");
    into_.sets.push_back(std::move(set_));
  }

 private:
  void remark(const std::string& text) { into_.remarks.push_back(set_.name + ": " + text); }
  void problem(const std::string& text) { into_.problems.push_back(text); }
  void problem(const fs::path& path, const std::string& text) {
    problem(path.string() + ": " + text);
  }

  // No more than the other file of the split has a use for.
  IdxFile examine(const SplitFiles& split, IdxKind kind, const std::string& role) {
    const bool images = kind == IdxKind::Images;
    const fs::path& path = images ? split.images : split.labels;
    const fs::path& other = images ? split.labels : split.images;
    IdxBounds bounds{.memory_bytes_max = memory_bytes_max_};
    if (!other.empty())
      if (const auto count = promised_count(other, images ? IdxKind::Labels : IdxKind::Images))
        bounds.count_max = *count;
    IdxFile file = examine_idx(path, kind, bounds);
    for (const Error& error : file.problems) problem(error.detail);
    set_.files.push_back({.role = role,
                          .path = path.string(),
                          .file_bytes = file.file_bytes,
                          .compressed = file.compressed,
                          .count = file.readable_count(),
                          .shape = file.shape,
                          .images = {},
                          .label_counts = {}});
    return file;
  }

  IdxFile examine_images(const SplitFiles& split, const std::string& role) {
    IdxFile file = examine(split, IdxKind::Images, role);
    if (file.values.empty()) return file;
    std::vector<ImageHash> hashes = sorted_hashes(file);
    const ImageStatistics statistics = statistics_of(file, {.own = hashes, .train = train_hashes_});
    const PixelRange pixels{.minimum = statistics.minimum, .maximum = statistics.maximum};
    if (const auto why = unlearnable(pixels)) problem(split.images, *why);
    if (train_hashes_.empty()) train_hashes_ = std::move(hashes);
    set_.files.back().images = statistics;
    remark_on(role, statistics);
    return file;
  }

  void remark_on(const std::string& role, const ImageStatistics& statistics) {
    if (statistics.duplicates > 0)
      remark(role + ": " + count_text(statistics.duplicates, "exact duplicate"));
    if (statistics.blank > 0) remark(role + ": " + count_text(statistics.blank, "blank image"));
    if (statistics.in_train > 0)
      remark(role + ": " + count_text(statistics.in_train, "image") +
             " also in the training split");
  }

  IdxFile examine_labels(const SplitFiles& split, const std::string& role) {
    IdxFile file = examine(split, IdxKind::Labels, role);
    std::vector<std::size_t>& counts = set_.files.back().label_counts;
    counts = label_counts_of(file);
    std::string unused;
    for (std::size_t label = 0; label < counts.size(); ++label)
      if (counts[label] == 0) unused += (unused.empty() ? "" : ", ") + std::to_string(label);
    if (!unused.empty()) remark(role + ": no image has label " + unused);
    return file;
  }

  void remark_on_classes(const std::vector<std::size_t>& counts) {
    if (std::ranges::count_if(counts, [](std::size_t count) { return count > 0; }) != 1) return;
    remark("every image has label " + std::to_string(counts.size() - 1) +
           ": it can be trained on, but not judged by classes (frechet, tvd, inception)");
  }

  void compare_counts(const IdxFile& images, const IdxFile& labels) {
    if (images.count == 0 || labels.count == 0) return;
    if (const auto why = other_count({.images = images.path, .labels = labels.path},
                                     {.images = images.count, .labels = labels.count}))
      problem(*why);
  }

  void inspect_train() {
    if (files_.train.images.empty())
      problem(files_.directory, "holds no " + files_.prefix +
                                    "train-images-idx3-ubyte, plain or .gz; fetch the images too");
    std::optional<IdxFile> images;
    std::optional<IdxFile> labels;
    if (!files_.train.images.empty()) images = examine_images(files_.train, "train images");
    if (!files_.train.labels.empty()) labels = examine_labels(files_.train, "train labels");
    if (!labels)
      remark(
          "no labels: it can be trained on, but not judged by classes (frechet, tvd, inception), "
          "nor partitioned by label");
    if (!images) return;
    if (labels) compare_counts(*images, *labels);
    if (!images->values.empty()) train_shape_ = images->shape;
    train_classes_ = labels ? label_counts_of(*labels).size() : 0;
    if (labels) remark_on_classes(label_counts_of(*labels));
    auto dataset = assemble(files_, std::move(*images), labels ? &*labels : nullptr);
    if (dataset) set_.fingerprint = dataset->fingerprint;
  }

  void inspect_test() {
    std::optional<IdxFile> images;
    std::optional<IdxFile> labels;
    if (!files_.test.images.empty()) images = examine_images(files_.test, "test images");
    if (!files_.test.labels.empty()) labels = examine_labels(files_.test, "test labels");
    if (!images || !labels) {
      remark(std::string("the test split has no ") + (images ? "labels" : "images") +
             ": the classifier's accuracy will be measured on training images");
      return;
    }
    compare_counts(*images, *labels);
    if (!images->values.empty() && train_shape_)
      if (const auto why = other_shape({.train = *train_shape_, .test = images->shape}))
        problem(images->path, *why);
    const std::size_t test_classes = label_counts_of(*labels).size();
    if (train_classes_ > 0)
      if (const auto why = other_classes({.train = train_classes_, .test = test_classes}))
        problem(labels->path, *why);
  }

  const SetFiles& files_;
  std::uint64_t memory_bytes_max_;
  Inspection& into_;
  SetInspection set_;
  std::vector<ImageHash> train_hashes_;  // the test split's where there is no other
  std::optional<SampleShape> train_shape_;
  std::size_t train_classes_ = 0;
};

void inspect_synthetic(std::string_view name, const SyntheticOptions& options, Inspection& into) {
  auto made = make_synthetic(name, options);
  if (!made) {
    into.problems.push_back(made.error().detail);
    return;
  }
  const Dataset& dataset = made->dataset;
  FileInspection points{.role = "points",
                        .path = {},
                        .count = dataset.count,
                        .shape = dataset.shape,
                        .images = {},
                        .label_counts = std::vector<std::size_t>(dataset.class_count)};
  for (const std::uint8_t label : dataset.labels) ++points.label_counts[label];
  into.sets.push_back({.name = dataset.name,
                       .directory = {},
                       .fingerprint = dataset.fingerprint,
                       .files = {std::move(points)}});
}

// The sets that are meant; without any, why there is none goes to the problems.
std::vector<SetFiles> sets_to_inspect(std::string_view name_or_path, const DataPlaces& places,
                                      Inspection& into) {
  std::error_code ignored;
  const fs::path path(name_or_path);
  if (path.has_parent_path() && fs::is_directory(path, ignored)) {
    auto sets = list_sets(path);
    if (sets && !sets->empty()) return std::move(*sets);
  }
  auto set = find_set(name_or_path, places);
  if (set) return {std::move(*set)};
  into.problems.push_back(set.error().detail);
  return {};
}

}  // namespace

Inspection inspect(std::string_view name_or_path, const DataPlaces& places,
                   const SyntheticOptions& synthetic, std::uint64_t memory_bytes_max) {
  Inspection inspection;
  if (is_synthetic(name_or_path)) {
    inspect_synthetic(name_or_path, synthetic, inspection);
    return inspection;
  }
  for (const SetFiles& files : sets_to_inspect(name_or_path, places, inspection))
    SetInspector(files, memory_bytes_max, inspection).run();
  return inspection;
}

}  // namespace quadrille::data
