#include "node/run/checkpoint_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "base/all_finite.hpp"
#include "node/files/safetensors.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

// 2: the grid and the data's fingerprint are there.
constexpr const char* format_version = "2";
constexpr const char* cell_count_key = "quadrille.cells";
constexpr const char* classifier_key = "quadrille.classifier";
constexpr const char* test_split_key = "quadrille.classifier.test";  // yes or no
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

Result<void> check_finite(const std::string& name, std::span<const float> values) {
  if (all_finite(values)) return {};
  return failure(ErrorCode::NotFinite, "tensor '" + name + "' holds NaN or infinity");
}

Result<std::vector<float>> finite_floats(const SafetensorsFile& file, const std::string& name) {
  TRY(values, file.floats(name));
  TRY_VOID(check_finite(name, values));
  return values;
}

Result<PublishedSnapshot> read_snapshot(const SafetensorsFile& file, std::size_t i) {
  TRY(words, file.words(published_name(i, "rounds")));
  TRY(values, finite_floats(file, published_name(i, "values")));
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
      TRY(values, finite_floats(file, tensor.name));
      state.tensors.push_back({tensor.name.substr(state_prefix.size()), std::move(values)});
    } else if (tensor.name.starts_with(counter_prefix)) {
      TRY(words, file.words(tensor.name));
      if (words.size() != 1) return failure(ErrorCode::Corrupt, tensor.name + " is no counter");
      state.counters.emplace_back(tensor.name.substr(counter_prefix.size()), words[0]);
    }
  }
  return state;
}

// What the metadata say under `key`. A file of this version has all of them.
Result<std::string> text_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found != metadata.end()) return found->second;
  return failure(ErrorCode::Corrupt, "its metadata lack " + key);
}

Result<std::uint32_t> number_of(const Metadata& metadata, const std::string& key) {
  TRY(text, text_of(metadata, key));
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return failure(ErrorCode::Corrupt, "its " + key + " is no number");
}

// What files of today say of the whole; those of an older version do not.
Result<WholeCheckpoint> read_whole(const Metadata& metadata) {
  WholeCheckpoint whole;
  if (metadata.contains(cell_count_key)) {
    TRY(count, number_of(metadata, cell_count_key));
    whole.cell_count = count;
  }
  if (metadata.contains(classifier_key)) {
    TRY(classifier, text_of(metadata, classifier_key));
    TRY(test_split, text_of(metadata, test_split_key));
    whole.scored_on = {.classifier = std::move(classifier), .test_split = test_split == "yes"};
  }
  return whole;
}

std::string grid_text(const GridShape& grid) {
  return std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
}

Result<void> check_trained_on(const Metadata& metadata, const TrainedOn& now) {
  TRY(grid, text_of(metadata, "quadrille.grid"));
  if (grid != grid_text(now.grid))
    return failure(ErrorCode::Mismatch, "is of a " + grid + " grid, and this run has a " +
                                            grid_text(now.grid) +
                                            " one: set grid.rows and grid.columns back, or "
                                            "choose another --out");
  TRY(data, text_of(metadata, "quadrille.data"));
  TRY(fingerprint, text_of(metadata, "quadrille.data.fingerprint"));
  if (fingerprint != now.fingerprint)
    return failure(ErrorCode::Mismatch, "was trained on other data (" + data + ", fingerprint " +
                                            fingerprint + "; these are " + now.data +
                                            ", fingerprint " + now.fingerprint +
                                            "): give the data that the run began with: --data DIR");
  return {};
}

Result<void> check_owner(const SafetensorsFile& file, const CheckpointOwner& owner) {
  const Metadata& metadata = file.metadata();
  const auto version = metadata.find("quadrille.checkpoint");
  if (!file.has_checksum() || version == metadata.end())
    return failure(ErrorCode::Corrupt, "not a checkpoint of this program");
  if (version->second != format_version)
    return failure(ErrorCode::Mismatch, "checkpoint format " + version->second +
                                            "; this program reads " + format_version +
                                            ": use the version that wrote it");
  TRY(run_id, text_of(metadata, "quadrille.run"));
  if (run_id != owner.run_id)
    return failure(ErrorCode::Mismatch, "belongs to run " + run_id + ", not to " + owner.run_id +
                                            ": give that run's file, or another --out");
  return check_trained_on(metadata, owner.trained_on);
}

