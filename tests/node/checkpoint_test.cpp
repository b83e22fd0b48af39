// Checkpoints: what was saved comes back to the bit, what was half-written is never seen, and what
// was damaged says what to do.
#include "node/run/checkpoint.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "node/file_size_limit.hpp"
#include "node/files/safetensors.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(checkpoint)

namespace {

namespace fs = std::filesystem;
using test::contents_of;
using test::put_contents;
using test::ScratchDirectory;

constexpr const char* run = "0123456789abcdef0123456789abcdef";
const CheckpointOwner owner{
    .run_id = run, .trained_on = {.data = "letters", .fingerprint = "abc", .grid = {2, 3}}};
// What a file of a cell says in its metadata.
const Metadata whole{{"quadrille.checkpoint", "2"}, {"quadrille.run", run},
                     {"quadrille.cell", "0"},       {"quadrille.published", "1"},
                     {"quadrille.data", "letters"}, {"quadrille.data.fingerprint", "abc"},
                     {"quadrille.grid", "2x3"}};

CheckpointedCell made_cell(std::uint32_t index, std::uint64_t generation) {
  const auto number = static_cast<float>(generation);
  return {.cell = {index},
          .state = {.round = {generation},
                    .tensors = {{"generator", {number, -0.0F, 1e-40F}}, {"empty", {}}},
                    .counters = {{"position", std::numeric_limits<std::uint64_t>::max()},
                                 {"another", generation}}},
          .published = {{.round = {generation - 1},
                         .version = generation,
                         .values = {1, 2},
                         .exact = {std::byte{7}},
                         .heard = {{{3}, {generation - 2, 5}}, {{4}, {0}}}},
                        {.round = {generation},
                         .version = generation + 1,
                         .values = {3, number},
                         .exact = {},
                         .heard = {}}}};
}

Result<void> write(const CheckpointStore& store, std::uint64_t generation,
                   const CheckpointedCell& cell) {
  CellToSave views{.cell = cell.cell, .state = cell.state, .published = {}, .whole = cell.whole};
  for (const PublishedSnapshot& snapshot : cell.published)
    views.published.push_back({.snapshot = snapshot, .values = snapshot.values});
  return store.write_cell(generation, views);
}

void save(const CheckpointStore& store, std::uint64_t generation, std::uint32_t cells = 2) {
  for (std::uint32_t index = 0; index < cells; ++index) {
    CheckpointedCell cell = made_cell(index, generation);
    cell.whole.cell_count = cells;
    BOOST_REQUIRE(write(store, generation, cell));
  }
  BOOST_REQUIRE(store.complete(generation));
}

// As a version did that did not say how many cells it saved.
void save_as_before(const CheckpointStore& store, std::uint64_t generation, std::uint32_t cells) {
  for (std::uint32_t index = 0; index < cells; ++index)
    BOOST_REQUIRE(write(store, generation, made_cell(index, generation)));
  BOOST_REQUIRE(store.complete(generation));
}

Error refusal(const CheckpointStore& store, std::uint64_t generation) {
  const auto read = store.read(generation);
  BOOST_TEST_REQUIRE(!read.has_value());
  BOOST_TEST(read.error().detail.find('\n') == std::string::npos);
  return read.error();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_trained_on_other_data_or_another_grid_is_refused) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 5);
  BOOST_TEST(store.read(5).has_value());
  CheckpointOwner other = owner;
  other.trained_on.fingerprint = "def";
  Error error = refusal(CheckpointStore(scratch.path(), other, 2), 5);
  BOOST_TEST((error.code == ErrorCode::Mismatch));
  BOOST_TEST(contains(error.detail,
                      "trained on other data (letters, fingerprint abc; these are letters, "
                      "fingerprint def): give the data that the run began with: --data DIR"),
             error.detail);
  other = owner;
  other.trained_on.grid = {1, 6};
  error = refusal(CheckpointStore(scratch.path(), other, 2), 5);
  BOOST_TEST((error.code == ErrorCode::Mismatch));
  BOOST_TEST(contains(error.detail, "is of a 2x3 grid, and this run has a 1x6 one"), error.detail);
}

