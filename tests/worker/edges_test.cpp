// Two workers that exchange payloads: what a reader sees, and what it refuses.
#include <algorithm>

#include "codec/payload.hpp"
#include "worker/edge_samples.hpp"
#include "worker/learner_worker.hpp"
#include "worker/object_bytes.hpp"
#include "worker/reports.hpp"
#include "worker/scripted_learner.hpp"

namespace quadrille {

BOOST_AUTO_TEST_SUITE(edges)

using namespace peer;
using test::advance;
using test::apply_of;
using test::carry_out;
using test::ScriptedLearner;
using test::the_only;
using wire::PayloadFault;
using worker::LearnerWorker;

namespace {

constexpr CellIndex zero{0};
constexpr CellIndex one{1};
constexpr EdgeId edge{.source = zero, .reader = one};
constexpr EdgeId back{.source = one, .reader = zero};

struct Side {
  Side(CellIndex own, const worker::WorkerOptions& options)
      : cell(own), worker(learner, options, {}) {
    carry_out(worker, StartCell{cell, StartFresh{}});
    advance(worker);
  }
  void train(std::vector<AdvanceCell::Input> snapshots = {}) {
    carry_out(worker, AdvanceCell{.cell = cell, .snapshots = std::move(snapshots), .chunks = {}});
    advance(worker);
  }
  PayloadEncoded encode(EdgeId id, bool keyframe = false, std::optional<Round> round = {}) {
    return the_only<PayloadEncoded>(
        carry_out(worker, EncodePayload{.edge = id, .keyframe = keyframe, .round = round}));
  }
  PayloadTaken apply(const ApplyPayload& command) {
    return the_only<PayloadTaken>(carry_out(worker, command));
  }

  CellIndex cell;
  ScriptedLearner learner{{zero, one}};
  LearnerWorker worker;
};

struct Pair {
  explicit Pair(const worker::WorkerOptions& options = {}) : a(zero, options), b(one, options) {
    carry_out(a.worker, OpenSendingEdge{edge});
    carry_out(b.worker, OpenReceivingEdge{edge});
    carry_out(b.worker, OpenSendingEdge{back});
    carry_out(a.worker, OpenReceivingEdge{back});
  }
  PayloadTaken pass() { return b.apply(apply_of(a.encode(edge))); }
  PayloadTaken pass_back() { return a.apply(apply_of(b.encode(back))); }
  bool replicas_agree() const {
    return std::ranges::equal(a.worker.publications().replica(edge)->newest(),
                              b.worker.replicas().replica(edge)->newest());
  }