Result<std::vector<PublishedSnapshot>> read_published(const SafetensorsFile& file,
                                                      std::uint32_t count) {
  std::vector<PublishedSnapshot> published;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, LocalExchange::snapshots_max); ++i) {
    TRY(snapshot, read_snapshot(file, i));
    published.push_back(std::move(snapshot));
  }
  return published;
}

// Errors, here and above, do not name the file: the caller does.
Result<CheckpointedCell> read_contents(const SafetensorsFile& file, const fs::path& path) {
  TRY(cell, number_of(file.metadata(), "quadrille.cell"));
  if (path.filename() != cell_file_name({cell}))
    return failure(ErrorCode::Corrupt, "holds cell " + std::to_string(cell));
  TRY(count, number_of(file.metadata(), "quadrille.published"));
  TRY(whole, read_whole(file.metadata()));
  TRY(state, read_state(file));
  TRY(published, read_published(file, count));
  if (published.empty() || published.back().round != state.round)
    return failure(ErrorCode::Corrupt, "its published snapshots do not go with its state");
  return CheckpointedCell{.cell = {cell},
                          .state = std::move(state),
                          .published = std::move(published),
                          .whole = std::move(whole)};
}

Result<CheckpointedCell> read_cell(const SafetensorsFile& file, const fs::path& path,
                                   const CheckpointOwner& owner) {
  TRY_VOID(check_owner(file, owner));
  auto cell = read_contents(file, path);
  // It is of this version, which has all of its parts: what is missing is damage.
  if (!cell) return failure(ErrorCode::Corrupt, cell.error().detail);
  return cell;
}

// A file that was written whole: what is there instead of it is damage, unless the system says no.
Result<SafetensorsFile> read_own_file(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::none)
    return failure(ErrorCode::Corrupt, path.string() + ": is not a file");
  auto file = read_safetensors(path);
  if (file || file.error().code == ErrorCode::Io) return file;
  return failure(ErrorCode::Corrupt, file.error().detail);
}

Result<void> check_all_finite(const CellToSave& cell) {
  for (const auto& tensor : cell.state.tensors)
    TRY_VOID(check_finite(std::string(state_prefix) + tensor.name, tensor.values));
  for (std::size_t i = 0; i < cell.published.size(); ++i)
    TRY_VOID(check_finite(published_name(i, "values"), cell.published[i].values));
  return {};
}

Metadata metadata_of(const CellToSave& cell, const CheckpointOwner& owner) {
  Metadata metadata{{"quadrille.checkpoint", format_version},
                    {"quadrille.run", owner.run_id},
                    {"quadrille.cell", std::to_string(cell.cell.value)},
                    {cell_count_key, std::to_string(cell.whole.cell_count)},
                    {"quadrille.published", std::to_string(cell.published.size())},
                    {"quadrille.data", owner.trained_on.data},
                    {"quadrille.data.fingerprint", owner.trained_on.fingerprint},
                    {"quadrille.grid", grid_text(owner.trained_on.grid)}};
  if (const auto& scored_on = cell.whole.scored_on) {
    metadata[classifier_key] = scored_on->classifier;
    metadata[test_split_key] = scored_on->test_split ? "yes" : "no";
  }
  return metadata;
}

}  // namespace

std::string cell_file_name(CellIndex cell) {
  char name[40];
  std::snprintf(name, sizeof name, "cell-%05u.safetensors", cell.value);
  return name;
}

Result<void> write_cell_file(const fs::path& directory, const CellToSave& cell,
                             const CheckpointOwner& owner) {
  const fs::path path = directory / cell_file_name(cell.cell);
  if (const auto finite = check_all_finite(cell); !finite)
    return failure_in(path.string(), finite.error());
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
  return write_safetensors(path, tensors, metadata_of(cell, owner));
}

Result<CheckpointedCell> read_cell_file(const fs::path& path, const CheckpointOwner& owner) {
  TRY(file, read_own_file(path));
  auto cell = read_cell(file, path, owner);
  if (!cell) return failure_in(path.string(), cell.error());
  return cell;
}

}  // namespace quadrille::node
