#include "fuzz/idx_case.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/check.hpp"
#include "data/idx.hpp"

namespace quadrille::fuzz {
namespace {

// A bit of deflate stands for 129 bytes at most: 258 repeated ones take two bits.
constexpr std::uint64_t deflate_ratio_max = 1032;

// The reader takes a path. One file for all cases of the process.
std::filesystem::path file_of_this_process() {
  return std::filesystem::temp_directory_path() / ("quadrille-idx-" + std::to_string(getpid()));
}

void write(const std::filesystem::path& path, Bytes content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
}

}  // namespace

void idx_case(Bytes input) {
  if (input.empty()) return;
  const auto path = file_of_this_process();
  write(path, input.subspan(1));
  const bool labels = (input[0] & std::byte{1}) != std::byte{0};
  const auto kind = labels ? data::IdxKind::Labels : data::IdxKind::Images;

  const data::IdxFile file = data::examine_idx(path, kind);
  std::filesystem::remove(path);
  const std::uint64_t there = input.size() - 1;
  const std::uint64_t content_max = file.compressed ? there * deflate_ratio_max : there;
  CHECK(file.values.size() <= content_max, file.values.size(), there);
  CHECK(file.values.size() % file.shape.size() == 0, file.values.size(), file.shape.size());
  CHECK(!file.problems.empty() || file.readable_count() == file.count, file.count);
  for (const Error& problem : file.problems)
    CHECK(problem.detail.find(path.string()) != std::string::npos, problem.detail);
}

}  // namespace quadrille::fuzz