  Side a;
  Side b;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_payload_is_a_keyframe_and_the_next_a_difference_against_it) {
  Pair pair;
  const PayloadEncoded first = pair.a.encode(edge);
  BOOST_TEST(first.base_version == 0U);
  BOOST_TEST(!pair.b.apply(apply_of(first)).fault);
  pair.a.train();
  const PayloadEncoded second = pair.a.encode(edge);
  BOOST_TEST(second.base_version == first.version);
  BOOST_TEST(second.base_checksum == first.checksum);
  BOOST_TEST(second.round == Round{1});
  const PayloadTaken taken = pair.b.apply(apply_of(second));
  BOOST_TEST(!taken.fault);
  BOOST_TEST(taken.checksum == second.checksum);
  BOOST_TEST(second.payload->size() < first.payload->size());
}

BOOST_AUTO_TEST_CASE(a_reader_sees_the_senders_replica_to_the_bit) {
  Pair pair;
  codec::SendingEdge expected({}, ScriptedLearner::float_count);
  for (int round = 0; round < 5; ++round) {
    if (round > 0) pair.a.train();
    BOOST_REQUIRE(expected.advance(pair.a.learner.values(zero)).has_value());
    BOOST_REQUIRE(!pair.pass().fault);
    pair.b.train({{.edge = edge, .round = {static_cast<std::uint64_t>(round)}}});
    const auto& given = pair.b.learner.given[one];
    BOOST_REQUIRE(given.size() == 1U);
    BOOST_TEST(std::ranges::equal(given.front().values, expected.replica().newest()));
    BOOST_TEST((given.front().exact == ByteBuffer(4, static_cast<std::byte>(round))));
  }
  BOOST_TEST(pair.replicas_agree());
}

BOOST_AUTO_TEST_CASE(a_cell_reads_what_it_was_given_though_its_edge_moves_on) {
  Pair pair;
  pair.pass();
  carry_out(pair.b.worker,
            AdvanceCell{.cell = one, .snapshots = {{.edge = edge, .round = {0}}}, .chunks = {}});
  for (int round = 0; round < 3; ++round) {
    pair.a.train();
    pair.pass();
  }
  advance(pair.b.worker);
  BOOST_TEST(pair.b.learner.given[one].front().round == Round{0});
}

BOOST_AUTO_TEST_CASE(rounds_that_were_missed_merge_into_one_difference) {
  Pair pair;
  pair.pass();
  for (int round = 0; round < 6; ++round) pair.a.train();
  const PayloadEncoded encoded = pair.a.encode(edge);
  BOOST_TEST(encoded.round == Round{6});
  BOOST_TEST(encoded.base_version == 1U);
  BOOST_TEST(!pair.b.apply(apply_of(encoded)).fault);
}

BOOST_AUTO_TEST_CASE(a_keyframe_is_the_replica_as_it_is) {
  Pair pair;
  pair.pass();
  pair.a.train();
  const PayloadEncoded lost = pair.a.encode(edge);
  pair.a.train();
  const PayloadEncoded keyframe = pair.a.encode(edge, true);
  BOOST_TEST(keyframe.base_version == 0U);
  BOOST_TEST(keyframe.round == lost.round);
  BOOST_TEST(keyframe.version == lost.version);
  BOOST_TEST(!pair.b.apply(apply_of(keyframe)).fault);
  BOOST_TEST(pair.replicas_agree());
}

BOOST_AUTO_TEST_CASE(a_synchronous_edge_encodes_the_round_that_is_asked_for) {
  Pair pair({.codec = {}, .synchronous = true});
  pair.a.train();
  pair.a.train();
  for (std::uint64_t round = 0; round < 3; ++round) {
    const PayloadEncoded encoded = pair.a.encode(edge, false, Round{round});
    BOOST_TEST(encoded.round == Round{round});
    BOOST_TEST(!pair.b.apply(apply_of(encoded)).fault);
  }
}

BOOST_AUTO_TEST_CASE(a_round_that_no_reader_took_is_given_up_for_the_oldest_later_one) {
  Pair pair({.codec = {}, .synchronous = true});
  const std::size_t kept = peer::rounds_waiting_max;
  for (std::size_t round = 0; round < kept + 2; ++round) pair.a.train();
  BOOST_TEST(pair.a.encode(edge, false, Round{0}).round == Round{3});
}

BOOST_AUTO_TEST_CASE(a_snapshot_tells_which_round_of_its_reader_the_source_was_given) {
  Pair pair;
  BOOST_TEST(!pair.a.encode(edge).heard);
  pair.pass_back();
  pair.a.train({{.edge = back, .round = {0}}});
  const PayloadEncoded encoded = pair.a.encode(edge);
  BOOST_REQUIRE(encoded.heard.has_value());
  BOOST_TEST(*encoded.heard == Round{0});
}

BOOST_AUTO_TEST_CASE(a_stand_in_is_not_given_to_a_learner_that_did_not_name_it) {
  Pair pair;
  const EdgeId other{.source = {2}, .reader = one};
  PayloadEncoded encoded = pair.a.encode(edge);
  encoded.edge = other;
  carry_out(pair.b.worker, OpenReceivingEdge{other});
  BOOST_TEST(!pair.b.apply(apply_of(encoded)).fault);
  pair.b.train({{.edge = other, .round = {0}}});
  BOOST_TEST(pair.b.learner.given[one].empty());
}

BOOST_AUTO_TEST_CASE(orders_for_edges_that_are_not_open_are_answered) {
  Pair pair;
  const PayloadEncoded encoded = pair.a.encode(edge);
  carry_out(pair.a.worker, CloseSendingEdge{edge});
  BOOST_TEST(pair.a.encode(edge).payload == nullptr);
  carry_out(pair.b.worker, CloseReceivingEdge{edge});
  BOOST_TEST((pair.b.apply(apply_of(encoded)).fault == PayloadFault::Mismatch));
}

BOOST_AUTO_TEST_CASE(a_source_that_is_gone_encodes_nothing) {
  Pair pair;
  carry_out(pair.a.worker, ReleaseCell{zero});
  carry_out(pair.a.worker, OpenSendingEdge{edge});
  BOOST_TEST(pair.a.encode(edge).payload == nullptr);
}

BOOST_AUTO_TEST_CASE(weights_beyond_the_codec_fail_their_cell) {
  Pair pair({.codec = {.kind = codec::CodecKind::Fp16}});
  pair.a.learner.values(zero)[3] = 1e6F;
  pair.a.train();
  const auto reports = carry_out(pair.a.worker, EncodePayload{.edge = edge, .round = {}});
  BOOST_TEST(test::story(reports) == "failed encoded");
  BOOST_TEST(the_only<PayloadEncoded>(reports).payload == nullptr);
}

BOOST_AUTO_TEST_CASE(every_codec_takes_a_reader_where_its_sender_is) {
  for (std::size_t kind = 0; kind < codec::codec_kind_count; ++kind) {
    Pair pair({.codec = {.kind = static_cast<codec::CodecKind>(kind)}});
    for (int round = 0; round < 3; ++round) {
      BOOST_TEST(!pair.pass().fault);
      BOOST_TEST(pair.replicas_agree());
      pair.a.train();
    }
  }
}

// --- What a reader refuses ---

BOOST_AUTO_TEST_CASE(a_difference_against_another_replica_is_a_mismatch) {
  Pair pair;
  pair.pass();
  pair.a.train();
  pair.a.encode(edge);
  pair.a.train();
  const PayloadTaken taken = pair.pass();
  BOOST_TEST((taken.fault == PayloadFault::Mismatch));
  BOOST_TEST(taken.checksum ==
             codec::checksum_of(pair.b.worker.replicas().replica(edge)->newest()));
}

BOOST_AUTO_TEST_CASE(damaged_bytes_and_a_wrong_version_are_corrupt) {
  Pair pair;
  const PayloadEncoded encoded = pair.a.encode(edge);
  ByteBuffer damaged = *encoded.payload;
  damaged[damaged.size() / 2] ^= std::byte{1};
  ApplyPayload apply = apply_of(encoded);
  apply.payload = std::make_shared<const ByteBuffer>(damaged);
  BOOST_TEST((pair.b.apply(apply).fault == PayloadFault::Corrupt));
  apply.payload = nullptr;
  BOOST_TEST((pair.b.apply(apply).fault == PayloadFault::Corrupt));
  apply = apply_of(encoded);
  apply.version += 1;
  BOOST_TEST((pair.b.apply(apply).fault == PayloadFault::Corrupt));
  BOOST_TEST(!pair.b.apply(apply_of(encoded)).fault);
}

BOOST_AUTO_TEST_CASE(a_sealed_payload_that_decodes_to_infinity_is_not_finite) {
  Pair pair({.codec = {.kind = codec::CodecKind::Fp32, .zstd = false}});
  const PayloadEncoded encoded = pair.a.encode(edge);
  ByteBuffer bytes = *encoded.payload;
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + codec::header_bytes, &infinity, sizeof infinity);
  codec::set_checksum(bytes);
  ApplyPayload apply = apply_of(encoded);
  apply.payload = std::make_shared<const ByteBuffer>(bytes);
  BOOST_TEST((pair.b.apply(apply).fault == PayloadFault::NotFinite));
}

BOOST_AUTO_TEST_CASE(weights_far_out_of_norm_are_refused_and_the_replica_stays) {
  Pair pair;
  pair.pass();
  pair.a.train();
  pair.pass();
  const auto held = pair.b.worker.replicas().replica(edge)->newest();
  const std::vector<float> before(held.begin(), held.end());
  for (float& value : pair.a.learner.values(zero)) value *= 1000;
  pair.a.train();
  const PayloadTaken taken = pair.pass();
  BOOST_TEST((taken.fault == PayloadFault::OutOfNorm));
  BOOST_TEST(std::ranges::equal(pair.b.worker.replicas().replica(edge)->newest(), before));
  BOOST_TEST(taken.checksum == codec::checksum_of(before));
  BOOST_TEST((pair.b.worker.replicas().at(edge, Round{1})->round == Round{1}));
  BOOST_TEST(!pair.b.worker.replicas().at(edge, Round{0}));
}

// --- Snapshots of what is held ---

BOOST_AUTO_TEST_CASE(an_adopted_cell_goes_on_from_what_a_neighbour_held) {
  Pair pair;
  for (int round = 0; round < 3; ++round) {
    pair.pass();
    pair.a.train();
  }
  const auto packed =
      the_only<ObjectReady>(carry_out(pair.b.worker, PackSnapshot{.cell = zero, .request = 8}));
  BOOST_TEST(packed.round == Round{2});
  ScriptedLearner learner{{zero, one}};
  LearnerWorker adopter(learner, {}, {});
  const auto reports = carry_out(
      adopter, StartCell{zero, StartFromSnapshot{.snapshot = packed.payload, .jump_to = {5}}});
  BOOST_TEST(the_only<CellStarted>(reports).round == Round{5});
  BOOST_TEST(
      std::ranges::equal(learner.values(zero), pair.b.worker.replicas().replica(edge)->newest()));
  BOOST_TEST(the_only<CellPublished>(advance(adopter)).round == Round{5});
}

BOOST_AUTO_TEST_CASE(an_own_cell_is_packed_as_it_was_published) {
  Pair pair;
  pair.a.train();
  const auto packed =
      the_only<ObjectReady>(carry_out(pair.a.worker, PackSnapshot{.cell = zero, .request = 8}));
  const auto saved = worker::read_saved_snapshot(*packed.payload);
  BOOST_REQUIRE(saved.has_value());
  BOOST_TEST((saved->snapshot.values == pair.a.learner.values(zero)));
}

BOOST_AUTO_TEST_CASE(what_a_closed_edge_held_stays_until_its_reader_is_released) {
  Pair pair;
  pair.pass();
  carry_out(pair.b.worker, CloseReceivingEdge{edge});
  const auto pack = [&] {
    return the_only<ObjectReady>(carry_out(pair.b.worker, PackSnapshot{.cell = zero, .request = 8}))
        .payload;
  };
  BOOST_TEST(pack() != nullptr);
  carry_out(pair.b.worker, ReleaseCell{one});
  BOOST_TEST(pack() == nullptr);
}

BOOST_AUTO_TEST_CASE(of_more_closed_edges_than_a_reader_keeps_the_oldest_goes) {
  Pair pair;
  PayloadEncoded encoded = pair.a.encode(edge);
  const auto pack = [&](std::uint32_t source) {
    return the_only<ObjectReady>(
               carry_out(pair.b.worker, PackSnapshot{.cell = {source}, .request = 8}))
        .payload;
  };
  for (std::uint32_t source = 10; source <= 10 + worker::HeldReplicas::left_max; ++source) {
    encoded.edge = {.source = {source}, .reader = one};
    carry_out(pair.b.worker, OpenReceivingEdge{encoded.edge});
    BOOST_REQUIRE(!pair.b.apply(apply_of(encoded)).fault);
    carry_out(pair.b.worker, CloseReceivingEdge{encoded.edge});
  }
  BOOST_TEST(pack(10) == nullptr);
  BOOST_TEST(pack(11) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille
