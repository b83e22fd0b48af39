#include "node/run/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "node/files/atomic_file.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* partial_suffix = ".partial";

// In no order; as far as it can be read. A loop over the iterator itself would throw.
std::vector<fs::path> entries_of(const fs::path& directory, std::error_code& error) {
  std::vector<fs::path> entries;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    entries.push_back(entry->path());
  return entries;
}

std::string name_of(std::uint64_t generation) {
  char name[24];
  std::snprintf(name, sizeof name, "%06llu", static_cast<unsigned long long>(generation));
  return name;
}

// Ascending.
std::vector<std::uint64_t> complete_generations(const fs::path& directory) {
  std::vector<std::uint64_t> generations;
  std::error_code error;
  for (const fs::path& path : entries_of(directory, error)) {
    const std::string name = path.filename().string();
    std::uint64_t generation = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), generation);
    if (code == std::errc{} && name == name_of(generation)) generations.push_back(generation);
  }
  std::ranges::sort(generations);
  return generations;
}

}  // namespace

std::optional<std::uint64_t> newest_generation(const fs::path& directory) {
  const std::vector<std::uint64_t> generations = complete_generations(directory);
  if (generations.empty()) return std::nullopt;
  return generations.back();
}

bool is_partial_checkpoint(const fs::path& path) {
  return path.extension() == partial_suffix;
}

CheckpointStore::CheckpointStore(fs::path directory, CheckpointOwner owner, std::size_t kept)
    : directory_(std::move(directory)),
      owner_(std::move(owner)),
      kept_(std::max<std::size_t>(kept, 1)) {}

fs::path CheckpointStore::path_of(std::uint64_t generation) const {
  return directory_ / name_of(generation);
}

fs::path CheckpointStore::partial_path_of(std::uint64_t generation) const {
  return path_of(generation) += partial_suffix;
}

Result<void> CheckpointStore::write_cell(std::uint64_t generation, const CellToSave& cell) const {
  const fs::path directory = partial_path_of(generation);
  TRY_VOID(make_directories(directory));
  return write_cell_file(directory, cell, owner_);
}

Result<void> CheckpointStore::complete(std::uint64_t generation) const {
  TRY_VOID(publish_directory(partial_path_of(generation), path_of(generation)));
  const std::vector<std::uint64_t> generations = complete_generations(directory_);
  std::error_code error;
  for (std::size_t i = 0; i + kept_ < generations.size(); ++i) {
    // Under the other name first: half removed, it must not look like a checkpoint.
    fs::rename(path_of(generations[i]), partial_path_of(generations[i]), error);
    abandon(generations[i]);
  }
  return {};
}

void CheckpointStore::abandon(std::uint64_t generation) const {
  std::error_code error;
  fs::remove_all(partial_path_of(generation), error);
}

Result<void> CheckpointStore::remove_partial() const {
  std::error_code error;
  const std::vector<fs::path> entries = entries_of(directory_, error);
  if (error && error != std::errc::no_such_file_or_directory)
    return failure(ErrorCode::Io, directory_.string() + ": cannot be read: " + error.message() +
                                      ": see to it, or choose another --out");
  for (const fs::path& path : entries) {
    if (!is_partial_checkpoint(path)) continue;
    std::error_code kept;
    if (fs::remove_all(path, kept); kept)
      return failure(ErrorCode::Io, path.string() + ": cannot be removed: " + kept.message() +
                                        ": remove it before the run goes on");
  }
  return {};
}

std::string CheckpointStore::way_out(std::uint64_t generation) const {
  const std::vector<std::uint64_t> all = complete_generations(directory_);
  const auto older = std::ranges::lower_bound(all, generation);
  if (older == all.begin()) return "no older one is there: start the run anew in another --out";
  return "remove " + path_of(generation).string() + " to resume from generation " +
         std::to_string(*std::prev(older));
}

Result<CheckpointedCell> CheckpointStore::read_cell(std::uint64_t generation,
                                                    const fs::path& path) const {
  auto cell = read_cell_file(path, owner_);
  // All cells were saved at the generation that the directory is named after.
  if (cell && cell->state.round.index != generation)
    cell = failure(ErrorCode::Corrupt, path.string() + ": holds generation " +
                                           std::to_string(cell->state.round.index) + ", not " +
                                           std::to_string(generation));
  if (cell) return cell;
  Error why = cell.error();
  if (why.code == ErrorCode::Corrupt) why.detail += "; " + way_out(generation);
  if (why.code == ErrorCode::Io) why.detail += "; if it is lost, " + way_out(generation);
  return Failure(std::move(why));
}

