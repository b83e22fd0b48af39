// IDX files, the format of MNIST and its relatives: a magic number that gives type and number of
// dimensions, the dimensions as big-endian 32-bit numbers, then the values. Images are 0x00000803
// (count, rows, columns), labels 0x00000801 (count).
//
// The header is only a claim: memory is taken as the content arrives, never by what was promised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "data/dataset.hpp"

namespace quadrille::data {

enum class IdxKind : std::uint8_t { Images, Labels };

inline constexpr std::uint32_t idx_images_magic = 0x00000803;
inline constexpr std::uint32_t idx_labels_magic = 0x00000801;
inline constexpr std::size_t image_side_max = 4096;
inline constexpr std::uint64_t idx_content_bytes_max = std::uint64_t{4} << 30;

// What a file holds and everything that is wrong with it. `values` are the whole samples that
// could be read: all `count` of them when there is no problem.
struct IdxFile {
  std::filesystem::path path;
  IdxKind kind = IdxKind::Images;
  std::uint64_t file_bytes = 0;
  bool compressed = false;
  std::size_t count = 0;  // as the header says
  SampleShape shape;      // 1 x 1 x 1 for labels
  std::vector<std::uint8_t> values;
  std::vector<Error> problems;  // each names the file

  std::size_t readable_count() const { return values.size() / shape.size(); }
};

// What is read of a file at most, whatever its header promises: a gzip file of a few megabytes has
// room for gigabytes.
struct IdxBounds {
  // Samples. A file that promises more is read as far as these, and what follows is not looked at.
  std::size_t count_max = std::numeric_limits<std::size_t>::max();
  // More than fits is not read at all: Limit.
  std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max();
};

IdxFile examine_idx(const std::filesystem::path& path, IdxKind kind, const IdxBounds& bounds = {});
// The file, or the first of its problems.
Result<IdxFile> read_idx(const std::filesystem::path& path, IdxKind kind,
                         const IdxBounds& bounds = {});
// What the header promises, with nothing read behind it; none where it is not one of `kind`.
std::optional<std::size_t> promised_count(const std::filesystem::path& path, IdxKind kind);

}  // namespace quadrille::data
