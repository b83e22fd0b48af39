// What a whole peer keeps to, whatever comes in: the properties that no transcript shows.
#include "peer/peer.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "base/hash.hpp"
#include "peer/session/conduct.hpp"
#include "peer/session/run_spec_request.hpp"
#include "peer/session/stream_pair.hpp"
#include "peer/stage.hpp"
#include "peer/stories.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/sync_messages.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer::test {
BOOST_AUTO_TEST_SUITE(whole_peer)

namespace {

using namespace std::chrono_literals;
using enum wire::FrameType;
using wire::UpdateKind;

bool is_silent(const Effects& effects) {
  return effects.datagrams.empty() && effects.streams.empty() && effects.commands.empty() &&
         effects.events.empty() && !effects.store && !effects.has_left;
}

template <class Command>
std::size_t count_of(const Effects& effects) {
  return static_cast<std::size_t>(std::ranges::count_if(
      effects.commands,
      [](const WorkerCommand& each) { return std::holds_alternative<Command>(each); }));
}

template <class Action>
std::size_t count_of_streams(const Effects& effects) {
  return static_cast<std::size_t>(std::ranges::count_if(
      effects.streams,
      [](const Effects::StreamAction& each) { return std::holds_alternative<Action>(each); }));
}

std::vector<wire::FrameType> types(const std::vector<Stage::SentFrame>& frames) {
  std::vector<wire::FrameType> result;
  for (const Stage::SentFrame& frame : frames) result.push_back(frame.type);
  return result;
}

bool has(const std::vector<Stage::SentFrame>& frames, wire::FrameType type) {
  return std::ranges::find(frames, type, &Stage::SentFrame::type) != frames.end();
}

const wire::PeerRecord& own_record(Stage& stage) {
  return stage.peer().membership().self()->record;
}

}  // namespace

// --- What is late, old or of somebody else ---

