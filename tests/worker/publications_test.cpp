// What was published and for how long it is kept, and what each edge makes of it.
#include "worker/publications.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <limits>

#include "codec/decoder.hpp"
#include "codec/payload.hpp"
#include "support/signal_of.hpp"
#include "worker/edge_samples.hpp"

namespace quadrille::worker {

BOOST_AUTO_TEST_SUITE(publications_of_cells)

using peer::EdgeId;
using peer::PayloadEncoded;
using test::publication;
using test::publication_floats;

namespace {

constexpr CellIndex own{0};
constexpr EdgeId edge{.source = own, .reader = {1}};
constexpr EdgeId second{.source = own, .reader = {2}};
constexpr Round last_round{.index = std::numeric_limits<std::uint64_t>::max(),
                           .subround = std::numeric_limits<std::uint32_t>::max()};

struct Shelf {
  explicit Shelf(bool synchronous = false, codec::CodecOptions codec = {})
      : publications(
            {.codec = codec, .synchronous = synchronous, .float_count = publication_floats}) {}

  void add(std::uint64_t round) { publications.add(own, publication({round})); }
  void add(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t round = first; round <= last; ++round) add(round);
  }
  PayloadEncoded encode(EdgeId id = edge, std::optional<Round> round = {}) {
    return publications.encode({.edge = id, .round = round}).value();
  }
  PayloadEncoded keyframe() {
    return publications.encode({.edge = edge, .keyframe = true, .round = {}}).value();
  }
  // The oldest round that is still there.
  Round oldest() {
    constexpr EdgeId late{.source = own, .reader = {99}};
    publications.open(late);
    const Round round = encode(late, Round{}).round;
    publications.close(late);
    return round;
  }

  Publications publications;
};

// A reader that takes what it is sent.
struct Reader {
  bool take(const PayloadEncoded& encoded) {
    return end.apply(decoder, *encoded.payload).has_value();
  }
  bool agrees(const Shelf& shelf, EdgeId id = edge) const {
    return std::ranges::equal(end.replica().newest(), shelf.publications.replica(id)->newest());
  }

  codec::Decoder decoder;
  codec::ReceivingEdge end{publication_floats};
};

}  // namespace

// --- What is kept ---

BOOST_AUTO_TEST_CASE(the_last_two_are_kept_oldest_first) {
  Shelf shelf;
  BOOST_TEST(shelf.publications.newest(own) == nullptr);
  BOOST_TEST(shelf.publications.last(own).empty());
  shelf.add(1);
  BOOST_TEST(shelf.publications.last(own).size() == 1U);
  shelf.add(2, 3);
  const auto last = shelf.publications.last(own);
  BOOST_TEST_REQUIRE(last.size() == 2U);
  BOOST_TEST((last[0] == publication({2})));
  BOOST_TEST((last[1] == publication({3})));
  BOOST_TEST((*shelf.publications.newest(own) == publication({3})));
  BOOST_TEST(shelf.publications.newest({5}) == nullptr);
}

BOOST_AUTO_TEST_CASE(asynchronous_edges_hold_nothing_back) {
  Shelf shelf;
  shelf.publications.open(edge);
  shelf.add(1, 4);
  BOOST_TEST(shelf.oldest() == Round{3});
}

BOOST_AUTO_TEST_CASE(a_synchronous_round_is_kept_until_every_open_edge_has_encoded_it) {
  Shelf shelf(true);
  shelf.publications.open(edge);
  shelf.publications.open(second);
  shelf.add(1, 4);
  for (std::uint64_t round = 1; round <= 4; ++round) shelf.encode(edge, Round{round});
  shelf.encode(second, Round{1});
  shelf.add(5);
  BOOST_TEST(shelf.oldest() == Round{2});
  BOOST_TEST(shelf.encode(second, Round{2}).round == Round{2});
  BOOST_TEST(shelf.encode(second, Round{3}).round == Round{3});
  shelf.add(6);
  BOOST_TEST(shelf.oldest() == Round{4});
  BOOST_TEST(shelf.publications.last(own).size() == saved_snapshots_max);
}

BOOST_AUTO_TEST_CASE(of_the_ninth_that_waits_the_oldest_is_given_up) {
  Shelf shelf(true);
  shelf.publications.open(edge);
  shelf.add(1, peer::rounds_waiting_max);
  BOOST_TEST(shelf.oldest() == Round{1});
  shelf.add(peer::rounds_waiting_max + 1);
  BOOST_TEST(shelf.encode(edge, Round{1}).round == Round{2});
}

BOOST_AUTO_TEST_CASE(without_an_open_edge_a_synchronous_run_keeps_two_as_well) {
  Shelf shelf(true);
  shelf.publications.open({.source = {7}, .reader = {1}});  // of another cell
  shelf.publications.open(edge);
  shelf.add(1, 4);
  BOOST_TEST(shelf.oldest() == Round{1});
  shelf.publications.close(edge);
  shelf.add(5);
  BOOST_TEST(shelf.oldest() == Round{4});
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_dropped_takes_its_edges_along_and_no_others) {
  Shelf shelf;
  const EdgeId foreign{.source = {7}, .reader = {1}};
  shelf.publications.open(edge);
  shelf.publications.open(foreign);
  shelf.publications.add({7}, publication({1}));
  shelf.add(1);
  shelf.publications.drop(own);
  shelf.publications.drop(own);
  BOOST_TEST(shelf.publications.newest(own) == nullptr);
  BOOST_TEST(shelf.publications.last(own).empty());
  BOOST_TEST(shelf.publications.replica(edge) == nullptr);
  shelf.add(2);
  BOOST_TEST(shelf.encode().payload == nullptr);
  BOOST_TEST(shelf.encode(foreign).payload != nullptr);
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_another_size_is_a_bug) {
  worker::PublishedSnapshot snapshot = publication({1});
  snapshot.values.pop_back();
  BOOST_TEST(test::signal_of([&] { Shelf().publications.add(own, snapshot); }) == SIGABRT);
}

// --- What an edge encodes ---

BOOST_AUTO_TEST_CASE(where_there_is_nothing_to_encode_there_is_no_payload) {
  Shelf shelf;
  shelf.publications.close(edge);
  BOOST_TEST(shelf.publications.replica(edge) == nullptr);
  shelf.add(1);
  BOOST_TEST(shelf.encode().payload == nullptr);  // no edge
  shelf.publications.drop(own);
  shelf.publications.open(edge);
  for (const PayloadEncoded& encoded : {shelf.encode(), shelf.keyframe()}) {  // no snapshot
    BOOST_TEST(encoded.payload == nullptr);
    BOOST_TEST((encoded.edge == edge));
    BOOST_TEST(encoded.version == 0U);
  }
}

BOOST_AUTO_TEST_CASE(the_first_state_is_whole_and_the_next_are_differences_from_it) {
  Shelf shelf;
  Reader reader;
  shelf.publications.open(edge);
  shelf.add(1);
  PayloadEncoded before = shelf.encode();
  BOOST_TEST(before.base_version == 0U);
  BOOST_TEST(before.base_checksum == 0U);
  BOOST_TEST(before.version == 1U);
  BOOST_TEST(reader.take(before));
  for (std::uint64_t round = 2; round < 6; ++round) {
    shelf.add(round);
    const PayloadEncoded encoded = shelf.encode();
    BOOST_TEST(encoded.round == Round{round});
    BOOST_TEST(encoded.base_version == before.version);
    BOOST_TEST(encoded.base_checksum == before.checksum);
    BOOST_TEST(encoded.version == before.version + 1);
    BOOST_TEST((encoded.exact == publication({round}).exact));
    BOOST_TEST(reader.take(encoded));
    BOOST_TEST(reader.agrees(shelf));
    BOOST_TEST(encoded.checksum == codec::checksum_of(reader.end.replica().newest()));
    before = encoded;
  }
}

BOOST_AUTO_TEST_CASE(a_keyframe_is_what_was_sent_last_and_moves_nothing) {
  Shelf shelf;
  shelf.publications.open(edge);
  shelf.add(1);
  shelf.encode();
  shelf.add(2);
  const PayloadEncoded sent = shelf.encode();
  shelf.add(3);
  const PayloadEncoded keyframe = shelf.keyframe();
  BOOST_TEST(keyframe.base_version == 0U);
  BOOST_TEST(keyframe.base_checksum == 0U);
  BOOST_TEST(keyframe.round == sent.round);
  BOOST_TEST(keyframe.version == sent.version);
  BOOST_TEST(keyframe.checksum == sent.checksum);
  BOOST_TEST((keyframe.exact == sent.exact));
  Reader reader;  // that holds nothing
  BOOST_TEST(reader.take(keyframe));
  BOOST_TEST(reader.take(shelf.encode()));
  BOOST_TEST(reader.agrees(shelf));
}

