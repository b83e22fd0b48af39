// Loads a data set by what a run file says: a name, a path, or the name of a synthetic set.
// Labels stay as they are stored: those of EMNIST's letters are 1 to 26, and no image has 0.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "data/idx.hpp"
#include "data/mixture_truth.hpp"
#include "data/set_files.hpp"
#include "data/synthetic.hpp"

namespace quadrille::data {

// The test split, or none where the set has none or no labels of it. The score module measures its
// classifier on it. Mismatch when it is of another set than `train`.
Result<std::optional<Dataset>> load_test(
    const SetFiles& files, const Dataset& train,
    std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max());

struct SplitCounts {
  std::size_t images;
  std::size_t labels;
};

// Why labels do not go with images, with the files and the next step; none: they do.
std::optional<std::string> other_count(const SplitFiles& split, const SplitCounts& counts);

template <class T>
struct BothSplits {
  T train;
  T test;
};

// Why a test split does not go with a training split, with the next step; none: it does.
std::optional<std::string> other_shape(const BothSplits<SampleShape>& shapes);
std::optional<std::string> other_classes(const BothSplits<std::size_t>& class_counts);

// A set made of files already read: `labels` may be null. The problems of either are errors, and
// so are counts that differ (Mismatch) and pixels that teach nothing (Corrupt).
Result<Dataset> assemble(const SetFiles& files, IdxFile images, const IdxFile* labels);

struct DataRequest {
  std::string name = "fashion-mnist";
  DataPlaces places;
  SyntheticOptions synthetic;  // of ring8 and grid25
  // Files that promise more than fits are refused (Limit).
  std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max();
};

struct LoadedData {
  Dataset train;                      // without labels where the set has no labels file
  std::optional<SetFiles> files;      // of a set that was read; for load_test
  std::optional<MixtureTruth> truth;  // of a synthetic set
};

Result<LoadedData> load_data(const DataRequest& request);

}  // namespace quadrille::data