BOOST_AUTO_TEST_CASE(late_reports_of_a_released_cell_change_nothing) {
  Stage stage(options_of(grid_of(1, 2), 2, {}));
  Partner taker = partner(2);
  stage.start();
  train(stage, {cell0, cell1}, {});
  meet(stage, taker);
  stage.say(taker, wire::YieldRequest{.sequence = 1});
  stage.say(taker, wire::Gossip{}, {taker.claims(0, 1, 5)});
  BOOST_TEST(count_of<ReleaseCell>(stage.take_effects()) == 1U);
  BOOST_REQUIRE((stage.peer().training_cells() == std::vector{cell1}));

  stage.report(CellPublished{.cell = cell0, .round = {2}}, "published");
  stage.report(CellStatusReport{.status = {.cell = cell0, .round = {2}}}, "status");
  stage.report(CellNeeds{.need = {.cell = cell0, .newest = true}}, "needs");
  stage.report(CellNeighbours{.cell = cell0, .neighbours = {cell1}}, "neighbours");
  stage.report(DirectChunk{.from = cell0, .to = cell1, .payload = payload_of(1)}, "chunk");
  stage.report(CellStarted{.cell = cell0, .round = {1}, .neighbours = {cell1}}, "started");
  stage.report(CellDone{.cell = cell0}, "done");
  stage.report(CellFailed{.cell = cell0, .error = {ErrorCode::Io, "disk"}}, "failed");

  BOOST_TEST(is_silent(stage.take_effects()));
  BOOST_TEST((stage.peer().training_cells() == std::vector{cell1}));
  BOOST_TEST(stage.peer().statuses().find(cell0, stage.now())->round == 1U);
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_started_twice_trains_with_the_answer_to_the_second_start) {
  Stage stage(options_of(grid_of(1, 2), 2, {}));
  Partner senior = partner(2);
  stage.start();
  meet(stage, senior);
  stage.run_for(6s);
  BOOST_REQUIRE(count_of<StartCell>(stage.take_effects()) >= 1U);
  stage.say(senior, wire::Gossip{}, {senior.claims(0, 2, 0)});
  BOOST_REQUIRE(count_of<ReleaseCell>(stage.take_effects()) >= 1U);
  stage.say(senior, wire::Gossip{}, {senior.accuses(UpdateKind::Left, senior.id(), 1000)});
  stage.exit(senior);
  stage.run_for(20s);
  BOOST_REQUIRE(count_of<StartCell>(stage.take_effects()) == 2U);

  const auto started = [](CellIndex cell) {
    return CellStarted{.cell = cell, .round = {1}, .neighbours = {}};
  };
  // Whichever of the two cells was its own at first has an answer to come that counts no more.
  stage.report(started(cell0), "started");
  stage.report(started(cell1), "started");
  BOOST_TEST(stage.peer().training_cells().size() == 1U);
  stage.report(started(cell0), "started");
  stage.report(started(cell1), "started");
  BOOST_TEST(stage.peer().training_cells().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_seed_that_turns_out_to_be_the_peer_itself_is_no_seed) {
  Stage stage(options_of(grid_of(1, 1), 1, {address(2)}));  // its own public name, say
  Partner itself = partner(2);
  stage.start();
  stage.run_for(100ms);
  itself.record.id = stage.peer().id();
  const StreamId stream = stage.connect(itself);
  const StreamId other_end = stage.dial(itself, wire::StreamPurpose::Sync);
  BOOST_TEST(!stage.peer().membership().joined());
  stage.frame(stream, Refusal, stage.frames(other_end).back().body);
  BOOST_TEST(stage.peer().membership().joined());
  stage.take_effects();
  stage.run_for(60s);
  const Effects effects = stage.take_effects();
  BOOST_TEST(count_of<StartCell>(effects) == 1U);
  BOOST_TEST(count_of_streams<OpenStream>(effects) == 0U);  // and is not dialled again
}

BOOST_AUTO_TEST_CASE(a_seed_that_only_says_that_it_is_the_peer_itself_stays_a_seed) {
  Stage stage(options_of(grid_of(1, 1), 1, {address(2)}));
  const Partner liar = partner(2);
  stage.start();
  Partner itself = partner(3);
  itself.record.id = stage.peer().id();
  stage.dial(itself, wire::StreamPurpose::Sync);  // an earlier Hello of its own proves nothing
  for (int time = 0; time < 3; ++time) {          // it is dialled again and again
    std::size_t dials = count_of_streams<OpenStream>(stage.take_effects());
    for (int tenth = 0; dials == 0 && tenth < 600; ++tenth) {
      stage.run_for(100ms);
      dials = count_of_streams<OpenStream>(stage.take_effects());
    }
    BOOST_REQUIRE(dials > 0U);
    const StreamId stream = stage.connect(liar);
    stage.frame(stream, Refusal,
                wire::Refusal{.reason = wire::RefusalReason::OtherPeer, .text = "you", .run = {}});
    BOOST_TEST(!stage.peer().membership().joined());
  }
}

BOOST_AUTO_TEST_CASE(a_datagram_of_another_run_changes_nothing_and_is_not_answered) {
  Stage stage(options_of(grid_of(1, 1), 1, {}));
  Partner other = partner(2);
  other.run = {.high = 1, .low = 1};
  stage.start();
  stage.take_effects();
  const std::uint64_t hash = stage.peer().membership().view().hash();
  stage.say(other, wire::Ping{.sequence = 1, .target = stage.peer().id()}, {other.alive()},
            {{.cell = cell0, .owner = other.id(), .sequence = 1}});
  stage.say(other, wire::CompareViews{.view_hash = 1});
  BOOST_TEST(is_silent(stage.take_effects()));
  BOOST_TEST(stage.peer().membership().view().hash() == hash);
  BOOST_TEST(!stage.peer().statuses().find(cell0, stage.now()));
}

// Nobody passes on what it could not read: who sends it has made it.
BOOST_AUTO_TEST_CASE(who_goes_on_sending_records_that_are_none_is_ignored) {
  const Partner liar = partner(66);
  const wire::Update garbage{.kind = UpdateKind::Alive,
                             .subject = {.high = 3, .low = 1},
                             .incarnation = 5,
                             .record = ByteBuffer(100, std::byte{7})};
  wire::Update of_another = partner(2).alive();
  of_another.subject = liar.id();
  for (const wire::Update& update : {garbage, of_another}) {
    Stage stage(options_of(grid_of(1, 1), 0, {}));
    stage.start();
    for (std::uint32_t i = 0; i < Conduct::offences_max; ++i)
      stage.say(liar, wire::Gossip{}, {update});
    stage.take_effects();
    stage.say(liar, wire::Ping{.sequence = 5, .target = stage.peer().id()});
    BOOST_TEST(stage.take_effects().datagrams.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_replayed_datagram_changes_nothing) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner other = partner(2);
  stage.start();
  meet(stage, other);
  const ByteBuffer first = other.datagram(wire::Gossip{}, {other.claims(0, 1, 1)});
  stage.datagram(other.endpoint(), first, "first");
  const wire::Update accused = other.accuses(UpdateKind::Suspect, other.id(), 1000);
  stage.say(other, wire::Gossip{}, {accused});
  other.record.incarnation = 1001;
  stage.say(other, wire::Gossip{}, {other.claims(1, 1, 2)});
  const std::uint64_t view = stage.peer().membership().view().hash();
  const std::uint64_t owners = stage.peer().placement().owners_hash();
  stage.take_effects();

  stage.datagram(other.endpoint(), first, "the first again");
  stage.say(other, wire::Gossip{}, {accused});
  stage.say(other, wire::Ack{.sequence = 1});

  BOOST_TEST(is_silent(stage.take_effects()));
  BOOST_TEST(stage.peer().membership().view().hash() == view);
  BOOST_TEST(stage.peer().placement().owners_hash() == owners);
}

BOOST_AUTO_TEST_CASE(a_status_of_a_cell_that_the_grid_does_not_have_is_not_kept) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  const Partner other = partner(2);
  stage.start();
  meet(stage, other);
  stage.say(other, wire::Gossip{}, {},
            {{.cell = cell1, .owner = other.id(), .sequence = 1},
             {.cell = {1000}, .owner = other.id(), .sequence = 1}});
  BOOST_TEST(stage.peer().statuses().find(cell1, stage.now()).has_value());
  BOOST_TEST(!stage.peer().statuses().find({1000}, stage.now()).has_value());
}

BOOST_AUTO_TEST_CASE(a_status_of_a_stranger_or_about_one_is_not_kept) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  const Partner member = partner(2);
  const Partner stranger = partner(3);
  const auto status_of = [](CellIndex cell, const Partner& owner) {
    return wire::CellStatus{.cell = cell, .owner = owner.id(), .sequence = 1};
  };
  stage.start();
  meet(stage, member);
  stage.say(stranger, wire::Gossip{}, {}, {status_of(cell0, member)});
  stage.say(member, wire::Gossip{}, {}, {status_of(cell1, stranger)});
  BOOST_TEST(!stage.peer().statuses().find(cell0, stage.now()).has_value());
  BOOST_TEST(!stage.peer().statuses().find(cell1, stage.now()).has_value());
  stage.say(member, wire::Gossip{}, {}, {status_of(cell0, member)});
  BOOST_TEST(stage.peer().statuses().find(cell0, stage.now()).has_value());
}

// --- Cells ---

// It read the dead peer's cell: what the worker still holds of it may be the newest there is.
BOOST_AUTO_TEST_CASE(a_cell_is_adopted_from_what_the_peer_itself_holds_of_it) {
  Stage stage(options_of(grid_of(1, 2), 2, {}));
  Partner source = partner(2);
  const wire::EdgeId edge{.source = cell1, .reader = cell0};
  const StreamId stream = begin_to_read(stage, source);
  stage.frame(
      stream, PayloadBegin,
      wire::PayloadBegin{.edge = edge, .transfer = 1, .round = {7}, .version = 1, .bytes = 64});
  stage.chunk(stream, 1, *payload_of(64));
  stage.report(PayloadTaken{.edge = edge, .round = {7}, .version = 1, .checksum = 1}, "applied");
  stage.exit(source);
  stage.run_for(30s);

  const auto pack = stage.last_command<PackSnapshot>();
  BOOST_TEST(pack.cell == cell1);
  stage.report(
      ObjectReady{.request = pack.request, .cell = cell1, .round = {7}, .payload = payload_of(64)},
      "snapshot");
  const auto start = stage.last_command<StartCell>();
  BOOST_TEST(start.cell == cell1);
  BOOST_TEST(std::holds_alternative<StartFromSnapshot>(start.origin));
}

BOOST_AUTO_TEST_CASE(a_cell_that_starts_subscribes_at_once) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner source = partner(2);
  begin_beside(stage, source, 1, 1);
  stage.run_for(1500ms);
  stage.refuse(source);
  stage.take_effects();
  stage.report(CellStarted{.cell = cell0, .round = {}, .neighbours = {cell1}}, "started");
  const Effects effects = stage.take_effects();
  BOOST_TEST(count_of<OpenReceivingEdge>(effects) == 1U);
  BOOST_TEST(count_of_streams<OpenStream>(effects) == 1U);
}

BOOST_AUTO_TEST_CASE(a_peer_that_nobody_can_relieve_says_left_and_goes) {
  Stage stage(options_of(grid_of(1, 2), 2, {}));
  const Partner full = partner(2, 0);
  stage.start();
  meet(stage, full);
  train(stage, {cell0, cell1}, {});
  stage.take_effects();
  stage.leave();
  stage.run_for(5s);
  const Effects effects = stage.take_effects();
  BOOST_TEST(effects.has_left);
  const bool said = std::ranges::any_of(effects.datagrams, [&](const SendDatagram& sent) {
    const auto datagram = wire::decode_datagram(sent.bytes);
    return std::ranges::any_of(datagram->updates, [&](const wire::Update& update) {
      return update.kind == UpdateKind::Left && update.subject == stage.peer().id();
    });
  });
  BOOST_TEST(said);
}

// Each cell that is taken puts the end of the yield off; the leaver has not so long.
BOOST_AUTO_TEST_CASE(a_handover_that_goes_on_too_long_is_broken_off) {
  Stage stage(options_of(grid_of(1, 4), 3, {}));
  Partner heir = partner(2, 4);
  begin_beside(stage, heir, 3, 1);
  train(stage, {cell0, cell1, cell2}, {});
  stage.leave();
  stage.run_for(40s);
  BOOST_TEST(own_record(stage).claims.size() == 1U);
  stage.say(heir, wire::Gossip{}, {heir.claims(2, 2, 9)});
  stage.run_for(34s);
  BOOST_TEST(own_record(stage).yields.size() == 1U);
  BOOST_TEST(!stage.take_effects().has_left);
  stage.run_for(4s);
  BOOST_TEST(stage.take_effects().has_left);
}

BOOST_AUTO_TEST_CASE(a_handover_that_never_comes_ends_with_its_yield) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner heir = partner(2, 2);
  begin_beside(stage, heir, 1, 1);
  train(stage, {cell0}, {});
  stage.leave();
  stage.run_for(59s);
  BOOST_TEST(!stage.take_effects().has_left);
  stage.run_for(20s);
  BOOST_TEST(stage.take_effects().has_left);
}

// --- What it sends ---

BOOST_AUTO_TEST_CASE(datagrams_with_the_largest_records_and_statuses_stay_within_their_limit) {
  const Grid grid = grid_of(8, 8);
  PeerOptions options = options_of(grid, 64, {});
  options.name = options.zone = std::string(wire::name_bytes_max, 'n');
  for (std::uint32_t i = 10; i < 13; ++i) options.endpoints.push_back(address(i));
  Stage stage(options);
  Partner other = partner(2, 64);
  other.record.zone = options.zone;
  other.record.endpoints.insert(other.record.endpoints.end(), 3, address(2));
  other.record.signature.resize(wire::signature_bytes);
  std::vector<wire::CellStatus> statuses;
  for (std::uint32_t i = 0; i < wire::claim_runs_max; ++i) {
    other.record.claims.push_back({.first = 2 * i, .count = 1, .stamp = 1});
    statuses.push_back({.cell = {2 * i}, .owner = other.id(), .sequence = 1, .round = i});
  }
  stage.start();
  meet(stage, other);
  for (const wire::CellStatus& status : statuses) stage.say(other, wire::Gossip{}, {}, {status});
  stage.run_for(20s);
  for (int i = 0; i < 8; ++i)
    stage.say(other, wire::YieldRequest{.sequence = static_cast<std::uint32_t>(i)});
  BOOST_TEST(own_record(stage).claims.size() > 20U);
  const Effects effects = stage.take_effects();
  std::size_t largest = 0;
  std::size_t with_status = 0;
  for (const SendDatagram& sent : effects.datagrams) {
    largest = std::max(largest, sent.bytes.size());
    with_status += wire::decode_datagram(sent.bytes)->statuses.empty() ? 0 : 1;
  }
  BOOST_TEST(largest + wire::seal_bytes_max <= wire::datagram_bytes_max);
  BOOST_TEST(largest > 900U);
  BOOST_TEST(with_status > 10U);
}

BOOST_AUTO_TEST_CASE(members_are_stored_for_a_later_process) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  meet(stage, partner(2));
  meet(stage, partner(3));
  stage.run_for(59s);
  BOOST_TEST(!stage.take_effects().store);
  stage.run_for(2s);
  auto store = stage.take_effects().store;
  BOOST_REQUIRE(store.has_value());
  std::ranges::sort(store->endpoints);
  BOOST_TEST((store->endpoints == std::vector{address(2), address(3)}));
}

BOOST_AUTO_TEST_CASE(stored_peers_are_seeds) {
  Stage stage(options_of(grid_of(1, 1), 0, {}), {.known_peers = {address(9)}});
  stage.start();
  const Effects effects = stage.take_effects();
  BOOST_REQUIRE_EQUAL(count_of_streams<OpenStream>(effects), 1U);
  BOOST_TEST(std::get<OpenStream>(effects.streams.front()).to == address(9));
  BOOST_TEST(!stage.peer().membership().joined());
}

BOOST_AUTO_TEST_CASE(stored_peers_may_all_be_gone) {
  Stage stage(options_of(grid_of(1, 1), 1, {}), {.known_peers = {address(9)}});
  stage.start();
  stage.run_for(11s);
  BOOST_TEST(own_record(stage).claims.empty());  // they may answer yet
  stage.run_for(5s);
  BOOST_REQUIRE_EQUAL(own_record(stage).claims.size(), 1U);
  // Or they cannot be heard: then they have the older claim, whatever its stamp.
  BOOST_TEST(own_record(stage).claims.front().stamp > own_record(stage).incarnation);
}

BOOST_AUTO_TEST_CASE(where_the_only_seed_is_the_peer_itself_stored_peers_may_be_gone) {
  Stage stage(options_of(grid_of(1, 1), 1, {address(2)}), {.known_peers = {address(9)}});
  Partner itself = partner(2);
  stage.start();
  const auto has_dialled = [&] {
    const Effects effects = stage.take_effects();
    return std::ranges::any_of(effects.streams, [](const Effects::StreamAction& each) {
      const auto* open = std::get_if<OpenStream>(&each);
      return open != nullptr && open->to == address(2);
    });
  };
  while (!has_dialled()) stage.run_for(100ms);
  itself.record.id = stage.peer().id();
  const StreamId stream = stage.connect(itself);
  const StreamId other_end = stage.dial(itself, wire::StreamPurpose::Sync);
  stage.frame(stream, Refusal, stage.frames(other_end).back().body);
  BOOST_TEST(!stage.peer().membership().joined());  // the stored one did not answer
  stage.run_for(15s);
  BOOST_TEST(own_record(stage).claims.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_clock_before_1970_is_as_good_as_one_that_begins_then) {
  Stage stage(options_of(grid_of(1, 1), 1, {}), {}, std::chrono::milliseconds(-5));
  stage.start();
  stage.run_for(2s);
  BOOST_TEST(own_record(stage).incarnation == 0U);
  BOOST_TEST(own_record(stage).claims.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_peer_that_is_its_own_seed_waits_for_nobody) {
  Stage stage(options_of(grid_of(1, 1), 1, {address(1)}));
  stage.start();
  stage.run_for(2s);
  BOOST_TEST(stage.peer().membership().joined());
  BOOST_TEST((stage.peer().placement().own_cells() == std::vector{cell0}));
  BOOST_TEST(count_of_streams<OpenStream>(stage.take_effects()) == 0U);
}

// A peer that does not sleep would be refused by Stage::run_for().
BOOST_AUTO_TEST_CASE(a_peer_sleeps_between_its_deadlines) {
  Stage stage(options_of(grid_of(2, 2), 4, {address(9)}));
  stage.start();
  for (std::uint32_t minute = 0; minute < 60; ++minute) {
    Partner comes = partner(2 + minute);
    meet(stage, comes);
    stage.run_for(30s);
    stage.exit(comes);
    stage.run_for(30s);
    BOOST_TEST(stage.take_effects().datagrams.size() < 60 * 25U);
  }
}

// --- Streams ---

BOOST_AUTO_TEST_CASE(the_run_spec_is_served_to_one_who_knows_only_an_address) {
  const PeerOptions options = options_of(grid_of(1, 1), 0, {});
  Stage stage(options);
  stage.start();
  RunSpecRequest request({address(1)}, PeerId{1, 1}, RandomStream(1));
  Effects asks;
  request.start(stage.now(), asks);
  const StreamId dialled = std::get<OpenStream>(asks.streams.at(0)).stream;
  const StreamId accepted = stage.come(address(2));
  asks.clear();
  request.on_opened(dialled, stage.now(), asks);
  stage.bytes(accepted, bytes_of(std::get<SendBytes>(asks.streams.at(0))), "Hello for RunSpec");
  for (const Effects::StreamAction& action : stage.take_effects().streams)
    if (const auto* sent = std::get_if<SendBytes>(&action))
      request.on_bytes(dialled, bytes_of(*sent), stage.now(), asks);
  BOOST_REQUIRE(request.answer().has_value());
  BOOST_TEST(request.answer()->run == options.run);
  BOOST_TEST(request.answer()->toml == options.run_spec);
  BOOST_TEST(stage.is_closed(accepted));
}

BOOST_AUTO_TEST_CASE(a_watcher_is_shown_the_view_the_statuses_and_what_happens) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner other = partner(2);
  begin_beside(stage, other, 1, 1);
  train(stage, {cell0}, {});
  stage.report(CellStatusReport{.status = {.cell = cell0, .round = {5}}}, "status");

  wire::Hello hello = partner(99).hello(wire::StreamPurpose::Watch);
  hello.run = {};
  hello.record.clear();
  const StreamId watch = stage.dial(address(99), hello);
  stage.frame(watch, Credit, wire::Credit{.bytes = 1 << 20});
  stage.run_for(300ms);
  const auto frames = stage.frames(watch);
  BOOST_TEST((types(frames) ==
              std::vector{Welcome, WatchBegin, WatchMembers, WatchStatuses, WatchEvents}));
  const auto members = wire::decode_watch_members(frames.at(2).body);
  BOOST_TEST(members->members.size() == 2U);
  const auto statuses = wire::decode_watch_statuses(frames.at(3).body);
  BOOST_REQUIRE_EQUAL(statuses->statuses.size(), 1U);
  BOOST_TEST(statuses->statuses.front().round == 5U);

  stage.report(CellNotice{.notice = {.cell = cell0, .text = "rolled back"}}, "notice");
  stage.run_for(300ms);
  const auto events = wire::decode_watch_events(stage.frames(watch).back().body);
  BOOST_REQUIRE_EQUAL(events->events.size(), 1U);
  BOOST_TEST(events->events.front().text == "rolled back");
}

BOOST_AUTO_TEST_CASE(a_watcher_gets_sheets_of_the_peers_own_cells_and_of_others) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner other = partner(2);
  begin_beside(stage, other, 1, 1);
  stage.run_for(1500ms);
  stage.refuse(other);
  train(stage, {cell0}, {});
  const StreamId watch = stage.dial(partner(99), wire::StreamPurpose::Watch);
  stage.frame(watch, Credit, wire::Credit{.bytes = 1 << 20});
  const auto ask = [&](std::uint32_t request, CellIndex cell) {
    stage.frame(
        watch, ObjectRequest,
        wire::ObjectRequest{.request = request, .kind = wire::ObjectKind::Sheet, .cell = cell});
  };
  ask(1, cell0);
  const auto draw = stage.last_command<DrawSheet>();
  stage.report(
      ObjectReady{.request = draw.request, .cell = cell0, .round = {3}, .payload = payload_of(50)},
      "sheet");
  BOOST_TEST((stage.frames(watch).back().type == Chunk));
  BOOST_TEST(wire::decode_chunk(stage.frames(watch).back().body)->bytes.size() == 50U);

  ask(2, cell1);
  const StreamId object = stage.accept(other);
  const Stage::SentFrame relayed = stage.frames(object).back();
  BOOST_REQUIRE(relayed.type == ObjectRequest);
  const std::uint32_t request = wire::decode_object_request(relayed.body)->request;
  const Payload sheet = payload_of(70);
  stage.frame(object, ObjectBegin,
              wire::ObjectBegin{.request = request,
                                .transfer = 1,
                                .round = {4},
                                .bytes = sheet->size(),
                                .checksum = hash_of(*sheet)});
  stage.chunk(object, 1, *sheet);
  BOOST_TEST(wire::decode_chunk(stage.frames(watch).back().body)->bytes.size() == 70U);

  ask(3, cell2);  // which nobody has
  BOOST_TEST((stage.frames(watch).back().type == ObjectInfo));
}