Failure CheckpointStore::unusable(std::uint64_t generation, CellIndex cell,
                                  const Error& why) const {
  const std::string path = (path_of(generation) / cell_file_name(cell)).string();
  // Of the settings, then, and not of the file.
  if (why.code == ErrorCode::Config) return failure_in(path, why);
  return failure(ErrorCode::Corrupt, path + ": " + why.detail + "; " + way_out(generation));
}

Result<std::vector<CheckpointedCell>> CheckpointStore::read(std::uint64_t generation) const {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::path& path : entries_of(path_of(generation), error))
    if (path.extension() == ".safetensors") paths.push_back(path);
  if (error)
    return failure(ErrorCode::Io, path_of(generation).string() + ": cannot be read: " +
                                      error.message() + "; if it is lost, " + way_out(generation));
  if (paths.empty())
    return failure(ErrorCode::Corrupt,
                   path_of(generation).string() + ": holds no checkpoint; " + way_out(generation));
  std::ranges::sort(paths);

  std::vector<CheckpointedCell> cells;
  for (const fs::path& path : paths) {
    TRY(cell, read_cell(generation, path));
    cells.push_back(std::move(cell));
  }
  TRY_VOID(check_whole(generation, cells));
  return cells;
}

// A peer holds the first cells of the grid, and they are here in their order.
Result<void> CheckpointStore::check_whole(std::uint64_t generation,
                                          std::span<const CheckpointedCell> cells) const {
  const auto is_missing = [&](std::size_t cell) {
    return cell >= cells.size() || cells[cell].cell.value != cell;
  };
  const std::size_t saved = cells.front().whole.cell_count;
  const std::size_t expected = std::max(saved, cells.size());
  for (std::size_t cell = 0; cell < expected; ++cell)
    if (is_missing(cell))
      return failure(ErrorCode::Corrupt, path_of(generation).string() + ": lacks cell " +
                                             std::to_string(cell) + "; " + way_out(generation));
  if (saved == 0 || saved == cells.size()) return {};
  return failure(ErrorCode::Corrupt, path_of(generation).string() + ": holds " +
                                         std::to_string(cells.size()) + " cells, of which " +
                                         std::to_string(saved) + " were saved; " +
                                         way_out(generation));
}

Result<std::string> CheckpointStore::check_classifier(std::uint64_t generation,
                                                      std::span<const CheckpointedCell> saved,
                                                      const std::optional<ScoredOn>& now) const {
  const std::optional<ScoredOn>& before = saved.front().whole.scored_on;
  if (!before || !now || before->classifier == now->classifier) return {};
  const std::string text = path_of(generation).string() + ": its scores are on classifier " +
                           before->classifier + ", and this is " + now->classifier + ": ";
  if (before->test_split == now->test_split)
    return text +
           "it was trained on another kind of CPU or by another version. The run goes on; "
           "its scores do not compare with those before";
  return failure(
      ErrorCode::Mismatch,
      text +
          (before->test_split ? "the data set's test files are gone: bring them back"
                              : "the data set had no test files then: take them away again") +
          ", or start the run anew in another --out");
}

Result<void> CheckpointStore::check_cells(std::uint64_t generation,
                                          std::span<const CheckpointedCell> saved,
                                          std::span<const CellIndex> cells) const {
  if (std::ranges::equal(saved, cells, {}, &CheckpointedCell::cell)) return {};
  const std::string count = std::to_string(saved.size());
  std::string text = path_of(generation).string() + ": holds " + count +
                     " cells, and this peer was to train " + std::to_string(cells.size()) +
                     ": give --cells " + count + ", as before";
  const bool is_of_an_older_version = saved.front().whole.cell_count == 0;
  if (saved.size() < cells.size() && is_of_an_older_version)
    text += "; or if cells were lost from it, " + way_out(generation);
  return failure(ErrorCode::Mismatch, std::move(text));
}

}  // namespace quadrille::node