BOOST_AUTO_TEST_CASE(a_cell_file_under_the_name_of_another_is_damage) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 5);
  fs::rename(scratch / "000005/cell-00001.safetensors", scratch / "000005/cell-00002.safetensors");
  const Error error = refusal(store, 5);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(contains(error.detail, "cell-00002.safetensors: holds cell 1"), error.detail);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_comes_back_as_it_was) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 12);
  BOOST_TEST(store.newest().value() == 12u);
  const auto cells = store.read(12);
  BOOST_REQUIRE_MESSAGE(cells.has_value(), (cells ? "" : cells.error().detail));
  BOOST_TEST_REQUIRE(cells->size() == 2u);
  for (std::uint32_t index = 0; index < 2; ++index) {
    const CheckpointedCell meant = made_cell(index, 12);
    const CheckpointedCell& cell = (*cells)[index];
    BOOST_TEST(cell.cell == meant.cell);
    BOOST_TEST(cell.state.round == meant.state.round);
    BOOST_TEST((cell.state.counters == meant.state.counters));
    BOOST_TEST_REQUIRE(cell.state.tensors.size() == 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      BOOST_TEST(cell.state.tensors[i].name == meant.state.tensors[i].name);
      BOOST_TEST(cell.state.tensors[i].values == meant.state.tensors[i].values,
                 boost::test_tools::per_element());
    }
    BOOST_TEST((cell.published == meant.published));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_directory_holds_none) {
  const ScratchDirectory scratch;
  BOOST_TEST(!CheckpointStore(scratch.path(), owner, 2).newest().has_value());
  BOOST_TEST(!CheckpointStore(scratch / "not there", owner, 2).newest().has_value());
}

BOOST_AUTO_TEST_CASE(half_written_generations_are_not_seen_and_can_be_removed) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 3);
  BOOST_REQUIRE(write(store, 4, made_cell(0, 4)));
  BOOST_TEST(store.newest().value() == 3u);
  BOOST_REQUIRE(store.remove_partial());
  BOOST_TEST(!fs::exists(scratch / "000004.partial"));
  BOOST_TEST(fs::exists(scratch / "000003"));
}

// It would look as if nothing were saved, and the run begin anew.
BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_read_is_an_error_and_not_empty) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  BOOST_TEST(CheckpointStore(scratch / "not there", owner, 2).remove_partial().has_value());
  save(store, 3);
  BOOST_REQUIRE(write(store, 4, made_cell(0, 4)));
  rlimit before{};
  BOOST_TEST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  BOOST_TEST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const Result<void> removed = store.remove_partial();
  BOOST_TEST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  BOOST_TEST_REQUIRE(!removed.has_value());
  BOOST_TEST((removed.error().code == ErrorCode::Io));
  BOOST_TEST(contains(removed.error().detail, scratch.path().string() + ": cannot be read: "));
}

BOOST_AUTO_TEST_CASE(other_files_in_the_directory_are_no_checkpoints) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 3);
  fs::create_directory(scratch / "7");
  fs::create_directory(scratch / "000009.bak");
  fs::create_directory(scratch / "notes");
  BOOST_TEST(store.newest().value() == 3u);
}

BOOST_AUTO_TEST_CASE(only_so_many_complete_generations_are_kept) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  for (const std::uint64_t generation : {8, 9, 10, 12}) save(store, generation);
  BOOST_TEST(fs::exists(scratch / "000010"));
  BOOST_TEST(fs::exists(scratch / "000012"));
  BOOST_TEST(scratch.entry_count() == 6u);              // two directories of two cells
  const CheckpointStore one(scratch.path(), owner, 0);  // one is the least
  save(one, 13);
  BOOST_TEST(scratch.entry_count() == 3u);
  BOOST_TEST(one.read(13).has_value());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_names_itself_and_the_older_generation) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 3);
  save(store, 3);
  save(store, 5);
  const fs::path path = scratch / "000005/cell-00001.safetensors";
  std::string bytes = contents_of(path);
  bytes[bytes.size() - 3] ^= 1;
  put_contents(path, bytes);
  const Error error = refusal(store, 5);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(contains(error.detail, path.string()));
  BOOST_TEST(contains(error.detail,
                      "remove " + (scratch / "000005").string() + " to resume from generation 3"));
}

