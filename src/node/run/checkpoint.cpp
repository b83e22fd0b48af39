#include "node/run/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "node/files/atomic_file.hpp"
#include "node/files/safetensors.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* format_version = "1";
constexpr const char* partial_suffix = ".partial";
constexpr std::string_view state_prefix = "state.";
constexpr std::string_view counter_prefix = "counter.";
constexpr std::size_t words_ahead = 3;      // round, subround, version
constexpr std::size_t words_per_heard = 3;  // cell, round, subround

std::string published_name(std::size_t snapshot, const char* part) {
  return "published." + std::to_string(snapshot) + "." + part;
}

TensorView word_tensor(std::string name, std::span<const std::uint64_t> values) {
  return {.name = std::move(name),
          .dtype = DType::U64,
          .shape = {values.size()},
          .data = bytes_of(values)};
}

TensorView byte_tensor(std::string name, Bytes values) {
  return {.name = std::move(name), .dtype = DType::U8, .shape = {values.size()}, .data = values};
}

// What a snapshot is and what it had heard, flat: {round, subround, version, (cell, round,
// subround)...}.
std::vector<std::uint64_t> round_words(const PublishedSnapshot& snapshot) {
  std::vector<std::uint64_t> words{snapshot.round.index, snapshot.round.subround, snapshot.version};
  for (const auto& [cell, round] : snapshot.heard)
    words.insert(words.end(), {cell.value, round.index, round.subround});
  return words;
}

std::uint32_t narrow(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

Result<PublishedSnapshot> read_snapshot(const SafetensorsFile& file, std::size_t i) {
  TRY(words, file.words(published_name(i, "rounds")));
  TRY(values, file.floats(published_name(i, "values")));
  const TensorView* exact = file.find(published_name(i, "exact"));
  if (words.size() < words_ahead || (words.size() - words_ahead) % words_per_heard != 0 ||
      exact == nullptr || exact->dtype != DType::U8)
    return failure(ErrorCode::Corrupt, "its published snapshots are incomplete");
  PublishedSnapshot snapshot{.round = {words[0], narrow(words[1])},
                             .version = words[2],
                             .values = std::move(values),
                             .exact = {exact->data.begin(), exact->data.end()},
                             .heard = {}};
  for (std::size_t w = words_ahead; w < words.size(); w += words_per_heard)
    snapshot.heard[{narrow(words[w])}] = {words[w + 1], narrow(words[w + 2])};
  return snapshot;
}

// The state's tensors and counters come back in the order in which they were written.
Result<peer::CellState> read_state(const SafetensorsFile& file) {
  peer::CellState state;
  TRY(round, file.words("round"));
  if (round.size() != 2) return failure(ErrorCode::Corrupt, "its round is incomplete");
  state.round = {round[0], narrow(round[1])};
  for (const TensorView& tensor : file.tensors()) {
    if (tensor.name.starts_with(state_prefix)) {
      TRY(values, file.floats(tensor.name));
      state.tensors.push_back({tensor.name.substr(state_prefix.size()), std::move(values)});
    } else if (tensor.name.starts_with(counter_prefix)) {
      TRY(words, file.words(tensor.name));
      if (words.size() != 1) return failure(ErrorCode::Corrupt, tensor.name + " is no counter");
      state.counters.emplace_back(tensor.name.substr(counter_prefix.size()), words[0]);
    }
  }
  return state;
}

std::string file_name(CellIndex cell) {
  char name[40];
  std::snprintf(name, sizeof name, "cell-%05u.safetensors", cell.value);
  return name;
}

std::string text_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

std::string grid_text(const GridShape& grid) {
  return std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
}

Result<void> check_trained_on(const fs::path& path, const Metadata& metadata,
                              const TrainedOn& now) {
  const std::string grid = text_of(metadata, "quadrille.grid");
  if (grid != grid_text(now.grid))
    return failure(ErrorCode::Mismatch, path.string() + ": is of a " + grid +
                                            " grid, and this run has a " + grid_text(now.grid) +
                                            " one: set grid.rows and grid.columns back, or "
                                            "choose another --out");
  const std::string fingerprint = text_of(metadata, "quadrille.data.fingerprint");
  if (fingerprint != now.fingerprint)
    return failure(ErrorCode::Mismatch, path.string() + ": was trained on other data (" +
                                            text_of(metadata, "quadrille.data") + ", fingerprint " +
                                            fingerprint + "; these are " + now.data +
                                            ", fingerprint " + now.fingerprint +
                                            "): give the data that the run began with: --data DIR");
  return {};
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path directory, std::string run_id, std::size_t kept,
                                 std::optional<TrainedOn> trained_on)
    : directory_(std::move(directory)),
      run_id_(std::move(run_id)),
      kept_(std::max<std::size_t>(kept, 1)),
      trained_on_(std::move(trained_on)) {}

fs::path CheckpointStore::path_of(std::uint64_t generation) const {
  char name[24];
  std::snprintf(name, sizeof name, "%06llu", static_cast<unsigned long long>(generation));
  return directory_ / name;
}

fs::path CheckpointStore::partial_path_of(std::uint64_t generation) const {
  return path_of(generation) += partial_suffix;
}

Result<void> CheckpointStore::write_cell(std::uint64_t generation, const CellToSave& cell) const {
  const fs::path directory = partial_path_of(generation);
  TRY_VOID(make_directories(directory));

  const std::uint64_t round[] = {cell.state.round.index, cell.state.round.subround};
  std::vector<TensorView> tensors{word_tensor("round", round)};
  for (const auto& tensor : cell.state.tensors)
    tensors.push_back(float_tensor(std::string(state_prefix) + tensor.name, tensor.values));
  for (const auto& [name, value] : cell.state.counters)
    tensors.push_back(word_tensor(std::string(counter_prefix) + name, std::span(&value, 1)));
  std::vector<std::vector<std::uint64_t>> rounds;
  for (const KeptSnapshot& kept : cell.published) rounds.push_back(round_words(kept.snapshot));
  for (std::size_t i = 0; i < cell.published.size(); ++i) {
    const auto& [snapshot, values] = cell.published[i];
    tensors.push_back(word_tensor(published_name(i, "rounds"), rounds[i]));
    tensors.push_back(float_tensor(published_name(i, "values"), values));
    tensors.push_back(byte_tensor(published_name(i, "exact"), snapshot.exact));
  }
  Metadata metadata{{"quadrille.checkpoint", format_version},
                    {"quadrille.run", run_id_},
                    {"quadrille.cell", std::to_string(cell.cell.value)},
                    {"quadrille.published", std::to_string(cell.published.size())}};
  if (trained_on_) {
    metadata["quadrille.data"] = trained_on_->data;
    metadata["quadrille.data.fingerprint"] = trained_on_->fingerprint;
    metadata["quadrille.grid"] = grid_text(trained_on_->grid);
  }
  return write_safetensors(directory / file_name(cell.cell), tensors, metadata);
}

Result<void> CheckpointStore::complete(std::uint64_t generation) const {
  TRY_VOID(publish_directory(partial_path_of(generation), path_of(generation)));
  const std::vector<std::uint64_t> generations = complete_generations();
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
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error))
    if (entry.path().extension() == partial_suffix) fs::remove_all(entry.path(), error);
  return {};
}

