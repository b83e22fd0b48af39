// What read edges hold, what they refuse and still hold then, and what stays of closed ones.
#include "worker/held_replicas.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <limits>

#include "codec/payload.hpp"
#include "worker/edge_samples.hpp"
#include "worker/publications.hpp"

namespace quadrille::worker {

BOOST_AUTO_TEST_SUITE(replicas_that_are_held)

using peer::ApplyPayload;
using peer::EdgeId;
using peer::PayloadTaken;
using test::apply_of;
using test::publication;
using test::publication_floats;
using wire::PayloadFault;

namespace {

constexpr CellIndex source{0};
constexpr CellIndex reader{1};
constexpr EdgeId edge{.source = source, .reader = reader};
constexpr Round last_round{.index = std::numeric_limits<std::uint64_t>::max(),
                           .subround = std::numeric_limits<std::uint32_t>::max()};

// The other end of an edge.
struct Source {
  explicit Source(codec::CodecOptions codec = {}, std::size_t float_count = publication_floats)
      : publications({.codec = codec, .float_count = float_count}) {
    publications.open(edge);
  }

  ApplyPayload next(Round round, float scale = 1) { return next(publication(round, scale)); }
  ApplyPayload next(const PublishedSnapshot& snapshot) {
    publications.add(source, snapshot);
    return apply_of(publications.encode({.edge = edge, .round = {}}).value());
  }
  ApplyPayload keyframe() {
    return apply_of(publications.encode({.edge = edge, .keyframe = true, .round = {}}).value());
  }
  std::span<const float> values() const { return publications.replica(edge)->newest(); }

  Publications publications;
};

// As if it had come from another source, or for another reader.
ApplyPayload along(EdgeId id, ApplyPayload command) {
  command.edge = id;
  return command;
}

ApplyPayload with_bytes(ApplyPayload command, ByteBuffer bytes) {
  command.payload = std::make_shared<const ByteBuffer>(std::move(bytes));
  return command;
}

struct Shelf {
  Shelf() { held.open(edge); }

  // With a round of each of `rounds`, one after the other.
  explicit Shelf(Source& from, std::initializer_list<std::uint64_t> rounds) : Shelf() {
    for (const std::uint64_t round : rounds)
      BOOST_TEST_REQUIRE(!held.apply(from.next(Round{round})).fault);
  }
  std::optional<Round> newest_of(CellIndex cell = source) const {
    const auto snapshot = held.newest_of(cell);
    if (!snapshot) return std::nullopt;
    return snapshot->round;
  }

