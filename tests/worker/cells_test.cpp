// Cells of a worker: how they begin, advance, are saved, parked, handed over, and fail.
#include <limits>

#include "worker/learner_worker.hpp"
#include "worker/object_bytes.hpp"
#include "worker/object_samples.hpp"
#include "worker/reports.hpp"
#include "worker/scripted_learner.hpp"

namespace quadrille {

BOOST_AUTO_TEST_SUITE(cells)

using namespace peer;
using test::advance;
using test::all_of;
using test::carry_out;
using test::Reports;
using test::ScriptedLearner;
using test::story;
using test::the_only;
using worker::LearnerWorker;

namespace {

constexpr CellIndex cell{0};

struct Alone {
  explicit Alone(worker::WorkerServices services = {})
      : worker(learner, worker::WorkerOptions{}, std::move(services)) {}

  // Up to this round, without neighbours' snapshots.
  void train_to(std::uint64_t round) {
    if (!worker.round_of(cell)) {
      carry_out(worker, StartCell{cell, StartFresh{}});
      advance(worker);
    }
    while (worker.round_of(cell)->index < round) {
      carry_out(worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
      advance(worker);
    }
  }
  Payload state_at(std::uint64_t round) {
    train_to(round);
    return the_only<ObjectReady>(carry_out(worker, SaveState{.cell = cell, .request = 1})).payload;
  }

  ScriptedLearner learner{{{0}, {1}}};
  LearnerWorker worker;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_fresh_cell_starts_publishes_and_says_what_it_needs) {
  Alone alone;
  const auto started =
      the_only<CellStarted>(carry_out(alone.worker, StartCell{cell, StartFresh{}}));
  BOOST_TEST(started.round == Round{});
  BOOST_TEST((started.neighbours == std::vector<CellIndex>{{1}}));
  BOOST_TEST(story(advance(alone.worker)) == "published needs");
  BOOST_TEST(alone.worker.ready_cells().empty());
}

BOOST_AUTO_TEST_CASE(a_cell_that_waits_is_advanced_by_its_command_only) {
  Alone alone;
  alone.train_to(0);
  BOOST_TEST(advance(alone.worker).empty());
  carry_out(alone.worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST((alone.worker.ready_cells() == std::vector{cell}));
  BOOST_TEST(the_only<CellPublished>(advance(alone.worker)).round == Round{1});
}

BOOST_AUTO_TEST_CASE(chunks_reach_the_cell_once) {
  Alone alone;
  alone.train_to(0);
  const auto chunk = std::make_shared<const ByteBuffer>(3, std::byte{9});
  carry_out(alone.worker, AdvanceCell{.cell = cell,
                                      .snapshots = {},
                                      .chunks = {{.from = {1}, .round = {0}, .payload = chunk}}});
  advance(alone.worker);
  BOOST_REQUIRE(alone.learner.chunks[cell].size() == 1U);
  BOOST_TEST((alone.learner.chunks[cell].front() == *chunk));
  alone.train_to(2);
  BOOST_TEST(alone.learner.chunks[cell].empty());
}

BOOST_AUTO_TEST_CASE(commands_for_a_cell_that_is_not_here_are_passed_over) {
  Alone alone;
  BOOST_TEST(carry_out(alone.worker, ReleaseCell{cell}).empty());
  BOOST_TEST(
      carry_out(alone.worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}}).empty());
  BOOST_TEST(carry_out(alone.worker, ResumeCell{cell}).empty());
  BOOST_TEST(!alone.worker.advance({}, *std::make_unique<Reports>()));
}

BOOST_AUTO_TEST_CASE(a_state_is_saved_at_the_next_boundary_or_at_once) {
  Alone alone;
  carry_out(alone.worker, StartCell{cell, StartFresh{}});
  BOOST_TEST(carry_out(alone.worker, SaveState{.cell = cell, .request = 5}).empty());
  BOOST_TEST(story(advance(alone.worker)) == "published needs object");
  const auto again =
      the_only<ObjectReady>(carry_out(alone.worker, SaveState{.cell = cell, .request = 6}));
  BOOST_TEST(again.request == 6U);
  const auto saved = worker::read_saved_cell(*again.payload);
  BOOST_REQUIRE(saved.has_value());
  BOOST_TEST((saved->state.tensors.front().values == alone.learner.values(cell)));
  BOOST_TEST(saved->snapshots.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_parked_cell_is_not_advanced_until_it_is_resumed) {
  Alone alone;
  alone.train_to(3);
  carry_out(alone.worker, SaveState{.cell = cell, .request = 1, .park = true});
  carry_out(alone.worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST(advance(alone.worker).empty());
  carry_out(alone.worker, ResumeCell{cell});
  BOOST_TEST(the_only<CellPublished>(advance(alone.worker)).round == Round{4});
}

BOOST_AUTO_TEST_CASE(a_handover_that_is_withdrawn_before_the_boundary_parks_nothing) {
  Alone alone;
  carry_out(alone.worker, StartCell{cell, StartFresh{}});
  carry_out(alone.worker, SaveState{.cell = cell, .request = 1, .park = true});
  carry_out(alone.worker, ResumeCell{cell});
  BOOST_TEST(story(advance(alone.worker)) == "published needs object");
  carry_out(alone.worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST(the_only<CellPublished>(advance(alone.worker)).round == Round{1});
}

BOOST_AUTO_TEST_CASE(of_two_handovers_the_one_that_was_not_withdrawn_parks) {
  Alone alone;
  carry_out(alone.worker, StartCell{cell, StartFresh{}});
  carry_out(alone.worker, SaveState{.cell = cell, .request = 1, .park = true});
  carry_out(alone.worker, ResumeCell{cell});
  carry_out(alone.worker, SaveState{.cell = cell, .request = 2, .park = true});
  BOOST_TEST(story(advance(alone.worker)) == "published needs object object");
  carry_out(alone.worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST(advance(alone.worker).empty());
}

BOOST_AUTO_TEST_CASE(a_handed_over_cell_goes_on_and_reports_the_snapshots_that_it_holds) {
  Alone before;
  const Payload state = before.state_at(4);
  Alone after;
  const Reports reports = carry_out(after.worker, StartCell{cell, StartFromState{state}});
  BOOST_TEST(story(reports) == "started published published");
  BOOST_TEST(the_only<CellStarted>(reports).round == Round{4});
  BOOST_TEST(all_of<CellPublished>(reports).front().round == Round{3});
  BOOST_TEST(story(advance(after.worker)) == "needs");
  after.train_to(5);
  before.train_to(5);
  BOOST_TEST((after.learner.values(cell) == before.learner.values(cell)));
}

BOOST_AUTO_TEST_CASE(a_restored_cell_is_saved_as_it_came) {
  Alone before;
  const Payload state = before.state_at(4);
  Alone after;
  carry_out(after.worker, StartCell{cell, StartFromState{state}});
  carry_out(after.worker, SaveState{.cell = cell, .request = 2});
  const Reports reports = advance(after.worker);
  BOOST_TEST((*the_only<ObjectReady>(reports).payload == *state));
}

BOOST_AUTO_TEST_CASE(a_cell_that_came_back_at_its_end_is_saved_all_the_same) {
  Alone before;
  const Payload state = before.state_at(4);
  Alone after;
  after.learner.rounds_max = 4;
  carry_out(after.worker, StartCell{cell, StartFromState{state}});
  BOOST_TEST(story(advance(after.worker)) == "done");
  BOOST_TEST(the_only<ObjectReady>(carry_out(after.worker, SaveState{.cell = cell, .request = 2}))
                 .payload != nullptr);
}

BOOST_AUTO_TEST_CASE(a_cell_starts_from_the_checkpoint_that_its_driver_has) {
  Alone before;
  const auto saved = worker::read_saved_cell(*before.state_at(6));
  Alone after({.checkpoint = [&](CellIndex) { return saved; }, .paint = {}});
  const Reports reports = carry_out(after.worker, StartCell{cell, StartFromCheckpoint{}});
  BOOST_TEST(the_only<CellStarted>(reports).round == Round{6});
}

BOOST_AUTO_TEST_CASE(a_cell_without_anything_to_begin_from_fails) {
  Alone alone;
  BOOST_TEST(story(carry_out(alone.worker, StartCell{cell, StartFromCheckpoint{}})) == "failed");
  BOOST_TEST(story(carry_out(alone.worker, StartCell{cell, StartFromState{}})) == "failed");
  BOOST_TEST(alone.worker.cell_count() == 0U);
}

// Limit is of this machine, and would cost it the room for a cell.
BOOST_AUTO_TEST_CASE(a_state_that_cannot_be_read_is_corrupt_whatever_it_claims) {
  Alone before;
  const ByteBuffer state = *before.state_at(4);
  std::size_t too_large = 0;
  for (std::size_t offset = 0; offset + 4 <= state.size(); ++offset) {
    const ByteBuffer changed = test::with(state, offset, std::uint32_t{1} << 31);
    const auto saved = worker::read_saved_cell(changed);
    if (saved) continue;
    too_large += saved.error().code == ErrorCode::Limit ? 1 : 0;
    Alone after;
    const auto payload = std::make_shared<const ByteBuffer>(changed);
    const Reports reports = carry_out(after.worker, StartCell{cell, StartFromState{payload}});
    BOOST_TEST((the_only<CellFailed>(reports).error.code == ErrorCode::Corrupt), "at " << offset);
  }
  BOOST_TEST(too_large > 0U);
}

BOOST_AUTO_TEST_CASE(a_state_of_another_cell_or_size_starts_nothing) {
  Alone before;
  const auto saved = worker::read_saved_cell(*before.state_at(2));
  const auto start = [&](auto change) {
    worker::SavedCell changed = *saved;
    change(changed);
    Alone after;
    const auto bytes = worker::to_bytes(changed);
    const auto payload = std::make_shared<const ByteBuffer>(*bytes);
    return story(carry_out(after.worker, StartCell{cell, StartFromState{payload}}));
  };
  BOOST_TEST(start([](worker::SavedCell&) {}) == "started published published");
  BOOST_TEST(start([](worker::SavedCell& each) { each.cell = {1}; }) == "failed");
  BOOST_TEST(start([](worker::SavedCell& each) { each.state.tensors.clear(); }) == "failed");
  BOOST_TEST(start([](worker::SavedCell& each) { each.snapshots[0].values.pop_back(); }) ==
             "failed");
}

BOOST_AUTO_TEST_CASE(a_released_cell_answers_who_waits_for_its_state) {
  Alone alone;
  carry_out(alone.worker, StartCell{cell, StartFresh{}});
  carry_out(alone.worker, SaveState{.cell = cell, .request = 5});
  const auto answer = the_only<ObjectReady>(carry_out(alone.worker, ReleaseCell{cell}));
  BOOST_TEST(answer.payload == nullptr);
  BOOST_TEST(answer.request == 5U);
}

BOOST_AUTO_TEST_CASE(more_who_wait_than_a_cell_keeps_are_answered_empty) {
  Alone alone;
  carry_out(alone.worker, StartCell{cell, StartFresh{}});
  for (std::uint32_t i = 0; i < LearnerWorker::saves_waiting_max; ++i)
    BOOST_REQUIRE(carry_out(alone.worker, SaveState{.cell = cell, .request = i}).empty());
  const auto answer =
      the_only<ObjectReady>(carry_out(alone.worker, SaveState{.cell = cell, .request = 99}));
  BOOST_TEST(answer.payload == nullptr);
  BOOST_TEST(all_of<ObjectReady>(advance(alone.worker)).size() == LearnerWorker::saves_waiting_max);
}

BOOST_AUTO_TEST_CASE(a_cell_that_fails_says_so_once_and_stops) {
  Alone alone;
  carry_out(alone.worker, StartCell{cell, StartFresh{}});
  carry_out(alone.worker, SaveState{.cell = cell, .request = 5});
  alone.learner.failing.insert(cell);
  BOOST_TEST(story(advance(alone.worker)) == "object failed");
  BOOST_TEST(alone.worker.ready_cells().empty());
}

// Another machine may have memory: its lack is told apart from all else that is thrown.
BOOST_AUTO_TEST_CASE(what_a_learner_throws_fails_the_cells_that_it_worked) {
  const auto error_of = [](bool ScriptedLearner::* trouble) {
    Alone alone;
    carry_out(alone.worker, StartCell{cell, StartFresh{}});
    alone.learner.*trouble = true;
    return the_only<CellFailed>(advance(alone.worker)).error;
  };
  BOOST_TEST((error_of(&ScriptedLearner::throws) == Error{ErrorCode::Limit, "the device is gone"}));
  BOOST_TEST(
      (error_of(&ScriptedLearner::has_no_memory) == Error{ErrorCode::Memory, "out of memory"}));
}

BOOST_AUTO_TEST_CASE(a_cell_whose_saving_throws_is_answered_empty_and_trains_on) {
  Alone alone;
  alone.train_to(1);
  alone.learner.throws = true;
  const Reports reports =
      carry_out(alone.worker, SaveState{.cell = cell, .request = 5, .park = true});
  BOOST_TEST(story(reports) == "notice object");
  BOOST_TEST(the_only<CellNotice>(reports).notice.text ==
             "its state cannot be saved: out of memory");
  BOOST_TEST(the_only<ObjectReady>(reports).payload == nullptr);
  BOOST_TEST((alone.worker.save(cell).error().code == ErrorCode::Memory));
  alone.learner.throws = false;
  alone.train_to(2);
  BOOST_TEST(alone.worker.save(cell).has_value());
}

BOOST_AUTO_TEST_CASE(a_cell_whose_drawing_throws_is_answered_empty_and_trains_on) {
  Alone alone({.checkpoint = {}, .paint = [](std::span<const float>, std::size_t) {
                 return Result<ByteBuffer>(ByteBuffer(8));
               }});
  alone.train_to(1);
  alone.learner.throws = true;
  const Reports reports = carry_out(alone.worker, DrawSheet{.cell = cell, .request = 5});
  BOOST_TEST(story(reports) == "notice object");
  BOOST_TEST(the_only<CellNotice>(reports).notice.text ==
             "its sheet cannot be drawn: out of memory");
  BOOST_TEST(the_only<ObjectReady>(reports).payload == nullptr);
  alone.learner.throws = false;
  alone.train_to(2);
}

BOOST_AUTO_TEST_CASE(weights_that_are_not_finite_are_not_published) {
  Alone alone;
  alone.train_to(1);
  alone.learner.values(cell)[9] = std::numeric_limits<float>::quiet_NaN();
  carry_out(alone.worker, AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST(story(advance(alone.worker)) == "failed");
  BOOST_TEST((*alone.worker.round_of(cell) == Round{1}));
}

BOOST_AUTO_TEST_CASE(a_copy_that_is_kept_is_served_until_it_is_dropped) {
  Alone alone;
  const auto state = std::make_shared<const ByteBuffer>(10, std::byte{1});
  carry_out(alone.worker, KeepState{.cell = {7}, .round = {20}, .state = state});
  const auto served =
      the_only<ObjectReady>(carry_out(alone.worker, SaveState{.cell = {7}, .request = 3}));
  BOOST_TEST(served.payload == state);
  BOOST_TEST(served.round == Round{20});
  carry_out(alone.worker, KeepState{.cell = {7}, .round = {}, .state = nullptr});
  BOOST_TEST(the_only<ObjectReady>(carry_out(alone.worker, SaveState{.cell = {7}, .request = 4}))
                 .payload == nullptr);
}

BOOST_AUTO_TEST_CASE(more_copies_than_a_worker_keeps_are_not_kept) {
  Alone alone;
  const auto state = std::make_shared<const ByteBuffer>(1);
  const auto keep = [&](std::uint32_t index) {
    carry_out(alone.worker, KeepState{.cell = {index}, .round = {1}, .state = state});
    return the_only<ObjectReady>(carry_out(alone.worker, SaveState{.cell = {index}})).payload;
  };
  for (std::uint32_t i = 0; i < LearnerWorker::kept_states_max; ++i) BOOST_REQUIRE(keep(100 + i));
  BOOST_TEST(keep(99) == nullptr);
  BOOST_TEST(keep(100) == state);
}

BOOST_AUTO_TEST_CASE(a_sheet_is_painted_from_the_cells_samples) {
  std::size_t painted = 0;
  const auto paint = [&](std::span<const float> samples, std::size_t count) -> Result<ByteBuffer> {
    painted = samples.size();
    return ByteBuffer(count == 64 ? 8 : 0);
  };
  Alone alone({.checkpoint = {}, .paint = paint});
  const auto draw = [&] {
    return the_only<ObjectReady>(carry_out(alone.worker, DrawSheet{.cell = cell, .request = 1}));
  };
  BOOST_TEST(draw().payload == nullptr);
  alone.train_to(2);
  BOOST_TEST(draw().payload->size() == 8U);
  BOOST_TEST(draw().round == Round{2});
  BOOST_TEST(painted == 64U);
}

BOOST_AUTO_TEST_CASE(when_the_grid_grows_every_cell_tells_its_neighbours) {
  Alone alone;
  alone.train_to(0);
  const Reports reports = carry_out(alone.worker, GrowGrid{});
  BOOST_TEST((the_only<CellNeighbours>(reports).neighbours == std::vector<CellIndex>{{1}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille
