// How cells of a whole peer begin, fail and move: from the next best when something does not start,
// and claimed by who trains them.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "base/hash.hpp"
#include "peer/stage.hpp"
#include "peer/stories.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer::test {
BOOST_AUTO_TEST_SUITE(cells_of_a_peer)

namespace {

using namespace std::chrono_literals;
using enum wire::FrameType;
using wire::UpdateKind;

template <class Command>
std::size_t count_of(const Effects& effects) {
  return static_cast<std::size_t>(std::ranges::count_if(
      effects.commands,
      [](const WorkerCommand& each) { return std::holds_alternative<Command>(each); }));
}

template <class Origin>
bool starts_from(const Stage& stage) {
  return std::holds_alternative<Origin>(stage.last_command<StartCell>().origin);
}

CellFailed torn(CellIndex cell) {
  return {.cell = cell, .error = {ErrorCode::Corrupt, "it is torn"}, .at_start = true};
}
CellFailed diverged(CellIndex cell) {
  return {.cell = cell, .error = {ErrorCode::NotFinite, "it diverged"}};
}
CellStarted started(CellIndex cell) {
  return {.cell = cell, .round = {1}, .neighbours = {}};
}

bool claims_nothing(Stage& stage) {
  return stage.peer().membership().self()->record.claims.empty();
}

// An object that was asked for last on this stream, in one chunk.
void send_object(Stage& stage, StreamId stream, Round round) {
  const Payload object = payload_of(64);
  const auto asked = wire::decode_object_request(stage.frames(stream).back().body);
  BOOST_REQUIRE(asked.has_value());
  stage.frame(stream, ObjectBegin,
              wire::ObjectBegin{.request = asked->request,
                                .transfer = asked->request,
                                .round = round,
                                .bytes = object->size(),
                                .checksum = hash_of(*object)});
  stage.chunk(stream, asked->request, *object);
}

// Until the peer has the state of cell 0, of round 9, which it asked the donor for on this stream.
StreamId take_cell0_over(Stage& stage, Partner& donor) {
  await<wire::YieldRequest>(stage, donor);
  stage.say(donor, wire::YieldReply{.sequence = 1, .granted = true}, {yields_cell0(stage, donor)});
  const StreamId stream = stage.accept(donor);
  send_object(stage, stream, {9});
  return stream;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_spare_that_takes_its_wards_cell_begins_from_the_copy_that_it_kept) {
  Stage stage(options_of(grid_of(1, 1), 1, {}));
  Partner owner = partner(2);
  begin_beside(stage, owner, 0, 1);
  stage.say(owner, wire::Gossip{}, {},
            {{.cell = cell0, .owner = owner.id(), .sequence = 1, .round = 20}});
  stage.run_for(11s);
  send_object(stage, stage.accept(owner), {20});
  BOOST_TEST(stage.last_command<KeepState>().round.index == 20U);

  stage.say(owner, wire::Gossip{}, {owner.accuses(UpdateKind::Left, owner.id(), 1000)});
  stage.exit(owner);
  stage.run_for(20s);
  const auto save = stage.last_command<SaveState>();
  BOOST_TEST(!save.park);
  stage.report(
      ObjectReady{.request = save.request, .cell = cell0, .round = {20}, .payload = payload_of(64)},
      "its copy");
  BOOST_TEST(starts_from<StartFromState>(stage));
}

BOOST_AUTO_TEST_CASE(a_cell_whose_checkpoint_is_torn_begins_from_the_next_best) {
  Stage stage(options_of(grid_of(1, 1), 1, {}), {.cells = {{.cell = cell0, .round = {50}}}});
  stage.start();
  stage.run_for(6s);
  BOOST_REQUIRE(starts_from<StartFromCheckpoint>(stage));
  stage.report(torn(cell0), "the checkpoint is torn");
  BOOST_TEST(starts_from<StartFresh>(stage));
  stage.report(started(cell0), "started");
  BOOST_TEST((stage.peer().training_cells() == std::vector{cell0}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_does_not_even_start_afresh_is_given_up_and_not_tried_again) {
  Stage stage(options_of(grid_of(1, 1), 1, {}));
  stage.start();
  stage.run_for(6s);
  BOOST_REQUIRE(!claims_nothing(stage));
  stage.report(torn(cell0), "nothing starts");
  BOOST_TEST(claims_nothing(stage));
  stage.take_effects();
  stage.run_for(120s);
  BOOST_TEST(count_of<StartCell>(stage.take_effects()) == 0U);
}

// What was said of the cell's earlier life says nothing of the start that is under way.
BOOST_AUTO_TEST_CASE(a_failure_of_an_earlier_life_does_not_answer_a_start) {
  Stage stage(options_of(grid_of(1, 1), 1, {}));
  Partner senior = partner(2);
  stage.start();
  train(stage, {cell0}, {});
  meet(stage, senior);
  stage.say(senior, wire::Gossip{}, {senior.claims(0, 1, 0)});
  stage.say(senior, wire::Gossip{}, {senior.accuses(UpdateKind::Left, senior.id(), 1000)});
  stage.take_effects();
  stage.run_for(20s);
  BOOST_REQUIRE(count_of<StartCell>(stage.take_effects()) == 1U);
  stage.report(diverged(cell0), "failed, before it was released");
  BOOST_TEST(count_of<StartCell>(stage.take_effects()) == 0U);
  stage.report(started(cell0), "started");
  BOOST_TEST((stage.peer().training_cells() == std::vector{cell0}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_fails_is_given_up_and_does_not_keep_who_leaves) {
  Stage stage(options_of(grid_of(1, 2), 2, {}));
  Partner heir = partner(2);
  stage.start();
  train(stage, {cell0, cell1}, {});
  meet(stage, heir);
  stage.report(diverged(cell0), "failed");
  BOOST_TEST((stage.peer().placement().own_cells() == std::vector{cell1}));
  stage.report(diverged(cell1), "failed");
  BOOST_TEST(count_of<ReleaseCell>(stage.take_effects()) == 2U);
  BOOST_TEST(stage.peer().membership().self()->record.capacity == 0U);
  stage.leave();
  stage.run_for(5s);
  BOOST_TEST(stage.take_effects().has_left);
}

BOOST_AUTO_TEST_CASE(a_cells_status_says_its_phase_and_device) {
  PeerOptions options = options_of(grid_of(1, 1), 1, {});
  options.device = wire::DeviceKind::Cuda;
  Stage stage(options);
  const auto phase = [&] { return stage.peer().statuses().find(cell0, stage.now())->phase; };
  stage.start();
  stage.run_for(6s);
  BOOST_TEST((phase() == wire::CellPhase::Acquiring));
  stage.report(started(cell0), "started");
  BOOST_TEST((phase() == wire::CellPhase::Training));
  stage.report(CellStatusReport{.status = {.cell = cell0, .round = {5}}}, "status");
  stage.report(CellDone{cell0}, "done");
  BOOST_TEST((phase() == wire::CellPhase::Done));
  const auto status = stage.peer().statuses().find(cell0, stage.now());
  BOOST_TEST(status->round == 5U);
  BOOST_TEST((status->device == wire::DeviceKind::Cuda));
  stage.report(diverged(cell0), "failed");
  BOOST_TEST((phase() == wire::CellPhase::Failed));
}

BOOST_AUTO_TEST_CASE(a_cells_status_says_what_it_sends_to_other_peers_a_second) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner reader = partner(2);
  const wire::EdgeId edge{.source = cell0, .reader = cell1};
  begin_beside(stage, reader, 1, 1);
  train(stage, {cell0}, {});
  const StreamId stream = stage.dial(reader, wire::StreamPurpose::Exchange);
  stage.frame(stream, Credit, wire::Credit{.bytes = 100000});
  stage.frame(stream, Subscribe, wire::Subscribe{.edge = edge, .degree = 1});
  stage.report(CellStatusReport{.status = {.cell = cell0, .round = {1}}}, "status");
  stage.report(CellPublished{.cell = cell0, .round = {1}}, "published");
  stage.report(
      PayloadEncoded{
          .edge = edge, .round = {1}, .version = 1, .checksum = 9, .payload = payload_of(4000)},
      "encoded");
  stage.run_for(4s);
  stage.report(CellStatusReport{.status = {.cell = cell0, .round = {2}}}, "status");
  BOOST_TEST(stage.peer().statuses().find(cell0, stage.now())->sent_bytes_per_second == 1000U);
}

// Of cell 1, which peer-2 publishes and cell 0 reads.
BOOST_AUTO_TEST_CASE(an_edge_that_begins_anew_and_one_whose_payload_is_bad_are_events) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner source = partner(2);
  const wire::EdgeId edge{.source = cell1, .reader = cell0};
  const StreamId stream = begin_to_read(stage, source);
  std::uint32_t transfer = 0;
  const auto keyframe = [&](std::uint64_t round, std::optional<wire::PayloadFault> fault) {
    stage.take_effects();
    stage.frame(
        stream, PayloadBegin,
        wire::PayloadBegin{
            .edge = edge, .transfer = ++transfer, .round = {round}, .version = round, .bytes = 64});
    stage.chunk(stream, transfer, *payload_of(64));
    stage.report(
        PayloadTaken{
            .edge = edge, .round = {round}, .version = round, .checksum = 1, .fault = fault},
        "taken");
    return stage.take_effects().events;
  };
  BOOST_TEST(keyframe(7, {}).empty());  // every edge begins with one
  const auto anew = keyframe(9, {});
  BOOST_REQUIRE_EQUAL(anew.size(), 1U);
  BOOST_TEST((anew[0].kind == wire::EventKind::EdgeKeyframe));
  BOOST_TEST((anew[0].peer == source.id()));
  BOOST_TEST(anew[0].text == "cell 0 reads it anew, from a keyframe of round 9");
  const auto bad = keyframe(10, wire::PayloadFault::NotFinite);
  BOOST_REQUIRE_EQUAL(bad.size(), 1U);
  BOOST_TEST((bad[0].kind == wire::EventKind::EdgeFault));
  BOOST_TEST((bad[0].cell == cell1));
  BOOST_TEST(bad[0].text == "what cell 0 was to read of it is not finite, and was refused");
}

// What another peer offers this one, until it withdraws it.
BOOST_AUTO_TEST_CASE(an_offer_that_is_withdrawn_is_no_loss) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner donor = partner(2, 2);
  begin_beside(stage, donor, 0, 2);
  stage.run_for(1s);
  const wire::Update yields = yields_cell0(stage, donor);
  stage.take_effects();
  stage.say(donor, wire::Gossip{}, {yields});
  stage.accept(donor);
  stage.say(donor, wire::Gossip{}, {donor.revise([](wire::PeerRecord& own) { own.yields = {}; })});
  const Effects effects = stage.take_effects();
  BOOST_TEST(effects.commands.empty());
  BOOST_TEST(effects.events.empty());
}

BOOST_AUTO_TEST_CASE(a_cell_is_taken_over_once_it_has_started_and_not_before) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner donor = partner(2, 2);
  begin_beside(stage, donor, 0, 2);
  take_cell0_over(stage, donor);
  BOOST_REQUIRE(starts_from<StartFromState>(stage));
  stage.run_for(1s);
  BOOST_TEST(claims_nothing(stage));

  stage.report(started(cell0), "started");
  BOOST_TEST((stage.peer().placement().own_cells() == std::vector{cell0}));
  BOOST_TEST((stage.peer().training_cells() == std::vector{cell0}));
}

// Its donor does not train it while it waits for this peer's claim.
BOOST_AUTO_TEST_CASE(a_cell_that_does_not_start_here_is_left_to_its_donor) {
  Stage stage(options_of(grid_of(2, 2), 3, {}));
  Partner donor = partner(2, 4);
  begin_beside(stage, donor, 0, 4);
  const StreamId stream = take_cell0_over(stage, donor);
  const std::size_t frames = stage.frames(stream).size();
  stage.report({CellFailed{.cell = cell0,
                           .error = {ErrorCode::Limit, "there is no memory for it"},
                           .at_start = true}},
               "it does not start");
  BOOST_TEST(stage.peer().membership().self()->record.capacity == 2U);
  BOOST_TEST(!stage.peer().statuses().find(cell0, stage.now()));
  stage.run_for(60s);
  BOOST_TEST(stage.frames(stream).size() == frames);
  BOOST_TEST(claims_nothing(stage));
}

// Its taker's or its donor's: one peer whose memory is broken must neither cost all others their
// room, nor keep their cells from them.
BOOST_AUTO_TEST_CASE(a_state_that_is_none_is_nobodys_fault_for_sure) {
  Stage stage(options_of(grid_of(2, 2), 3, {}));
  Partner donor = partner(2, 4);
  begin_beside(stage, donor, 0, 4);
  const StreamId stream = take_cell0_over(stage, donor);
  const std::size_t frames = stage.frames(stream).size();
  stage.report(torn(cell0), "what the donor sent is torn");
  BOOST_TEST(stage.peer().membership().self()->record.capacity == 2U);
  BOOST_TEST(claims_nothing(stage));
  stage.run_for(59s);
  BOOST_TEST(stage.frames(stream).size() == frames);
  stage.run_for(2s);
  BOOST_TEST(stage.peer().membership().self()->record.capacity == 3U);
  BOOST_TEST(stage.is_closed(stream));
  stage.connect(donor);  // on which it asks once more
}

BOOST_AUTO_TEST_CASE(a_cell_that_its_taker_could_not_start_is_trained_on_at_once) {
  Stage stage(options_of(grid_of(2, 2), 4, {}));
  Partner asker = partner(2, 4);
  stage.start();
  train(stage, {cell0, cell1, cell2, {3}}, {});
  meet(stage, asker);
  stage.say(asker, wire::YieldRequest{.sequence = 1, .cells_held = 0});
  const auto yields = stage.peer().placement().yields();
  BOOST_REQUIRE_EQUAL(yields.size(), 1U);
  const CellIndex cell{yields.front().first};
  const StreamId stream = stage.dial(asker, wire::StreamPurpose::Object);
  stage.frame(stream, ObjectRequest,
              wire::ObjectRequest{
                  .request = 1, .kind = wire::ObjectKind::State, .cell = cell, .hand_over = true});
  BOOST_TEST(stage.last_command<SaveState>().park);
  stage.take_effects();
  stage.say(asker, wire::Gossip{}, {asker.revise([](wire::PeerRecord& own) { own.capacity = 3; })});
  BOOST_REQUIRE(count_of<ResumeCell>(stage.take_effects()) == 1U);
  BOOST_TEST((stage.last_command<ResumeCell>().cell == cell));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::peer::test