  HeldReplicas held{publication_floats};
};

}  // namespace

// --- What is held ---

BOOST_AUTO_TEST_CASE(what_was_applied_is_held_to_the_bit) {
  Source from;
  Shelf shelf;
  PublishedSnapshot snapshot = publication(last_round);
  snapshot.heard = {{reader, Round{8}}};
  const ApplyPayload command = from.next(snapshot);
  const PayloadTaken taken = shelf.held.apply(command);
  BOOST_TEST(!taken.fault);
  BOOST_TEST((taken.edge == edge));
  BOOST_TEST(taken.round == last_round);
  BOOST_TEST(taken.version == 1U);
  BOOST_TEST(taken.checksum == codec::checksum_of(from.values()));
  const auto view = shelf.held.at(edge, last_round);
  BOOST_TEST_REQUIRE(view.has_value());
  BOOST_TEST(view->cell == source);
  BOOST_TEST(view->round == last_round);
  BOOST_TEST(std::ranges::equal(view->values, from.values()));
  BOOST_TEST(std::ranges::equal(view->exact, snapshot.exact));
  BOOST_TEST((view->heard == Round{8}));
}

BOOST_AUTO_TEST_CASE(the_newest_round_and_the_one_before_are_held) {
  Source from;
  Shelf shelf(from, {1, 2});
  const std::vector<float> second(from.values().begin(), from.values().end());
  BOOST_TEST(shelf.held.at(edge, {1}).has_value());
  shelf.held.apply(from.next(Round{5}));
  BOOST_TEST(!shelf.held.at(edge, {1}));
  BOOST_TEST_REQUIRE(shelf.held.at(edge, {2}).has_value());
  BOOST_TEST(std::ranges::equal(shelf.held.at(edge, {2})->values, second));
  BOOST_TEST(std::ranges::equal(shelf.held.at(edge, {2})->exact, publication({2}).exact));
  BOOST_TEST(std::ranges::equal(shelf.held.at(edge, {5})->values, from.values()));
  BOOST_TEST(!shelf.held.at(edge, {3}));
  BOOST_TEST(!shelf.held.at({.source = reader, .reader = source}, {5}));
}

BOOST_AUTO_TEST_CASE(of_a_round_that_came_twice_the_later_is_given) {
  Source from({.kind = codec::CodecKind::Fp32});
  Shelf shelf(from, {1});
  BOOST_TEST(!shelf.held.apply(from.next({1}, 2)).fault);
  BOOST_TEST(std::ranges::equal(shelf.held.at(edge, {1})->values, from.values()));
}

BOOST_AUTO_TEST_CASE(an_edge_that_is_not_open_takes_nothing) {
  Source from;
  Shelf shelf;
  shelf.held.close(edge);
  shelf.held.close(edge);
  const PayloadTaken taken = shelf.held.apply(from.next(Round{1}));
  BOOST_TEST((taken.fault == PayloadFault::Mismatch));
  BOOST_TEST(taken.checksum == 0U);
  BOOST_TEST(taken.round == Round{1});
  BOOST_TEST(shelf.held.replica(edge) == nullptr);
  BOOST_TEST(!shelf.held.at(edge, {1}));
  BOOST_TEST(!shelf.newest_of());
}

// --- What is refused ---

// Whatever it was, the newest round stays what it was, and what follows it fits.
void check_refused(PayloadFault fault, const std::function<ApplyPayload(ApplyPayload)>& damage) {
  Source from;
  Shelf shelf(from, {1, 2});
  const std::vector<float> before(from.values().begin(), from.values().end());
  const ApplyPayload next = from.next(Round{3});
  const PayloadTaken taken = shelf.held.apply(damage(next));
  BOOST_TEST_REQUIRE(taken.fault.has_value());
  BOOST_TEST(int(*taken.fault) == int(fault));
  BOOST_TEST(taken.checksum == codec::checksum_of(before));
  BOOST_TEST(shelf.held.replica(edge)->version() == 2U);
  BOOST_TEST_REQUIRE(shelf.held.at(edge, {2}).has_value());
  BOOST_TEST(std::ranges::equal(shelf.held.at(edge, {2})->values, before));
  BOOST_TEST(!shelf.held.at(edge, {1}));  // it may have been written over
  BOOST_TEST(!shelf.held.at(edge, {3}));
  BOOST_TEST(!shelf.held.apply(next).fault);
  BOOST_TEST(shelf.held.at(edge, {2}).has_value());
  BOOST_TEST(std::ranges::equal(shelf.held.at(edge, {3})->values, from.values()));
}

BOOST_AUTO_TEST_CASE(damaged_bytes_are_corrupt) {
  check_refused(PayloadFault::Corrupt, [](ApplyPayload command) {
    command.payload = nullptr;
    return command;
  });
  check_refused(PayloadFault::Corrupt,
                [](const ApplyPayload& command) { return with_bytes(command, {}); });
  for (const std::size_t at : {std::size_t{0}, codec::header_bytes - 1, codec::header_bytes})
    check_refused(PayloadFault::Corrupt, [at](const ApplyPayload& command) {
      ByteBuffer bytes = *command.payload;
      bytes[at] ^= std::byte{1};
      return with_bytes(command, bytes);
    });
  check_refused(PayloadFault::Corrupt, [](const ApplyPayload& command) {
    ByteBuffer bytes = *command.payload;
    bytes.pop_back();
    return with_bytes(command, bytes);
  });
  check_refused(PayloadFault::Corrupt, [](const ApplyPayload& command) {
    ByteBuffer bytes = *command.payload;
    bytes.push_back({});
    return with_bytes(command, bytes);
  });
}

BOOST_AUTO_TEST_CASE(a_version_that_the_payload_does_not_lead_to_is_corrupt) {
  for (const std::uint64_t version : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4},
                                      std::numeric_limits<std::uint64_t>::max()})
    check_refused(PayloadFault::Corrupt, [version](ApplyPayload command) {
      command.version = version;
      return command;
    });
}

