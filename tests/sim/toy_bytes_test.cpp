// What a toy worker writes is read back, and nothing else is.
#include "sim/toy_bytes.hpp"

#include <boost/test/unit_test.hpp>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(toy_bytes)

namespace {

constexpr ToyPayload payload{.edge = {.source = {3}, .reader = {0xFFFF'FFFF}},
                             .round = {.index = 1ULL << 40U, .subround = 7},
                             .base_version = 5,
                             .base_checksum = 6,
                             .version = 8,
                             .checksum = 9,
                             .weights = ToyWeights::OutOfNorm};
constexpr ToyCell cell{
    .cell = {12}, .round = {.index = 30, .subround = 1}, .saved_by = 4, .is_handover = true};

constexpr std::size_t size = 300;

}  // namespace

BOOST_AUTO_TEST_CASE(a_payload_is_read_as_it_was_written) {
  const ByteBuffer bytes = to_bytes(payload, size);
  BOOST_TEST(bytes.size() == size);
  const auto read = toy_payload(bytes);
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((read->edge == payload.edge));
  BOOST_TEST((read->round == payload.round));
  BOOST_TEST(read->base_version == payload.base_version);
  BOOST_TEST(read->base_checksum == payload.base_checksum);
  BOOST_TEST(read->version == payload.version);
  BOOST_TEST(read->checksum == payload.checksum);
  BOOST_TEST((read->weights == payload.weights));
}

BOOST_AUTO_TEST_CASE(a_cell_is_read_as_it_was_written) {
  const auto read = toy_cell(ToyKind::State, to_bytes(ToyKind::State, cell, size));
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((read->cell == cell.cell));
  BOOST_TEST((read->round == cell.round));
  BOOST_TEST(read->saved_by == cell.saved_by);
  BOOST_TEST(read->is_handover);
}

BOOST_AUTO_TEST_CASE(one_kind_is_not_taken_for_another) {
  const ByteBuffer state = to_bytes(ToyKind::State, cell, size);
  BOOST_TEST(!toy_cell(ToyKind::Snapshot, state));
  BOOST_TEST(!toy_payload(state));
  BOOST_TEST(!toy_cell(ToyKind::State, to_bytes(payload, size)));
}

BOOST_AUTO_TEST_CASE(what_has_been_cut_or_lengthened_is_not_taken) {
  ByteBuffer bytes = to_bytes(ToyKind::State, cell, size);
  bytes.push_back({});
  BOOST_TEST(!toy_cell(ToyKind::State, bytes));
  bytes.resize(size - 1);
  BOOST_TEST(!toy_cell(ToyKind::State, bytes));
  BOOST_TEST(!toy_cell(ToyKind::State, ByteBuffer{}));
}

// Beyond the words and their checksum there is padding, which nobody looks at.
BOOST_AUTO_TEST_CASE(no_bit_of_what_counts_can_be_changed) {
  const ByteBuffer bytes = to_bytes(ToyKind::State, cell, 0);
  for (std::size_t at = 8; at < bytes.size(); ++at) {
    ByteBuffer damaged = bytes;
    damaged[at] ^= std::byte{1};
    BOOST_TEST(!toy_cell(ToyKind::State, damaged), "byte " << at);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
