// What a data set holds and everything that is wrong with it, before hours are spent on it:
// `peer data check`. All files are read and all problems are told, not the first one only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "data/image_statistics.hpp"
#include "data/set_files.hpp"
#include "data/synthetic.hpp"

namespace quadrille::data {

struct FileInspection {
  std::string role;  // "train images", "test labels"
  std::string path;
  std::uint64_t file_bytes = 0;
  bool compressed = false;
  std::size_t count = 0;  // those that could be read
  SampleShape shape;      // as stored
  std::optional<ImageStatistics> images;
  std::vector<std::size_t> label_counts;  // by label, 0 to the largest
};

struct SetInspection {
  std::string name;
  std::string directory;    // empty: a synthetic set
  std::string fingerprint;  // of the training split; empty: it cannot be used
  std::vector<FileInspection> files;
};

struct Inspection {
  std::vector<SetInspection> sets;
  std::vector<std::string> remarks;   // what to know
  std::vector<std::string> problems;  // what to mend first

  bool ok() const { return problems.empty(); }
};

// A name, or the path of a directory with one or several sets.
// Files that promise more than fits into memory are a problem, and not read.
Inspection inspect(std::string_view name_or_path, const DataPlaces& places,
                   const SyntheticOptions& synthetic = {},
                   std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max());

// For people: what is there, the remarks, the problems, and a verdict as the last line.
std::vector<std::string> text_of(const Inspection& inspection);
// One JSON object with the same content.
std::string json_of(const Inspection& inspection);

}  // namespace quadrille::data