BOOST_AUTO_TEST_CASE(every_kind_of_damage_is_found) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 3);
  save(store, 5);
  const fs::path path = scratch / "000005/cell-00000.safetensors";
  const std::string good = contents_of(path);
  for (const std::string& bytes :
       {std::string(), good.substr(0, 7), good.substr(0, good.size() / 2), good + "more",
        std::string(good.size(), '\0')}) {
    put_contents(path, bytes);
    const Error error = refusal(store, 5);
    BOOST_TEST((error.code == ErrorCode::Corrupt), error.detail);
    BOOST_TEST(contains(error.detail, path.string()));
    BOOST_TEST(contains(error.detail, "no older one is there: start the run anew"));
  }
  // Every single byte matters, those of the names and of the checksum too.
  for (std::size_t at = 0; at < good.size(); at += 5) {
    std::string bytes = good;
    bytes[at] ^= 0x10;
    put_contents(path, bytes);
    const Error error = refusal(store, 5);
    BOOST_TEST((error.code == ErrorCode::Corrupt), "byte " << at << ": " << error.detail);
    BOOST_TEST(contains(error.detail, "no older one is there: start the run anew"), error.detail);
  }
}

BOOST_AUTO_TEST_CASE(a_type_that_no_tensor_has_is_damage) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 3);
  save(store, 3);
  save(store, 5);
  const fs::path path = scratch / "000005/cell-00000.safetensors";
  std::string bytes = contents_of(path);
  bytes.replace(bytes.find("\"U64\""), 5, "\"]64\"");
  put_contents(path, bytes);
  const Error error = refusal(store, 5);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(contains(error.detail, "has dtype ']64'"), error.detail);
  BOOST_TEST(contains(error.detail, "000005 to resume from generation 3"), error.detail);
}

BOOST_AUTO_TEST_CASE(what_is_no_file_in_the_place_of_one_is_damage) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 3);
  save(store, 3);
  save(store, 5);
  const fs::path path = scratch / "000005/cell-00001.safetensors";
  const auto refused_as = [&](ErrorCode code, const std::string& what) {
    const Error error = refusal(store, 5);
    BOOST_TEST((error.code == code), error.detail);
    BOOST_TEST(contains(error.detail, path.string() + what), error.detail);
    BOOST_TEST(contains(error.detail, "000005 to resume from generation 3"), error.detail);
    fs::remove(path);
  };
  fs::resize_file(path, std::uint64_t{5} << 30);
  refused_as(ErrorCode::Corrupt, " has 5368709120 bytes; the limit is ");
  BOOST_TEST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  refused_as(ErrorCode::Corrupt, ": is not a file; remove ");
  fs::create_directory(path);
  refused_as(ErrorCode::Corrupt, ": is not a file; remove ");
  fs::create_symlink("nowhere", path);
  refused_as(ErrorCode::Corrupt, ": is not a file; remove ");
  // The system's own word may be mended: a permission, a disk that comes back.
  fs::create_symlink(path.filename(), path);
  refused_as(ErrorCode::Io, " cannot be read: Too many levels of symbolic links; if it is lost, ");
}

BOOST_AUTO_TEST_CASE(a_cell_of_another_generation_than_its_directory_is_damage) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 9);
  for (const std::uint64_t generation : {3, 4, 5}) save(store, generation);
  const std::string name = "cell-00001.safetensors";
  fs::copy_file(scratch / "000004" / name, scratch / "000005" / name,
                fs::copy_options::overwrite_existing);
  BOOST_TEST((refusal(store, 5).code == ErrorCode::Corrupt));
  BOOST_TEST(refusal(store, 5).detail ==
             (scratch / "000005" / name).string() + ": holds generation 4, not 5; remove " +
                 (scratch / "000005").string() + " to resume from generation 4");
  fs::rename(scratch / "000004", scratch / "000050");
  BOOST_TEST(contains(refusal(store, 50).detail,
                      "cell-00000.safetensors: holds generation 4, not "
                      "50; remove "));
}

