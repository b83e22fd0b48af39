// Data files that tests make: right ones, and wrong ones by changing their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/scratch_directory.hpp"

namespace quadrille::data::test {

using FileBytes = std::vector<std::uint8_t>;

// A directory of the test's own, with what it puts there.
class TemporaryDirectory : public quadrille::test::ScratchDirectory {
 public:
  // Writes a file; folders in its name are made.
  std::filesystem::path write(const std::string& name, const FileBytes& bytes) const;
  std::filesystem::path write(const std::string& name, std::string_view text) const;
};

// magic, the dimensions, the values; whether they agree is the test's affair.
FileBytes idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& dimensions,
                    const FileBytes& values);
// `count` images of rows x columns, no two alike in their first 64 Ki, none blank.
FileBytes idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns);
// 0, 1, ... classes - 1, 0, 1, ...
FileBytes idx_labels(std::uint32_t count, std::uint32_t classes);

FileBytes gzip(const FileBytes& content);

bool contains(std::string_view text, std::string_view part);

// Whether `error` is one line that holds every part.
bool says(std::string_view error, const std::vector<std::string_view>& parts);

}  // namespace quadrille::data::test