BOOST_AUTO_TEST_CASE(a_watcher_that_hangs_up_or_offends_is_forgotten) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  const StreamId gone = stage.dial(partner(98), wire::StreamPurpose::Watch);
  const StreamId offends = stage.dial(partner(99), wire::StreamPurpose::Watch);
  stage.hang_up(gone);
  stage.frame(offends, Digest, wire::Digest{std::vector<std::uint64_t>(256)});
  BOOST_TEST(stage.is_closed(offends));
  stage.run_for(2s);
  BOOST_TEST(!has(stage.frames(gone), WatchMembers));
  BOOST_TEST(!has(stage.frames(offends), WatchMembers));
}

BOOST_AUTO_TEST_CASE(who_only_looks_is_no_member_whatever_record_it_shows) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  for (const auto purpose : {wire::StreamPurpose::Watch, wire::StreamPurpose::RunSpec}) {
    for (const RunId run : {RunId{}, this_run}) {
      wire::Hello hello = partner(2).hello(purpose);
      hello.run = run;
      const StreamId stream = stage.dial(address(2), hello);
      BOOST_TEST((stage.frames(stream).front().type == Welcome));
    }
  }
  BOOST_TEST(stage.peer().membership().view().members().size() == 1U);
}

BOOST_AUTO_TEST_CASE(who_dials_is_met_by_the_record_in_its_hello) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  const Partner newcomer = partner(2);
  stage.start();
  stage.dial(newcomer, wire::StreamPurpose::Exchange);
  BOOST_TEST(stage.peer().membership().view().find(newcomer.id()) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::peer::test