BOOST_AUTO_TEST_CASE(a_difference_from_another_state_is_a_mismatch) {
  check_refused(PayloadFault::Mismatch, [](const ApplyPayload&) {  // one was lost
    Source from;
    for (const std::uint64_t round : {1U, 2U, 3U}) from.next(Round{round});
    return from.next(Round{4});
  });
  check_refused(PayloadFault::Mismatch, [](const ApplyPayload&) {  // the last came once more
    Source from;
    from.next(Round{1});
    return from.next(Round{2});
  });
  check_refused(PayloadFault::Mismatch, [](const ApplyPayload&) {  // the same version of another
    Source from;
    from.next({1}, 0.5F);
    from.next({2}, 0.5F);
    return from.next({3}, 0.5F);
  });
}

BOOST_AUTO_TEST_CASE(weights_of_another_size_are_a_mismatch) {
  check_refused(PayloadFault::Mismatch, [](const ApplyPayload& command) {
    Source from({}, publication_floats - 1);
    PublishedSnapshot snapshot = publication({3});
    snapshot.values.pop_back();
    ApplyPayload other = from.next(snapshot);
    other.version = command.version;
    return other;
  });
}

BOOST_AUTO_TEST_CASE(what_is_whole_and_decodes_to_no_number_is_not_finite) {
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    check_refused(PayloadFault::NotFinite, [bad](const ApplyPayload& command) {
      Source from({.kind = codec::CodecKind::Fp32, .zstd = false});
      for (const std::uint64_t round : {1U, 2U}) from.next(Round{round});
      const ApplyPayload whole = from.next(Round{3});
      ByteBuffer bytes = *whole.payload;
      std::memcpy(bytes.data() + bytes.size() - sizeof bad, &bad, sizeof bad);
      codec::set_checksum(bytes);
      return with_bytes(command, bytes);
    });
}

BOOST_AUTO_TEST_CASE(weights_out_of_norm_are_refused) {
  check_refused(PayloadFault::OutOfNorm, [](const ApplyPayload&) {
    Source from({.kind = codec::CodecKind::Fp32});
    for (const std::uint64_t round : {1U, 2U}) from.next(Round{round});
    return from.next({3}, 100);
  });
}

// Times a power of two is exact.
BOOST_AUTO_TEST_CASE(eight_times_the_norm_is_taken_and_more_is_not) {
  for (const auto& [scale, is_taken] : {std::pair(8.0F, true), std::pair(0.125F, true),
                                        std::pair(16.0F, false), std::pair(0.0625F, false)}) {
    Source from({.kind = codec::CodecKind::Fp32});
    Shelf shelf(from, {1});
    const PayloadTaken taken = shelf.held.apply(from.next({1}, scale));
    BOOST_TEST(!taken.fault == is_taken, "times " << scale);
  }
}

BOOST_AUTO_TEST_CASE(a_difference_when_nothing_is_held_is_a_mismatch) {
  Source from;
  Shelf shelf;
  from.next(Round{1});
  const PayloadTaken taken = shelf.held.apply(from.next(Round{2}));
  BOOST_TEST((taken.fault == PayloadFault::Mismatch));
  BOOST_TEST(taken.checksum == 0U);
  BOOST_TEST(!shelf.newest_of());
  BOOST_TEST(!shelf.held.apply(from.keyframe()).fault);
  BOOST_TEST((shelf.newest_of() == Round{2}));
}

BOOST_AUTO_TEST_CASE(an_edge_that_is_opened_again_holds_nothing_and_knows_no_norm) {
  Source from({.kind = codec::CodecKind::Fp32});
  Shelf shelf(from, {1});
  shelf.held.open(edge);
  BOOST_TEST(shelf.held.replica(edge)->version() == 0U);
  BOOST_TEST(!shelf.held.at(edge, {1}));
  BOOST_TEST(!shelf.held.apply(from.next({2}, 1000)).fault);
}

// --- What stays of closed edges ---

