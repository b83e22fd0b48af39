// Objects are read as they were written, and hostile ones are refused. The golden files are of
// format version 1: every later release reads them.
// QUADRILLE_REWRITE_GOLDEN=1 writes them anew; the commit then says why the format changed.
#include "worker/object_bytes.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/hash.hpp"
#include "fuzz/object_case.hpp"
#include "support/corpus.hpp"
#include "wire/limits.hpp"
#include "worker/object_samples.hpp"

namespace quadrille::worker {

BOOST_AUTO_TEST_SUITE(object_bytes)

using test::sample_saved_cell;
using test::sample_saved_snapshot;
using test::sealed;
using test::with;

namespace {

constexpr std::size_t header_bytes = 32;

ByteBuffer written(const auto& saved) {
  auto bytes = to_bytes(saved);
  BOOST_REQUIRE(bytes.has_value());
  return std::move(*bytes);
}

ErrorCode refusal(const auto& result) {
  BOOST_REQUIRE(!result.has_value());
  return result.error().code;
}

ByteBuffer golden(const std::string& name, const ByteBuffer& now) {
  const std::string path = QUADRILLE_SOURCE_DIR "/tests/golden/worker/" + name;
  if (std::getenv("QUADRILLE_REWRITE_GOLDEN") != nullptr)
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(now.data()), static_cast<std::streamsize>(now.size()));
  std::ifstream file(path, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(file, path << " cannot be read");
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const Bytes bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_saved_cell_is_read_as_it_was_written) {
  const SavedCell saved = sample_saved_cell();
  const auto read = read_saved_cell(written(saved));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->cell == saved.cell);
  BOOST_TEST(read->state.round == saved.state.round);
  BOOST_REQUIRE(read->state.tensors.size() == 2U);
  BOOST_TEST(read->state.tensors[0].name == "generator");
  BOOST_TEST(read->state.tensors[0].values == saved.state.tensors[0].values);
  BOOST_TEST(read->state.tensors[1].values.empty());
  BOOST_TEST((read->state.counters == saved.state.counters));
  BOOST_TEST((read->snapshots == saved.snapshots));
}

BOOST_AUTO_TEST_CASE(a_snapshot_is_read_as_it_was_written) {
  const SavedSnapshot saved = sample_saved_snapshot();
  const auto read = read_saved_snapshot(written(saved));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->cell == saved.cell);
  BOOST_TEST((read->snapshot == saved.snapshot));
}

BOOST_AUTO_TEST_CASE(objects_are_written_and_read_as_they_always_were) {
  const ByteBuffer state = written(sample_saved_cell());
  BOOST_TEST((golden("state.bin", state) == state));
  const ByteBuffer snapshot = written(sample_saved_snapshot());
  BOOST_TEST((golden("snapshot.bin", snapshot) == snapshot));
}

BOOST_AUTO_TEST_CASE(a_byte_that_changed_or_is_missing_is_noticed) {
  for (const ByteBuffer& object : {written(sample_saved_cell()), written(sample_saved_snapshot())})
    for (std::size_t i = 0; i < object.size(); ++i) {
      ByteBuffer changed = object;
      changed[i] ^= std::byte{0x10};
      BOOST_TEST(!read_saved_cell(changed));
      BOOST_TEST(!read_saved_snapshot(changed));
      BOOST_TEST(!read_saved_cell(Bytes(object).first(i)));
      BOOST_TEST(!read_saved_snapshot(Bytes(object).first(i)));
    }
}