// What was read would be refused: then it must not take the place of what is good.
BOOST_AUTO_TEST_CASE(what_is_not_finite_is_neither_written_nor_read) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 3, 1);
  const float bad[] = {1, std::numeric_limits<float>::infinity()};
  CheckpointedCell cell = made_cell(0, 5);
  cell.state.tensors[0].values[1] = bad[1];
  const Result<void> state = write(store, 5, cell);
  BOOST_TEST_REQUIRE(!state.has_value());
  BOOST_TEST((state.error().code == ErrorCode::NotFinite));
  BOOST_TEST(contains(state.error().detail,
                      "cell-00000.safetensors: tensor 'state.generator' "
                      "holds NaN or infinity"),
             state.error().detail);
  cell = made_cell(0, 5);
  cell.published[1].values[0] = std::numeric_limits<float>::quiet_NaN();
  const Result<void> published = write(store, 5, cell);
  BOOST_TEST_REQUIRE(!published.has_value());
  BOOST_TEST(contains(published.error().detail, "'published.1.values'"), published.error().detail);
  store.abandon(5);

  // As a version that looked at less wrote it.
  fs::create_directory(scratch / "000005");
  const fs::path path = scratch / "000005/cell-00000.safetensors";
  const std::uint64_t round[] = {5, 0};
  const TensorView tensors[] = {
      {"round", DType::U64, {2}, bytes_of(std::span<const std::uint64_t>(round))},
      float_tensor("state.generator.second_moment", bad)};
  BOOST_REQUIRE(write_safetensors(path, tensors, whole));
  const Error error = refusal(store, 5);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(error.detail ==
             path.string() +
                 ": tensor 'state.generator.second_moment' holds NaN or infinity; remove " +
                 (scratch / "000005").string() + " to resume from generation 3");
}

BOOST_AUTO_TEST_CASE(what_a_learner_refused_names_the_file_and_the_way_out) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 5);
  const std::string path = (scratch / "000005/cell-00001.safetensors").string();
  for (const ErrorCode code : {ErrorCode::Mismatch, ErrorCode::Corrupt, ErrorCode::NotFinite}) {
    const Error error = store.unusable(5, {1}, {code, "it has no weights"}).error();
    BOOST_TEST((error.code == ErrorCode::Corrupt));
    BOOST_TEST(error.detail == path +
                                   ": it has no weights; no older one is there: start the run "
                                   "anew in another --out");
  }
  const Error error = store.unusable(5, {1}, {ErrorCode::Config, "a batch is too large"}).error();
  BOOST_TEST((error.code == ErrorCode::Config));
  BOOST_TEST(error.detail == path + ": a batch is too large");
}

BOOST_AUTO_TEST_CASE(an_emptied_directory_says_what_to_do) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 3);
  save(store, 3);
  fs::create_directory(scratch / "000005");
  const Error error = refusal(store, 5);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(contains(error.detail, "to resume from generation 3"));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_of_another_run_is_refused) {
  const ScratchDirectory scratch;
  save(CheckpointStore(scratch.path(), {"another", owner.trained_on}, 2), 5);
  const Error error = refusal(CheckpointStore(scratch.path(), owner, 2), 5);
  BOOST_TEST((error.code == ErrorCode::Mismatch));
  BOOST_TEST(contains(error.detail, std::string("belongs to run another, not to ") + run));
  BOOST_TEST(contains(error.detail, "another --out"));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_of_another_version_is_refused) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "000005");
  const fs::path path = scratch / "000005/cell-00000.safetensors";
  BOOST_REQUIRE(write_safetensors(path, {}, {{"quadrille.checkpoint", "99"}}));
  const Error error = refusal(CheckpointStore(scratch.path(), owner, 2), 5);
  BOOST_TEST((error.code == ErrorCode::Mismatch));
  BOOST_TEST(contains(error.detail, path.string() + ": checkpoint format 99"));
  BOOST_TEST(contains(error.detail, "use the version that wrote it"));
}