BOOST_AUTO_TEST_CASE(what_a_closed_edge_held_stays_until_its_reader_is_dropped) {
  Source from;
  Shelf shelf(from, {1, 2});
  shelf.held.close(edge);
  BOOST_TEST(!shelf.held.at(edge, {2}));
  const auto left = shelf.held.newest_of(source);
  BOOST_TEST_REQUIRE(left.has_value());
  BOOST_TEST(left->round == Round{2});
  BOOST_TEST(std::ranges::equal(left->values, from.values()));
  BOOST_TEST((left->exact == publication({2}).exact));
  shelf.held.drop({7});
  BOOST_TEST(shelf.newest_of().has_value());
  shelf.held.drop(reader);
  BOOST_TEST(!shelf.newest_of());
}

BOOST_AUTO_TEST_CASE(an_edge_that_held_nothing_leaves_what_an_earlier_one_left) {
  Source from;
  Shelf shelf(from, {1});
  shelf.held.close(edge);
  shelf.held.open(edge);
  shelf.held.close(edge);
  BOOST_TEST((shelf.newest_of() == Round{1}));
}

// Though its round is smaller: an adopter may begin at an earlier one than its predecessor reached.
BOOST_AUTO_TEST_CASE(what_an_edge_leaves_takes_the_place_of_what_it_left_before) {
  Shelf shelf;
  for (const std::uint64_t round : {9U, 4U}) {
    Source from;
    shelf.held.open(edge);
    BOOST_TEST(!shelf.held.apply(from.next(Round{round})).fault);
    shelf.held.close(edge);
  }
  BOOST_TEST((shelf.newest_of() == Round{4}));
}

BOOST_AUTO_TEST_CASE(the_newest_of_all_edges_open_or_closed_is_given) {
  Shelf shelf;
  const auto hold = [&](std::uint32_t by, std::uint64_t round, float scale) {
    Source from({.kind = codec::CodecKind::Fp32});
    const EdgeId id{.source = source, .reader = {by}};
    shelf.held.open(id);
    BOOST_TEST(!shelf.held.apply(along(id, from.next({round}, scale))).fault);
    return id;
  };
  hold(1, 5, 1);
  BOOST_TEST((shelf.newest_of() == Round{5}));
  shelf.held.close(hold(2, 7, 1));
  BOOST_TEST((shelf.newest_of() == Round{7}));
  hold(3, 6, 1);
  BOOST_TEST((shelf.newest_of() == Round{7}));
  hold(4, 7, 3);  // the same round, and still read
  BOOST_TEST((shelf.held.newest_of(source)->values == publication({7}, 3).values));
  hold(5, 8, 1);
  BOOST_TEST((shelf.newest_of() == Round{8}));
  BOOST_TEST(!shelf.newest_of({6}));
}

BOOST_AUTO_TEST_CASE(of_the_seventeenth_edge_that_a_reader_leaves_the_oldest_goes) {
  Shelf shelf;
  const auto leave = [&](std::uint32_t cell, CellIndex by) {
    Source from;
    const EdgeId id{.source = {cell}, .reader = by};
    shelf.held.open(id);
    BOOST_TEST(!shelf.held.apply(along(id, from.next(Round{1}))).fault);
    shelf.held.close(id);
  };
  leave(10, {2});  // of another reader, which has as many of its own
  const std::uint32_t end = 20 + HeldReplicas::left_max;
  for (std::uint32_t cell = 20; cell < end; ++cell) leave(cell, reader);
  for (std::uint32_t cell = 20; cell < end; ++cell) BOOST_TEST(shelf.newest_of({cell}).has_value());
  leave(20, reader);  // once more: it is the youngest now
  leave(end, reader);
  BOOST_TEST(shelf.newest_of({20}).has_value());
  BOOST_TEST(!shelf.newest_of({21}));
  BOOST_TEST(shelf.newest_of({22}).has_value());
  BOOST_TEST(shelf.newest_of({end}).has_value());
  BOOST_TEST(shelf.newest_of({10}).has_value());
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_dropped_takes_its_own_edges_along_and_no_others) {
  Source from;
  Shelf shelf(from, {1});
  const EdgeId other{.source = source, .reader = {2}};
  shelf.held.open(other);
  BOOST_TEST(!shelf.held.apply(along(other, from.keyframe())).fault);
  shelf.held.drop(reader);
  BOOST_TEST(shelf.held.replica(edge) == nullptr);
  BOOST_TEST(shelf.held.at(other, {1}).has_value());
  BOOST_TEST((shelf.newest_of() == Round{1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::worker