BOOST_AUTO_TEST_CASE(a_keyframe_of_an_edge_that_sent_nothing_is_its_first_state) {
  Shelf shelf;
  shelf.publications.open(edge);
  shelf.add(4);
  const PayloadEncoded encoded = shelf.keyframe();
  BOOST_TEST(encoded.round == Round{4});
  BOOST_TEST(encoded.version == 1U);
}

BOOST_AUTO_TEST_CASE(the_round_that_is_asked_for_is_encoded_or_the_oldest_later_one) {
  Shelf shelf(true);
  shelf.publications.open(edge);
  for (const std::uint64_t round : {2U, 3U, 7U}) shelf.add(round);
  BOOST_TEST(shelf.encode(edge, Round{0}).round == Round{2});
  BOOST_TEST(shelf.encode(edge, Round{3}).round == Round{3});
  BOOST_TEST(shelf.encode(edge, Round{4}).round == Round{7});
  BOOST_TEST(shelf.encode(edge, Round{7, 1}).payload == nullptr);
  BOOST_TEST(shelf.encode(edge, last_round).payload == nullptr);
  shelf.publications.add(own, publication(last_round));
  BOOST_TEST(shelf.encode(edge, last_round).round == last_round);
}

BOOST_AUTO_TEST_CASE(each_edge_has_a_replica_of_its_own) {
  Shelf shelf;
  shelf.publications.open(edge);
  shelf.publications.open(second);
  shelf.add(1);
  shelf.encode(edge);
  shelf.add(2);
  BOOST_TEST(shelf.encode(edge).version == 2U);
  const PayloadEncoded late = shelf.encode(second);
  BOOST_TEST(late.version == 1U);
  BOOST_TEST(late.base_version == 0U);
  BOOST_TEST(late.round == Round{2});
}

BOOST_AUTO_TEST_CASE(an_edge_that_is_opened_again_begins_with_nothing) {
  for (const bool is_closed : {true, false}) {
    Shelf shelf;
    shelf.publications.open(edge);
    shelf.add(1);
    shelf.encode();
    if (is_closed) shelf.publications.close(edge);
    shelf.publications.open(edge);
    BOOST_TEST(shelf.publications.replica(edge)->version() == 0U);
    const PayloadEncoded encoded = shelf.encode();
    BOOST_TEST(encoded.version == 1U);
    BOOST_TEST(encoded.base_version == 0U);
  }
}

BOOST_AUTO_TEST_CASE(an_edge_tells_what_its_source_had_heard_of_its_own_reader) {
  Shelf shelf;
  shelf.publications.open(edge);
  shelf.publications.open(second);
  PublishedSnapshot snapshot = publication({3});
  snapshot.heard = {{edge.reader, last_round}};
  shelf.publications.add(own, snapshot);
  BOOST_TEST((shelf.encode(edge).heard == last_round));
  BOOST_TEST(!shelf.encode(second).heard);
  shelf.add(4);  // has heard of nobody
  BOOST_TEST((shelf.keyframe().heard == last_round));
  BOOST_TEST(!shelf.encode(edge).heard);
}

BOOST_AUTO_TEST_CASE(what_a_codec_sends_whole_is_told_as_a_keyframe_each_time) {
  Shelf shelf(false, {.kind = codec::CodecKind::Fp16});
  Reader reader;
  shelf.publications.open(edge);
  for (std::uint64_t version = 1; version < 4; ++version) {
    shelf.add(version);
    const PayloadEncoded encoded = shelf.encode();
    BOOST_TEST(encoded.base_version == 0U);
    BOOST_TEST(encoded.version == version);
    BOOST_TEST(reader.take(encoded));
    BOOST_TEST(reader.agrees(shelf));
  }
}

BOOST_AUTO_TEST_CASE(what_the_codec_cannot_hold_is_an_error_and_moves_nothing) {
  Shelf shelf(false, {.kind = codec::CodecKind::Fp16});
  shelf.publications.open(edge);
  shelf.add(1);
  const PayloadEncoded sent = shelf.encode();
  shelf.publications.add(own, publication({2}, 1e8F));
  const auto failed = shelf.publications.encode({.edge = edge, .round = {}});
  BOOST_TEST_REQUIRE(!failed.has_value());
  BOOST_TEST((failed.error().code == ErrorCode::NotFinite));
  const PayloadEncoded keyframe = shelf.keyframe();
  BOOST_TEST(keyframe.round == sent.round);
  BOOST_TEST(keyframe.checksum == sent.checksum);
  shelf.add(3);
  BOOST_TEST(shelf.encode().version == sent.version + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::worker
