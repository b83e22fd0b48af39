// A record that breaks a rule is refused, and never written.
#include "wire/peer_record.hpp"

#include <peer_record_generated.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/signal_of.hpp"
#include "wire/flat_values.hpp"
#include "wire/samples.hpp"

using namespace quadrille;
using namespace quadrille::wire;
using namespace quadrille::wire::test;

BOOST_AUTO_TEST_SUITE(peer_records)

namespace {

PeerRecord good() {
  return {.id = {.high = 1, .low = 2},
          .incarnation = 1'700'000'000'000,
          .version = 3,
          .name = "peer-7",
          .zone = "eu-west-1a",
          .endpoints = {Endpoint::v4(0x0A000007, 7746)},
          .capacity = 9,
          .leaving = false,
          .features = 0,
          .grid = {.epoch = 0, .rows = 4, .columns = 4},
          .claims = {{.first = 0, .count = 2, .stamp = 7}, {.first = 5, .count = 3, .stamp = 8}},
          .yields = {{.first = 6, .count = 2, .to = {.high = 3, .low = 4}}},
          .signature = {}};
}

// As encode() would, had it not looked.
ByteBuffer unchecked(const PeerRecord& record) {
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(record.name);
  const auto zone = builder.CreateString(record.zone);
  const auto endpoints = write_list<flat::Endpoint>(builder, record.endpoints);
  const auto claims = write_list<flat::ClaimRun>(builder, record.claims);
  const auto yields = write_list<flat::CellYield>(builder, record.yields);
  const flat::PeerId id = flat_of(record.id);
  const flat::GridEpoch grid = flat_of(record.grid);
  return finished(builder,
                  flat::CreatePeerRecord(builder, &id, record.incarnation, record.version, name,
                                         zone, endpoints, record.capacity, record.leaving,
                                         record.features, &grid, claims, yields),
                  flat::PeerRecordIdentifier());
}

void must_be_refused(const PeerRecord& record) {
  const auto decoded = decode_peer_record(unchecked(record));
  BOOST_REQUIRE(!decoded.has_value());
  BOOST_TEST((decoded.error().code == ErrorCode::Corrupt));
  BOOST_TEST(quadrille::test::signal_of([&] { (void)encode(record); }) == SIGABRT);
}

// The good record with one change.
template <class Change>
PeerRecord changed(const Change& change) {
  PeerRecord record = good();
  change(record);
  return record;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_record_that_the_others_differ_from_is_good) {
  const auto decoded = decode_peer_record(unchecked(good()));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST((*decoded == good()));
}

BOOST_AUTO_TEST_CASE(names_and_zones_are_short_lines_of_text) {
  for (std::string PeerRecord::* text : {&PeerRecord::name, &PeerRecord::zone}) {
    must_be_refused(changed([&](PeerRecord& record) { record.*text = std::string(33, 'n'); }));
    must_be_refused(changed([&](PeerRecord& record) { record.*text = "a\nb"; }));
    must_be_refused(changed([&](PeerRecord& record) { record.*text = "\xff"; }));
  }
}

BOOST_AUTO_TEST_CASE(a_record_is_somebodys) {
  must_be_refused(changed([](PeerRecord& record) { record.id = {}; }));
}

BOOST_AUTO_TEST_CASE(there_are_one_to_four_endpoints_with_ports) {
  must_be_refused(changed([](PeerRecord& record) { record.endpoints.clear(); }));
  must_be_refused(changed([](PeerRecord& record) { record.endpoints[0].port = 0; }));
  must_be_refused(changed([](PeerRecord& record) { record.endpoints[0].address = {}; }));
  must_be_refused(
      changed([](PeerRecord& record) { record.endpoints.resize(5, record.endpoints.front()); }));
}

BOOST_AUTO_TEST_CASE(a_grid_has_1_to_1024_rows_and_columns) {
  for (std::uint16_t GridEpoch::* side : {&GridEpoch::rows, &GridEpoch::columns}) {
    must_be_refused(changed([&](PeerRecord& record) { record.grid.*side = 0; }));
    must_be_refused(changed([&](PeerRecord& record) { record.grid.*side = 1025; }));
  }
}

BOOST_AUTO_TEST_CASE(claims_ascend_without_overlap_and_lie_in_the_largest_grid) {
  const auto with_claims = [](std::vector<ClaimRun> claims) {
    PeerRecord record = good();
    record.claims = std::move(claims);
    record.yields.clear();
    return record;
  };
  must_be_refused(with_claims({{.first = 0, .count = 0}}));
  must_be_refused(with_claims({{.first = 0, .count = 3}, {.first = 2, .count = 1}}));
  must_be_refused(with_claims({{.first = 4, .count = 1}, {.first = 2, .count = 1}}));
  must_be_refused(with_claims({{.first = cells_max, .count = 1}}));
  must_be_refused(with_claims({{.first = 1, .count = cells_max}}));
  must_be_refused(with_claims({{.first = ~0U, .count = ~0U}}));
  std::vector<ClaimRun> many;
  for (std::uint32_t cell = 0; cell < claim_runs_max + 1; ++cell)
    many.push_back({.first = 2 * cell, .count = 1});
  must_be_refused(with_claims(many));
  many.pop_back();
  BOOST_TEST(decode_peer_record(encode(with_claims(many))).has_value());
  BOOST_TEST(
      decode_peer_record(encode(with_claims({{.first = 0, .count = cells_max}}))).has_value());
}

BOOST_AUTO_TEST_CASE(yields_ascend_and_each_lies_within_one_claim) {
  const auto with_yields = [](std::vector<CellYield> yields) {
    PeerRecord record = good();
    record.yields = std::move(yields);
    return record;
  };
  must_be_refused(with_yields({{.first = 3, .count = 1}}));
  must_be_refused(with_yields({{.first = 1, .count = 5}}));
  must_be_refused(with_yields({{.first = 0, .count = 0}}));
  must_be_refused(with_yields({{.first = 7, .count = 2}}));
  must_be_refused(with_yields({{.first = 5, .count = 2}, {.first = 6, .count = 1}}));
  must_be_refused(with_yields({{.first = 0, .count = 1},
                               {.first = 1, .count = 1},
                               {.first = 5, .count = 1},
                               {.first = 6, .count = 1},
                               {.first = 7, .count = 1}}));
}

BOOST_AUTO_TEST_CASE(a_signature_has_its_length) {
  PeerRecord record = good();
  record.signature.resize(63);
  BOOST_TEST(quadrille::test::signal_of([&] { (void)encode(record); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(a_record_beyond_its_limit_is_refused_unread) {
  ByteBuffer bytes = encode(good());
  bytes.resize(record_bytes_max + 1);
  BOOST_TEST(!decode_peer_record(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(an_empty_body_is_no_record) {
  BOOST_TEST(!decode_peer_record({}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