// Version 1 said nothing of grid and data.
BOOST_AUTO_TEST_CASE(a_checkpoint_that_lacks_what_later_versions_say_is_refused) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "000005");
  const fs::path path = scratch / "000005/cell-00000.safetensors";
  const CheckpointStore store(scratch.path(), owner, 2);
  Metadata first{whole};
  first["quadrille.checkpoint"] = "1";
  BOOST_REQUIRE(write_safetensors(path, {}, first));
  BOOST_TEST((refusal(store, 5).code == ErrorCode::Mismatch));
  BOOST_TEST(contains(refusal(store, 5).detail, "checkpoint format 1; this program reads 2"));
  for (const auto& [key, value] : whole) {
    if (key == "quadrille.checkpoint") continue;
    Metadata lacking{whole};
    lacking.erase(key);
    BOOST_REQUIRE(write_safetensors(path, {}, lacking));
    BOOST_TEST((refusal(store, 5).code == ErrorCode::Corrupt));
    BOOST_TEST(contains(refusal(store, 5).detail, path.string() + ": its metadata lack " + key));
  }
  for (const char* key : {"quadrille.cell", "quadrille.published", "quadrille.cells"}) {
    Metadata odd{whole};
    odd[key] = "0x";
    BOOST_REQUIRE(write_safetensors(path, {}, odd));
    BOOST_TEST(contains(refusal(store, 5).detail, std::string("its ") + key + " is no number"));
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_lacks_a_tensor_names_its_file_once_and_the_way_out) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 3, 1);
  fs::create_directory(scratch / "000005");
  const fs::path path = scratch / "000005/cell-00000.safetensors";
  const std::string way_out =
      "; remove " + (scratch / "000005").string() + " to resume from generation 3";
  BOOST_REQUIRE(write_safetensors(path, {}, whole));
  BOOST_TEST((refusal(store, 5).code == ErrorCode::Corrupt));
  BOOST_TEST(refusal(store, 5).detail == path.string() + ": there is no tensor 'round'" + way_out);
  const float floats[] = {5, 0};
  const TensorView odd[] = {float_tensor("round", floats)};
  BOOST_REQUIRE(write_safetensors(path, odd, whole));
  BOOST_TEST(refusal(store, 5).detail ==
             path.string() + ": tensor 'round' is F32, not U64" + way_out);
}

BOOST_AUTO_TEST_CASE(safetensors_of_somebody_else_are_no_checkpoint) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "000005");
  const float weights[] = {1, 2, 3};
  const TensorView tensors[] = {float_tensor("weights", weights)};
  BOOST_REQUIRE(write_safetensors(scratch / "000005/cell-00000.safetensors", tensors, {}));
  const Error error = refusal(CheckpointStore(scratch.path(), owner, 2), 5);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(contains(error.detail, "not a checkpoint of this program"));
}

BOOST_AUTO_TEST_CASE(a_state_without_its_snapshot_is_refused) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  CheckpointedCell cell = made_cell(0, 5);
  cell.published.pop_back();
  BOOST_REQUIRE(write(store, 5, cell));
  BOOST_REQUIRE(store.complete(5));
  BOOST_TEST(contains(refusal(store, 5).detail, "do not go with its state"));
}

BOOST_AUTO_TEST_CASE(cells_that_are_not_those_to_train_are_refused_with_the_next_step) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  save(store, 3, 4);
  save_as_before(store, 5, 4);
  const auto refused = [&](std::uint32_t cell_count) {
    std::vector<CellIndex> cells;
    for (std::uint32_t cell = 0; cell < cell_count; ++cell) cells.push_back({cell});
    const auto saved = store.read(5);
    BOOST_TEST_REQUIRE(saved.has_value());
    const Result<void> checked = store.check_cells(5, *saved, cells);
    return checked ? std::string() : checked.error().detail;
  };
  const std::string path = (scratch / "000005").string();
  const std::string removed = "remove " + path + " to resume from generation 3";
  BOOST_TEST(refused(4) == "");
  BOOST_TEST(refused(2) == path +
                               ": holds 4 cells, and this peer was to train 2: give --cells 4, "
                               "as before");
  // What loses nothing comes first.
  BOOST_TEST(refused(9) == path +
                               ": holds 4 cells, and this peer was to train 9: give --cells 4, "
                               "as before; or if cells were lost from it, " +
                               removed);
  // All that were saved are there.
  save(store, 6, 4);
  const auto saved = store.read(6);
  BOOST_TEST_REQUIRE(saved.has_value());
  const std::vector<CellIndex> five{{0}, {1}, {2}, {3}, {4}};
  BOOST_TEST(store.check_cells(6, *saved, five).error().detail ==
             (scratch / "000006").string() +
                 ": holds 4 cells, and this peer was to train 5: give --cells 4, as before");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_lacks_a_cell_is_damage_to_all_who_read_it) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 9);
  save(store, 3, 4);
  for (const std::uint64_t generation : {4, 5, 6}) save(store, generation, 4);
  save_as_before(store, 7, 4);
  const auto lacks = [&](std::uint64_t generation, const std::string& cell) {
    const Error error = refusal(store, generation);
    BOOST_TEST((error.code == ErrorCode::Corrupt));
    BOOST_TEST(error.detail == store.path_of(generation).string() + ": lacks cell " + cell +
                                   "; remove " + store.path_of(generation).string() +
                                   " to resume from generation " + std::to_string(generation - 1));
  };
  for (const char* name : {"4/cell-00000", "5/cell-00001", "6/cell-00003", "7/cell-00001"})
    fs::remove(scratch / (std::string("00000") + name + ".safetensors"));
  lacks(4, "0");
  lacks(5, "1");
  lacks(6, "3");
  lacks(7, "1");
}

// A cell of this run that was no part of it: put there by hand.
BOOST_AUTO_TEST_CASE(a_checkpoint_with_more_cells_than_were_saved_is_damage) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 9);
  save(store, 5, 2);
  CheckpointedCell third = made_cell(2, 5);
  third.whole.cell_count = 3;
  BOOST_REQUIRE(write_cell_file(store.path_of(5),
                                {.cell = third.cell,
                                 .state = third.state,
                                 .published = {{third.published[1], third.published[1].values}},
                                 .whole = third.whole},
                                owner));
  BOOST_TEST(
      contains(refusal(store, 5).detail, ": holds 3 cells, of which 2 were saved; no older"));
}

BOOST_AUTO_TEST_CASE(scores_on_another_classifier_are_told_or_refused_with_what_changed) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 2);
  CheckpointedCell cell = made_cell(0, 5);
  const auto check = [&](const std::optional<ScoredOn>& before, const ScoredOn& now) {
    cell.whole.scored_on = before;
    BOOST_REQUIRE(write_cell_file(scratch / "000005",
                                  {.cell = cell.cell,
                                   .state = cell.state,
                                   .published = {{cell.published[1], cell.published[1].values}},
                                   .whole = cell.whole},
                                  owner));
    const auto saved = store.read(5);
    BOOST_REQUIRE(saved.has_value());
    BOOST_TEST((saved->front().whole.scored_on == before));
    BOOST_TEST(store.check_classifier(5, *saved, {}).value() == "");  // no score needs one
    return store.check_classifier(5, *saved, now);
  };
  const auto refused = [&](const std::optional<ScoredOn>& before, const ScoredOn& now) {
    const auto checked = check(before, now);
    BOOST_REQUIRE(!checked.has_value());
    BOOST_TEST((checked.error().code == ErrorCode::Mismatch));
    return checked.error().detail;
  };
  fs::create_directory(scratch / "000005");
  const std::string begin =
      (scratch / "000005").string() + ": its scores are on classifier aa, and this is bb: ";
  const std::string end = ", or start the run anew in another --out";
  BOOST_TEST(check({}, {"bb", true}).value() == "");
  BOOST_TEST(check({{"aa", true}}, {"aa", true}).value() == "");
  BOOST_TEST(refused({{"aa", true}}, {"bb", false}) ==
             begin + "the data set's test files are gone: bring them back" + end);
  BOOST_TEST(refused({{"aa", false}}, {"bb", true}) ==
             begin + "the data set had no test files then: take them away again" + end);
  BOOST_TEST(contains(check({{"aa", true}}, {"bb", true}).value(),
                      begin + "it was trained on another kind of CPU"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_what_was_complete) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.path(), owner, 1);
  save(store, 5);
  {
    const testing::FileSizeLimit limit(100);
    const Result<void> written = write(store, 6, made_cell(0, 6));
    BOOST_TEST_REQUIRE(!written.has_value());
    BOOST_TEST((written.error().code == ErrorCode::Io));
  }
  store.abandon(6);
  BOOST_TEST(!fs::exists(scratch / "000006.partial"));
  BOOST_TEST(store.read(5).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
