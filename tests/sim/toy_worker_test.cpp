// The toy worker keeps the contract of peer/worker.hpp: order, versions, checksums, boundaries.
#include "sim/toy_worker.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <vector>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(toy_worker)

namespace {

using std::chrono::seconds;

peer::Grid grid_of(std::uint16_t rows, std::uint16_t columns) {
  peer::Grid grid;
  grid.epoch = {.epoch = 0, .rows = rows, .columns = columns};
  grid.stride = columns;
  return grid;
}

struct Fixture {
  explicit Fixture(const ToyOptions& options = {})
      : worker(options, {.node = 3, .process = 9}, grid_of(2, 3), disk, events, RandomStream(1)) {}

  void command(peer::WorkerCommand what) { worker.submit(std::move(what), now); }
  void run_for(Duration time) {
    const TimePoint end = now + time;
    while (!events.empty() && events.next().time <= end) {
      const EventQueue::Entry next = events.pop();
      now = next.time;
      if (next.event.kind == EventKind::WorkerStep)
        worker.on_step(now, reports);
      else
        worker.on_round_end({next.event.subject}, now, reports);
    }
    now = end;
  }
  void start(CellIndex cell, peer::StartOrigin origin = peer::StartFresh{}) {
    command(peer::StartCell{.cell = cell, .origin = std::move(origin)});
    run_for(seconds(1));
  }
  template <class Report>
  std::vector<Report> all() const {
    std::vector<Report> found;
    for (const peer::WorkerReport& report : reports)
      if (const auto* one = std::get_if<Report>(&report)) found.push_back(*one);
    return found;
  }

  Disk disk;
  EventQueue events;
  ToyWorker worker;
  TimePoint now;
  std::vector<peer::WorkerReport> reports;
};

constexpr peer::EdgeId edge{.source = {0}, .reader = {1}};

// Encodes at one worker and applies at another.
struct Pair {
  Fixture source;
  Fixture reader;

  explicit Pair(const ToyOptions& options = {}) : source(options) {
    source.start({0});
    source.command(peer::OpenSendingEdge{edge});
    reader.command(peer::OpenReceivingEdge{edge});
  }
  peer::PayloadEncoded encode(bool keyframe = false) {
    source.reports.clear();
    source.command(peer::EncodePayload{.edge = edge, .keyframe = keyframe});
    source.run_for(seconds(1));
    return source.all<peer::PayloadEncoded>().at(0);
  }
  peer::PayloadTaken apply(const peer::PayloadEncoded& encoded) {
    reader.reports.clear();
    reader.command(peer::ApplyPayload{.edge = edge,
                                      .round = encoded.round,
                                      .version = encoded.version,
                                      .payload = encoded.payload});
    reader.run_for(seconds(1));
    return reader.all<peer::PayloadTaken>().at(0);
  }
  void advance() {
    source.command(peer::AdvanceCell{.cell = {0}});
    source.run_for(seconds(2));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_cell_starts_publishes_and_needs_its_neighbours) {
  Fixture f;
  f.start({0});
  const auto started = f.all<peer::CellStarted>().at(0);
  // On a torus of 2 x 3: west 2, north and south 3, east 1.
  BOOST_TEST((started.neighbours == std::vector<CellIndex>{{2}, {3}, {1}}));
  BOOST_TEST(f.all<peer::CellPublished>().size() == 1U);
  BOOST_TEST(f.all<peer::CellNeeds>().at(0).need.newest);
}

BOOST_AUTO_TEST_CASE(a_round_takes_about_its_time_and_ends_with_the_next_need) {
  Fixture f;
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {0}});
  f.run_for(std::chrono::milliseconds(700));
  BOOST_TEST((f.worker.round_of({0}) == Round{.index = 0}));
  f.run_for(std::chrono::milliseconds(600));
  BOOST_TEST((f.worker.round_of({0}) == Round{.index = 1}));
  BOOST_TEST(f.all<peer::CellNeeds>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_synchronous_cell_needs_every_neighbour_at_its_own_round) {
  Fixture f({.synchronous = true});
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {0}});
  f.run_for(seconds(2));
  const peer::Need need = f.all<peer::CellNeeds>().at(1).need;
  BOOST_TEST(!need.newest);
  BOOST_TEST(need.snapshots.size() == 3U);
  BOOST_TEST((need.snapshots.front().round == Round{.index = 1}));
}

BOOST_AUTO_TEST_CASE(the_last_round_ends_with_done) {
  Fixture f({.rounds_max = 1});
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {0}});
  f.run_for(seconds(2));
  BOOST_TEST(f.all<peer::CellDone>().size() == 1U);
  BOOST_TEST(f.all<peer::CellNeeds>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(differences_follow_a_first_keyframe_and_chain_by_checksum) {
  Pair pair;
  const auto first = pair.encode();
  BOOST_TEST(first.base_version == 0U);
  BOOST_TEST((pair.apply(first).fault == std::nullopt));
  pair.advance();
  const auto second = pair.encode();
  BOOST_TEST(second.base_version == first.version);
  BOOST_TEST(second.base_checksum == first.checksum);
  const auto taken = pair.apply(second);
  BOOST_TEST((taken.fault == std::nullopt));
  BOOST_TEST(taken.checksum == second.checksum);
}

BOOST_AUTO_TEST_CASE(a_lost_difference_is_a_mismatch_that_a_keyframe_mends) {
  Pair pair;
  pair.apply(pair.encode());
  pair.encode();  // lost
  BOOST_TEST((pair.apply(pair.encode()).fault == wire::PayloadFault::Mismatch));
  BOOST_TEST((pair.apply(pair.encode(true)).fault == std::nullopt));
  BOOST_TEST((pair.apply(pair.encode()).fault == std::nullopt));
}

BOOST_AUTO_TEST_CASE(a_damaged_payload_and_a_foreign_one_are_corrupt) {
  Pair pair;
  auto encoded = pair.encode();
  ByteBuffer damaged = *encoded.payload;
  damaged[20] ^= std::byte{1};
  encoded.payload = std::make_shared<const ByteBuffer>(damaged);
  BOOST_TEST((pair.apply(encoded).fault == wire::PayloadFault::Corrupt));
  encoded.payload = nullptr;
  BOOST_TEST((pair.apply(encoded).fault == wire::PayloadFault::Corrupt));
}

BOOST_AUTO_TEST_CASE(a_state_is_saved_at_the_end_of_a_round_and_a_parked_cell_waits) {
  Fixture f;
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {0}});
  f.run_for(std::chrono::milliseconds(100));
  f.command(peer::SaveState{.cell = {0}, .request = 4, .park = true});
  f.run_for(std::chrono::milliseconds(100));
  BOOST_TEST(f.all<peer::ObjectReady>().empty());
  f.run_for(seconds(3));
  const auto saved = f.all<peer::ObjectReady>().at(0);
  BOOST_TEST((saved.round == Round{.index = 1}));
  BOOST_TEST(toy_cell(ToyKind::State, *saved.payload)->is_handover);
  BOOST_TEST(f.all<peer::CellNeeds>().size() == 1U);
  f.command(peer::ResumeCell{{0}});
  f.run_for(seconds(1));
  BOOST_TEST(f.all<peer::CellNeeds>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_handover_that_is_withdrawn_before_the_rounds_end_parks_nothing) {
  Fixture f;
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {0}});
  f.run_for(std::chrono::milliseconds(100));
  f.command(peer::SaveState{.cell = {0}, .request = 4, .park = true});
  f.command(peer::ResumeCell{{0}});
  f.run_for(seconds(3));
  const auto saved = f.all<peer::ObjectReady>().at(0);
  BOOST_TEST(!toy_cell(ToyKind::State, *saved.payload)->is_handover);
  BOOST_TEST(f.all<peer::CellNeeds>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_released_cell_answers_who_waits_for_its_state) {
  Fixture f;
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {0}});
  f.command(peer::SaveState{.cell = {0}, .request = 4});
  f.command(peer::ReleaseCell{{0}});
  f.run_for(seconds(3));
  const auto answers = f.all<peer::ObjectReady>();
  BOOST_REQUIRE_EQUAL(answers.size(), 1U);
  BOOST_TEST(answers.front().payload == nullptr);
}

BOOST_AUTO_TEST_CASE(a_cell_goes_on_from_a_state_a_checkpoint_or_a_snapshot) {
  Fixture f({.checkpoint_every = 2});
  f.start({0});
  for (int round = 0; round < 2; ++round) {
    f.command(peer::AdvanceCell{.cell = {0}});
    f.run_for(seconds(2));
  }
  f.command(peer::PackSnapshot{.cell = {0}, .request = 1});
  f.command(peer::SaveState{.cell = {0}, .request = 2});
  f.run_for(seconds(1));
  const auto objects = f.all<peer::ObjectReady>();
  f.command(peer::ReleaseCell{{0}});
  f.start({0}, peer::StartFromCheckpoint{});
  BOOST_TEST((f.worker.round_of({0}) == Round{.index = 2}));
  f.command(peer::ReleaseCell{{0}});
  f.start({0}, peer::StartFromSnapshot{.snapshot = objects.at(0).payload, .jump_to = {.index = 7}});
  BOOST_TEST((f.worker.round_of({0}) == Round{.index = 7}));
  f.command(peer::ReleaseCell{{0}});
  f.start({0}, peer::StartFromState{.state = objects.at(1).payload});
  BOOST_TEST((f.worker.round_of({0}) == Round{.index = 2}));
  BOOST_TEST(f.worker.complaints().empty());
}

BOOST_AUTO_TEST_CASE(a_checkpoint_is_told_of_when_it_is_written) {
  Fixture f({.checkpoint_every = 2});
  f.start({0});
  for (int round = 0; round < 3; ++round) {
    f.command(peer::AdvanceCell{.cell = {0}});
    f.run_for(seconds(2));
  }
  const auto stored = f.all<peer::CellStored>();
  BOOST_REQUIRE_EQUAL(stored.size(), 1U);
  BOOST_TEST((stored.front().round == Round{.index = 2}));
}

// A checkpoint of the cell's former life here would win over what it has become elsewhere.
BOOST_AUTO_TEST_CASE(a_cell_that_begins_anew_has_no_checkpoint_of_a_former_life) {
  const auto state = [](ToyKind kind) {
    return std::make_shared<const ByteBuffer>(
        to_bytes(kind, ToyCell{.cell = {0}, .round = {.index = 36}}, 100));
  };
  const auto checkpoint_after = [&](peer::StartOrigin origin) -> std::optional<Round> {
    Fixture f;
    f.disk.checkpoints[{0}] = {.index = 78};
    f.start({0}, std::move(origin));
    const auto stored = f.all<peer::CellStored>();
    const auto found = f.disk.checkpoints.find({0});
    if (found == f.disk.checkpoints.end()) return std::nullopt;
    BOOST_TEST((stored.empty() || stored.front().round == found->second));
    return found->second;
  };
  BOOST_TEST((checkpoint_after(peer::StartFromCheckpoint{}) == Round{.index = 78}));
  BOOST_TEST((checkpoint_after(peer::StartFromState{state(ToyKind::State)}) == Round{.index = 36}));
  BOOST_TEST((checkpoint_after(peer::StartFromState{}) == Round{.index = 78}));  // it fails
  BOOST_TEST(!checkpoint_after(peer::StartFromSnapshot{.snapshot = state(ToyKind::Snapshot)}));
  BOOST_TEST(!checkpoint_after(peer::StartFresh{}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_can_begin_from_nothing_fails) {
  Fixture f;
  f.start({0}, peer::StartFromCheckpoint{});
  f.start({1}, peer::StartFromState{.state = std::make_shared<const ByteBuffer>(200)});
  BOOST_TEST(f.all<peer::CellFailed>().size() == 2U);
  BOOST_TEST(f.worker.cell_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_replica_serves_as_the_snapshot_of_a_cell_that_is_not_here) {
  Pair pair;
  pair.apply(pair.encode());
  pair.reader.command(peer::PackSnapshot{.cell = {0}, .request = 1});
  pair.reader.command(peer::PackSnapshot{.cell = {5}, .request = 2});
  pair.reader.run_for(seconds(1));
  const auto objects = pair.reader.all<peer::ObjectReady>();
  BOOST_TEST((objects.at(0).payload != nullptr));
  BOOST_TEST((objects.at(1).payload == nullptr));
}

BOOST_AUTO_TEST_CASE(what_a_closed_edge_held_stays_until_its_reader_is_released) {
  Pair pair;
  pair.apply(pair.encode());
  pair.reader.command(peer::CloseReceivingEdge{edge});
  pair.reader.command(peer::PackSnapshot{.cell = {0}, .request = 1});
  pair.reader.command(peer::ReleaseCell{edge.reader});
  pair.reader.command(peer::PackSnapshot{.cell = {0}, .request = 2});
  pair.reader.run_for(seconds(1));
  const auto objects = pair.reader.all<peer::ObjectReady>();
  BOOST_TEST((objects.at(0).payload != nullptr));
  BOOST_TEST((objects.at(1).payload == nullptr));
}

BOOST_AUTO_TEST_CASE(an_understudys_copy_is_served_until_it_is_dropped) {
  Fixture f;
  const auto copy = std::make_shared<const ByteBuffer>(10);
  f.command(peer::KeepState{.cell = {4}, .round = {.index = 3}, .state = copy});
  f.command(peer::SaveState{.cell = {4}, .request = 1});
  f.command(peer::KeepState{.cell = {4}});
  f.command(peer::SaveState{.cell = {4}, .request = 2});
  f.run_for(seconds(1));
  const auto objects = f.all<peer::ObjectReady>();
  BOOST_TEST((objects.at(0).payload == copy));
  BOOST_TEST((objects.at(1).payload == nullptr));
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_a_complaint) {
  Fixture f;
  f.start({0});
  f.command(peer::AdvanceCell{.cell = {5}});
  f.command(peer::EncodePayload{.edge = edge});
  f.command(peer::ApplyPayload{.edge = edge});
  f.command(peer::AdvanceCell{.cell = {0}, .snapshots = {{.edge = edge, .round = {.index = 1}}}});
  f.run_for(seconds(1));
  BOOST_TEST(f.worker.complaints().size() == 4U);
}

BOOST_AUTO_TEST_CASE(after_a_refusal_only_the_newest_round_is_held) {
  Pair pair;
  const Round first = pair.encode().round;
  pair.apply(pair.encode(true));
  pair.advance();
  const auto second = pair.encode();
  pair.apply(second);
  const auto reads = [&](Round round) {
    pair.reader.command(
        peer::AdvanceCell{.cell = {1}, .snapshots = {{.edge = edge, .round = round}}});
    pair.reader.run_for(seconds(2));
    return pair.reader.worker.complaints().size();
  };
  pair.reader.start({1});
  BOOST_TEST(reads(first) == 0U);
  pair.encode();  // lost
  BOOST_TEST((pair.apply(pair.encode()).fault == wire::PayloadFault::Mismatch));
  BOOST_TEST(reads(second.round) == 0U);
  BOOST_TEST(reads(first) == 1U);
}

BOOST_AUTO_TEST_CASE(bad_weights_are_not_finite_or_out_of_norm_and_leave_the_replica) {
  Pair pair({.not_finite = 1});
  std::set<wire::PayloadFault> faults;
  for (int i = 0; i < 20; ++i) {
    const auto taken = pair.apply(pair.encode(true));
    BOOST_REQUIRE(taken.fault.has_value());
    BOOST_TEST(taken.checksum == 0U);
    faults.insert(*taken.fault);
  }
  BOOST_TEST((faults == std::set{wire::PayloadFault::NotFinite, wire::PayloadFault::OutOfNorm}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_fails_says_so_once_and_has_no_state_to_hand_over) {
  Fixture f({.failing_rounds = 1});
  f.start({1});
  f.command(peer::AdvanceCell{.cell = {1}, .snapshots = {}, .chunks = {}});
  f.command(peer::SaveState{.cell = {1}, .request = 5, .park = true});
  f.run_for(seconds(2));
  f.command(peer::SaveState{.cell = {1}, .request = 6, .park = true});
  f.run_for(seconds(20));
  const auto failed = f.all<peer::CellFailed>();
  BOOST_REQUIRE_EQUAL(failed.size(), 1U);
  BOOST_TEST(!failed[0].at_start);
  BOOST_TEST(failed[0].cell == CellIndex{1});
  const auto saved = f.all<peer::ObjectReady>();
  BOOST_REQUIRE_EQUAL(saved.size(), 2U);
  for (const auto& each : saved) BOOST_TEST(!each.payload);
  BOOST_TEST(f.all<peer::CellPublished>().size() == 1U);  // as it started
  f.command(peer::ReleaseCell{{1}});
  f.run_for(seconds(1));
  BOOST_TEST(!f.worker.round_of({1}));
  BOOST_TEST(f.worker.complaints().empty());
}

// Of host 3, in this draw: as in all its processes, and no longer once faults have ended.
BOOST_AUTO_TEST_CASE(where_a_cell_fails_for_good_it_fails_again) {
  const ToyOptions options{.failing_places = 0.5, .failing_draw = 1};
  const auto failed_of = [&](bool ended) {
    Fixture f(options);
    if (ended) f.worker.end_faults();
    for (std::uint32_t cell = 0; cell < 6; ++cell) {
      f.start({cell});
      f.command(peer::AdvanceCell{.cell = {cell}, .snapshots = {}, .chunks = {}});
    }
    f.run_for(seconds(2));
    std::set<CellIndex> failed;
    for (const peer::CellFailed& each : f.all<peer::CellFailed>()) failed.insert(each.cell);
    return failed;
  };
  const auto failed = failed_of(false);
  BOOST_TEST(!failed.empty());
  BOOST_TEST(failed.size() < 6U);
  BOOST_TEST((failed_of(false) == failed));
  BOOST_TEST(failed_of(true).empty());
}

BOOST_AUTO_TEST_CASE(an_edge_is_opened_once_and_closed_once) {
  Pair pair;
  pair.source.command(peer::CloseSendingEdge{edge});
  pair.reader.command(peer::CloseReceivingEdge{edge});
  pair.source.run_for(seconds(1));
  pair.reader.run_for(seconds(1));
  BOOST_TEST(pair.source.worker.complaints().empty());
  BOOST_TEST(pair.reader.worker.complaints().empty());
  Fixture f;
  f.command(peer::CloseSendingEdge{edge});
  f.command(peer::CloseReceivingEdge{edge});
  f.run_for(seconds(1));
  BOOST_TEST(f.worker.complaints().size() == 2U);
  for (int i = 0; i < 2; ++i) {
    f.command(peer::OpenSendingEdge{edge});
    f.command(peer::OpenReceivingEdge{edge});
  }
  f.run_for(seconds(1));
  BOOST_TEST(f.worker.complaints().size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_cell_is_released_after_its_edges_are_closed) {
  Fixture f;
  f.command(peer::OpenSendingEdge{{.source = {0}, .reader = {1}}});
  f.command(peer::OpenReceivingEdge{{.source = {1}, .reader = {0}}});
  f.command(peer::ReleaseCell{{1}});
  f.run_for(seconds(1));
  BOOST_TEST(f.worker.complaints().empty());
  f.command(peer::ReleaseCell{{0}});
  f.run_for(seconds(1));
  BOOST_TEST(f.worker.complaints().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_grown_grid_gives_cells_new_neighbours) {
  Fixture f;
  f.start({0});
  f.command(peer::GrowGrid{.grid = {.epoch = 1, .rows = 3, .columns = 3}});
  f.run_for(seconds(1));
  const auto neighbours = f.all<peer::CellNeighbours>().at(0).neighbours;
  BOOST_TEST((neighbours == std::vector<CellIndex>{{2}, {6}, {1}, {3}}));
}

BOOST_AUTO_TEST_CASE(of_one_edge_one_payload_at_a_time_is_encoded_and_applied) {
  Pair f;
  f.source.command(peer::EncodePayload{.edge = edge});
  BOOST_TEST(f.source.worker.complaints().empty());
  f.source.command(peer::EncodePayload{.edge = edge});
  BOOST_TEST(f.source.worker.complaints().size() == 1U);
  f.reader.command(peer::ApplyPayload{.edge = edge});
  BOOST_TEST(f.reader.worker.complaints().empty());
  f.reader.command(peer::ApplyPayload{.edge = edge});
  BOOST_TEST(f.reader.worker.complaints().size() == 1U);
}

// What waits is of the edge before it was closed, and is answered nobody.
BOOST_AUTO_TEST_CASE(an_edge_that_was_opened_anew_has_a_payload_of_its_own) {
  Pair f;
  f.source.command(peer::EncodePayload{.edge = edge});
  f.source.command(peer::CloseSendingEdge{edge});
  f.source.command(peer::OpenSendingEdge{edge});
  f.source.command(peer::EncodePayload{.edge = edge});
  f.source.run_for(seconds(1));
  f.source.command(peer::EncodePayload{.edge = edge});
  BOOST_TEST(f.source.worker.complaints().empty());
}

BOOST_AUTO_TEST_CASE(no_worker_keeps_more_than_65536_commands) {
  Fixture f;
  for (std::size_t i = 0; i < SimWorker::commands_max; ++i) f.command(peer::ReleaseCell{{0}});
  BOOST_TEST(f.worker.complaints().empty());
  f.command(peer::ReleaseCell{{0}});
  BOOST_TEST(f.worker.complaints().size() == 1U);
}

BOOST_AUTO_TEST_CASE(objects_wait_until_the_worker_comes_to_them) {
  Fixture f;
  f.start({0});
  f.command(peer::SaveState{.cell = {0}, .request = 1});
  f.command(peer::PackSnapshot{.cell = {0}, .request = 2});
  f.command(peer::DrawSheet{.cell = {0}, .request = 3});
  f.command(peer::AdvanceCell{.cell = {0}});
  BOOST_TEST(f.worker.objects_waiting() == 3U);
  f.run_for(seconds(1));
  BOOST_TEST(f.worker.objects_waiting() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