BOOST_AUTO_TEST_CASE(a_sealed_object_that_ends_early_is_corrupt) {
  const ByteBuffer object = written(sample_saved_snapshot());
  for (std::size_t size = header_bytes; size < object.size(); ++size) {
    const auto read =
        read_saved_snapshot(sealed({object.begin(), object.begin() + std::ptrdiff_t(size)}));
    BOOST_TEST(!read.has_value());
  }
  ByteBuffer longer = object;
  longer.push_back({});
  BOOST_TEST((refusal(read_saved_snapshot(sealed(longer))) == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_CASE(no_length_is_believed) {
  const ByteBuffer state = written(sample_saved_cell());
  const std::uint64_t huge = ~std::uint64_t{0};
  // The first tensor's count of floats; the wrap of four times it is small.
  for (const std::uint64_t count : {huge, huge / 4 + 2, std::uint64_t{1} << 40})
    BOOST_TEST(
        (refusal(read_saved_cell(with(state, header_bytes + 2, count))) == ErrorCode::Corrupt));
  const ByteBuffer snapshot = written(sample_saved_snapshot());
  const std::size_t exact_offset = header_bytes + 10 + 12;
  BOOST_TEST((refusal(read_saved_snapshot(with(snapshot, exact_offset, std::uint32_t(1) << 31))) ==
              ErrorCode::Limit));
  BOOST_TEST((refusal(read_saved_snapshot(
                  with(snapshot, exact_offset + 4, std::uint32_t(1) << 31))) == ErrorCode::Limit));
}

BOOST_AUTO_TEST_CASE(another_format_version_is_a_mismatch_and_another_kind_corrupt) {
  const ByteBuffer state = written(sample_saved_cell());
  BOOST_TEST((refusal(read_saved_cell(with(state, 3, std::uint8_t{2}))) == ErrorCode::Mismatch));
  BOOST_TEST((refusal(read_saved_snapshot(state)) == ErrorCode::Corrupt));
  BOOST_TEST((refusal(read_saved_cell(with(state, 5, std::uint8_t{1}))) == ErrorCode::Corrupt));
  BOOST_TEST(
      (refusal(read_saved_cell(with(state, header_bytes, std::uint8_t{9}))) == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_CASE(a_state_that_holds_snapshots_newer_than_itself_is_corrupt) {
  const auto read = [](Round state, Round older, Round newer) {
    SavedCell saved = sample_saved_cell();
    saved.state.round = state;
    saved.snapshots = {test::sample_snapshot(older), test::sample_snapshot(newer)};
    return read_saved_cell(written(saved));
  };
  BOOST_TEST(read({.index = 5}, {.index = 4}, {.index = 5}).has_value());
  BOOST_TEST(
      (refusal(read({.index = 5}, {.index = 4}, {.index = 1'000'000'000})) == ErrorCode::Corrupt));
  BOOST_TEST((refusal(read({.index = 5}, {.index = 5}, {.index = 5, .subround = 1})) ==
              ErrorCode::Corrupt));
  BOOST_TEST((refusal(read({.index = 5}, {.index = 4}, {.index = 4})) == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_neither_written_nor_read) {
  SavedCell saved = sample_saved_cell();
  saved.state.tensors[0].values[1] = std::numeric_limits<float>::infinity();
  BOOST_TEST((refusal(to_bytes(saved)) == ErrorCode::NotFinite));
  SavedSnapshot snapshot = sample_saved_snapshot();
  snapshot.snapshot.values[0] = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST((refusal(to_bytes(snapshot)) == ErrorCode::NotFinite));
  const ByteBuffer bytes = written(sample_saved_snapshot());
  const float infinity = std::numeric_limits<float>::infinity();
  BOOST_TEST((refusal(read_saved_snapshot(with(bytes, bytes.size() - 4, infinity))) ==
              ErrorCode::NotFinite));
}

BOOST_AUTO_TEST_CASE(more_than_a_reader_takes_is_not_written) {
  SavedCell saved = sample_saved_cell();
  saved.snapshots.push_back(test::sample_snapshot({.index = 8}));
  BOOST_TEST((refusal(to_bytes(saved)) == ErrorCode::Limit));
  saved = sample_saved_cell();
  saved.state.counters.assign(object_parts_max, {"n", 0});
  BOOST_TEST((refusal(to_bytes(saved)) == ErrorCode::Limit));
  saved.state.counters.assign(object_parts_max - 4, {"n", 0});
  BOOST_TEST(read_saved_cell(written(saved)).has_value());
  SavedSnapshot snapshot = sample_saved_snapshot();
  snapshot.snapshot.exact.resize(wire::exact_bytes_max + 1);
  BOOST_TEST((refusal(to_bytes(snapshot)) == ErrorCode::Limit));
  snapshot = sample_saved_snapshot();
  for (std::uint32_t cell = 0; cell <= heard_max; ++cell) snapshot.snapshot.heard[{cell}] = {};
  BOOST_TEST((refusal(to_bytes(snapshot)) == ErrorCode::Limit));
  saved = sample_saved_cell();
  saved.state.tensors[0].name.assign(256, 'x');
  BOOST_TEST((refusal(to_bytes(saved)) == ErrorCode::Limit));
}

BOOST_AUTO_TEST_CASE(every_object_of_the_corpus_is_survived) {
  quadrille::test::replay_corpus("object", [](const std::string& content) {
    fuzz::object_case(bytes_of(std::span<const char>(content)));
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::worker