std::vector<std::uint64_t> CheckpointStore::complete_generations() const {
  std::vector<std::uint64_t> generations;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    std::uint64_t generation = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), generation);
    if (code == std::errc{} && entry.path() == path_of(generation))
      generations.push_back(generation);
  }
  std::ranges::sort(generations);
  return generations;
}

std::optional<std::uint64_t> CheckpointStore::newest() const {
  const std::vector<std::uint64_t> generations = complete_generations();
  if (generations.empty()) return std::nullopt;
  return generations.back();
}

Result<CheckpointedCell> CheckpointStore::read_cell(const fs::path& path) const {
  TRY(file, read_safetensors(path));
  const auto text = [&](const char* key) { return text_of(file.metadata(), key); };
  if (!file.has_checksum() || text("quadrille.checkpoint").empty())
    return failure(ErrorCode::Corrupt, path.string() + ": not a checkpoint of this program");
  if (text("quadrille.checkpoint") != format_version)
    return failure(ErrorCode::Mismatch, path.string() + ": checkpoint format " +
                                            text("quadrille.checkpoint") + "; this program reads " +
                                            format_version + ": use the version that wrote it");
  if (text("quadrille.run") != run_id_)
    return failure(ErrorCode::Mismatch, path.string() + ": belongs to run " +
                                            text("quadrille.run") + ", not to " + run_id_ +
                                            ": give that run's file, or another --out");
  if (trained_on_) TRY_VOID(check_trained_on(path, file.metadata(), *trained_on_));
  CheckpointedCell cell;
  std::size_t published = 0;
  const std::string cell_text = text("quadrille.cell"),
                    published_text = text("quadrille.published");
  std::from_chars(cell_text.data(), cell_text.data() + cell_text.size(), cell.cell.value);
  std::from_chars(published_text.data(), published_text.data() + published_text.size(), published);
  if (path.filename() != file_name(cell.cell))
    return failure(ErrorCode::Corrupt, path.string() + ": holds cell " + cell_text);
  auto state = read_state(file);
  if (!state) return failure_in(path.string(), state.error());
  cell.state = std::move(*state);
  for (std::size_t i = 0; i < std::min(published, LocalExchange::snapshots_max); ++i) {
    auto snapshot = read_snapshot(file, i);
    if (!snapshot) return failure_in(path.string(), snapshot.error());
    cell.published.push_back(std::move(*snapshot));
  }
  if (cell.published.empty() || cell.published.back().round != cell.state.round)
    return failure(ErrorCode::Corrupt,
                   path.string() + ": its published snapshots do not go with its state");
  return cell;
}

std::string CheckpointStore::way_out(std::uint64_t generation) const {
  const std::vector<std::uint64_t> all = complete_generations();
  const auto older = std::ranges::lower_bound(all, generation);
  if (older == all.begin()) return "; no older one is there: start the run anew in another --out";
  return "; remove " + path_of(generation).string() + " to resume from generation " +
         std::to_string(*std::prev(older));
}

Result<std::vector<CheckpointedCell>> CheckpointStore::read(std::uint64_t generation) const {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_of(generation), error))
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
  if (error || paths.empty())
    return failure(ErrorCode::Corrupt,
                   path_of(generation).string() + ": holds no checkpoint" + way_out(generation));
  std::ranges::sort(paths);

  std::vector<CheckpointedCell> cells;
  for (const fs::path& path : paths) {
    auto cell = read_cell(path);
    if (!cell) {
      Error why = cell.error();
      if (why.code == ErrorCode::Corrupt) why.detail += way_out(generation);
      return Failure(std::move(why));
    }
    cells.push_back(std::move(*cell));
  }
  return cells;
}

}  // namespace quadrille::node
