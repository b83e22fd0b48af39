// What is asked for once is answered once: by what the other end holds, or that it has nothing.
#include "peer/objects/objects.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "peer/objects/object_pair.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(objects)

namespace {

constexpr PeerId a{1, 1}, b{2, 2}, c{3, 3};
constexpr CellIndex cell{7};
constexpr Round round12{.index = 12};

constexpr wire::ObjectRequest request_for(wire::ObjectKind kind, bool hand_over = false) {
  return {.kind = kind, .cell = cell, .hand_over = hand_over};
}
constexpr auto snapshot = request_for(wire::ObjectKind::Snapshot);
constexpr auto state = request_for(wire::ObjectKind::State);
constexpr auto sheet = request_for(wire::ObjectKind::Sheet);
constexpr auto handed_over = request_for(wire::ObjectKind::State, true);

// a asks, b serves; b trains the cell.
struct Pair : ObjectWorld {
  Node& asker = add(a);
  Node& server = add(b);
  Pair() { own(b, cell, round12); }

  FetchId fetch(PeerId from, const wire::ObjectRequest& what) {
    ObjectsOutput out;
    const FetchId fetch = asker.objects.fetch(from, what, now, out);
    settle(a, std::move(out));
    return fetch;
  }
  FetchId ask(PeerId from, wire::ObjectKind kind, CellIndex about = cell) {
    ObjectsOutput out;
    const FetchId fetch = asker.objects.ask(from, kind, about, now, out);
    settle(a, std::move(out));
    return fetch;
  }
  // The only answer that came since the last call.
  ObjectsOutput::Answer answer() {
    BOOST_REQUIRE(asker.answers.size() == 1U);
    const ObjectsOutput::Answer only = asker.answers.front();
    asker.answers.clear();
    return only;
  }
  void allow(CellIndex which, std::optional<PeerId> to) {
    ObjectsOutput out;
    server.objects.allow_handover(which, to, out);
    settle(b, std::move(out));
  }
  // From b's end of the stream, whatever b would say.
  void forge(wire::FrameType type, ByteBuffer body) {
    carry(
        b,
        {.stream = {newest_stream().value + 1}, .type = type, .body = std::move(body), .tail = {}});
  }
  // From a's.
  void forge_request(const wire::ObjectRequest& request) {
    carry(a, {.stream = newest_stream(),
              .type = wire::FrameType::ObjectRequest,
              .body = wire::encode(request),
              .tail = {}});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_question_is_answered_with_the_round, Pair) {
  const FetchId asked = ask(b, wire::ObjectKind::Snapshot);
  const auto first = answer();
  BOOST_TEST((first.fetch == asked));
  BOOST_TEST(first.found);
  BOOST_TEST((first.round == round12));
  report(b, CellPublished{.cell = cell, .round = {.index = 13}});
  ask(b, wire::ObjectKind::State);
  BOOST_TEST((answer().round == Round{.index = 13}));
  ask(b, wire::ObjectKind::State, {8});
  BOOST_TEST(!answer().found);
  ask(b, wire::ObjectKind::Unknown);
  BOOST_TEST(!answer().found);
  BOOST_TEST(dials == 1U);
}

BOOST_FIXTURE_TEST_CASE(each_kind_is_fetched_whole, Pair) {
  fetch(b, snapshot);
  BOOST_TEST(text_of(answer().payload) == "snapshot of 7");
  fetch(b, state);
  BOOST_TEST(text_of(answer().payload) == "state of 7");
  fetch(b, sheet);
  const auto drawn = answer();
  BOOST_TEST(text_of(drawn.payload) == "sheet of 7");
  BOOST_TEST((drawn.round == round12));
  BOOST_TEST(dials == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_long_object_comes_in_many_chunks_under_credit, Pair) {
  server.worker.padding.assign(20 << 20, 'x');
  fetch(b, state);
  BOOST_TEST(answer().payload->size() == (20U << 20U) + 10U);
}

BOOST_FIXTURE_TEST_CASE(a_replica_serves_as_a_snapshot_of_the_neighbours_cell, Pair) {
  const auto taken = [&](std::uint32_t reader, std::uint64_t round,
                         std::optional<wire::PayloadFault> fault = {}) {
    report(b, PayloadTaken{.edge = {.source = {3}, .reader = {reader}},
                           .round = {.index = round},
                           .fault = fault});
  };
  own(b, {9}, round12);
  ask(b, wire::ObjectKind::Snapshot, {3});
  BOOST_TEST(!answer().found);
  taken(7, 20);
  taken(9, 22);
  taken(9, 30, wire::PayloadFault::NotFinite);
  ask(b, wire::ObjectKind::Snapshot, {3});
  BOOST_TEST((answer().round == Round{.index = 22}));
  ask(b, wire::ObjectKind::State, {3});
  BOOST_TEST(!answer().found);
  server.objects.on_released({9});
  ask(b, wire::ObjectKind::Snapshot, {3});
  BOOST_TEST((answer().round == Round{.index = 20}));
}

BOOST_FIXTURE_TEST_CASE(a_payload_that_was_applied_for_a_released_reader_is_not_held, Pair) {
  server.objects.on_released(cell);
  report(b, PayloadTaken{
                .edge = {.source = {3}, .reader = cell}, .round = {.index = 20}, .fault = {}});
  ask(b, wire::ObjectKind::Snapshot, {3});
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(an_understudy_serves_its_copy_as_a_state, Pair) {
  server.objects.on_kept({3}, Round{.index = 5});
  ask(b, wire::ObjectKind::State, {3});
  BOOST_TEST((answer().round == Round{.index = 5}));
  ask(b, wire::ObjectKind::Snapshot, {3});
  BOOST_TEST(!answer().found);
  fetch(b, {.kind = wire::ObjectKind::State, .cell = {3}});
  BOOST_TEST(text_of(answer().payload) == "state of 3");
  fetch(b, {.kind = wire::ObjectKind::State, .cell = {3}, .hand_over = true});
  BOOST_TEST(!answer().found);  // it is not its own to hand over
  server.objects.on_kept({3}, std::nullopt);
  ask(b, wire::ObjectKind::State, {3});
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(a_state_is_handed_over_to_the_peer_it_is_yielded_to_only, Pair) {
  fetch(b, handed_over);
  BOOST_TEST(!answer().found);
  allow(cell, c);
  fetch(b, handed_over);
  BOOST_TEST(!answer().found);
  BOOST_TEST(server.worker.log.empty());
  allow(cell, a);
  fetch(b, handed_over);
  BOOST_TEST(text_of(answer().payload) == "parked state of 7");
}

BOOST_FIXTURE_TEST_CASE(a_handover_that_is_withdrawn_resumes_the_cell, Pair) {
  allow(cell, a);
  server.worker.is_slow = true;
  fetch(b, handed_over);
  allow(cell, a);  // said again: nothing changes
  BOOST_TEST(server.worker.log.back() == "parked state of 7");
  allow(cell, std::nullopt);
  BOOST_TEST(server.worker.log.back() == "resume 7");
  report(b, server.worker.held_back.at(0));  // saved too late: the cell is trained on
  BOOST_TEST(!answer().found);
}

// The cell trained on in between: what the first request waited for is no state to take over.
BOOST_FIXTURE_TEST_CASE(a_handover_that_is_withdrawn_and_allowed_again_is_asked_for_again, Pair) {
  server.worker.is_slow = true;
  allow(cell, a);
  fetch(b, handed_over);
  allow(cell, {});
  BOOST_TEST(!answer().found);
  allow(cell, a);
  report(b, server.worker.held_back.at(0));
  BOOST_TEST(asker.answers.empty());
  server.worker.is_slow = false;
  fetch(b, handed_over);
  BOOST_TEST(answer().found);
}

// The next one starts, and then the cell is handed over as was promised.
BOOST_FIXTURE_TEST_CASE(a_start_that_failed_takes_no_promise_back, Pair) {
  allow(cell, a);
  report(b, CellFailed{.cell = cell, .error = {.code = ErrorCode::Corrupt}, .at_start = true});
  fetch(b, handed_over);
  BOOST_TEST(answer().found);
  report(b, CellFailed{.cell = cell, .error = {.code = ErrorCode::NotFinite}});
  fetch(b, handed_over);
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(a_cell_that_was_released_is_served_no_more, Pair) {
  allow(cell, a);
  server.objects.on_released(cell);
  fetch(b, handed_over);
  BOOST_TEST(!answer().found);
  fetch(b, snapshot);
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(a_cell_that_failed_is_served_no_more, Pair) {
  report(b, CellFailed{.cell = cell, .error = {ErrorCode::NotFinite, "NaN"}});
  fetch(b, state);
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(what_the_worker_does_not_have_after_all_is_not_found, Pair) {
  server.worker.is_empty = true;
  fetch(b, snapshot);
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(a_sheet_that_is_too_long_does_not_travel, Pair) {
  server.worker.padding.assign(wire::sheet_bytes_max, 'x');
  fetch(b, sheet);
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(a_peer_asks_itself_without_a_stream, Pair) {
  own(a, {4}, {.index = 3});
  ask(a, wire::ObjectKind::State, {4});
  BOOST_TEST((answer().round == Round{.index = 3}));
  fetch(a, {.kind = wire::ObjectKind::State, .cell = {4}});
  BOOST_TEST(text_of(answer().payload) == "state of 4");
  fetch(a, snapshot);
  BOOST_TEST(!answer().found);
  BOOST_TEST(dials == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_peers_own_fetches_are_bounded_and_time_out, Pair) {
  own(a, {4}, {.index = 3});
  asker.worker.is_slow = true;
  const wire::ObjectRequest own_state{.kind = wire::ObjectKind::State, .cell = {4}};
  for (std::size_t i = 0; i < ObjectServer::served_self_max; ++i) fetch(a, own_state);
  BOOST_TEST(asker.answers.empty());
  fetch(a, own_state);
  BOOST_TEST(!answer().found);
  run_until(now + ObjectServer::worker_patience + 1s);
  BOOST_TEST(asker.answers.size() == ObjectServer::served_self_max);
  report(a, asker.worker.held_back.front());  // too late for anybody
  BOOST_TEST(asker.answers.size() == ObjectServer::served_self_max);
}

// Somebody else has its place there, and may go.
BOOST_FIXTURE_TEST_CASE(a_peer_that_is_busy_is_dialled_again_while_there_is_patience, Pair) {
  busy.insert(b);
  fetch(b, snapshot);
  BOOST_TEST(dials == 1U);
  run_until(now + ObjectFetcher::busy_pause + 1ms);
  BOOST_TEST(dials == 2U);
  ask(b, wire::ObjectKind::Snapshot);  // waits with it
  BOOST_TEST(dials == 2U);
  BOOST_TEST(asker.answers.empty());
  busy.clear();
  run_until(now + ObjectFetcher::busy_pause);
  BOOST_TEST(dials == 3U);
  BOOST_TEST(asker.answers.size() == 2U);
  BOOST_TEST(asker.answers.front().found);
}

BOOST_FIXTURE_TEST_CASE(a_peer_that_stays_busy_has_nothing_in_the_end, Pair) {
  busy.insert(b);
  fetch(b, snapshot);
  run_until(now + ObjectFetcher::patience);
  BOOST_TEST(asker.answers.empty());
  run_until(now + 2 * ObjectFetcher::busy_pause);
  BOOST_TEST(!answer().found);
  const std::size_t until_then = dials;
  run_until(now + ObjectFetcher::patience);
  BOOST_TEST(dials == until_then);  // nothing is wanted of it
  busy.clear();
  fetch(b, snapshot);
  BOOST_TEST(answer().found);
}

BOOST_FIXTURE_TEST_CASE(an_unreachable_peer_has_nothing, Pair) {
  unreachable.insert(b);
  fetch(b, state);
  BOOST_TEST(!answer().found);
  unreachable.clear();
  fetch(b, state);  // it is dialled anew
  BOOST_TEST(answer().found);
}

BOOST_FIXTURE_TEST_CASE(a_stream_that_closes_answers_all_that_it_owed, Pair) {
  server.worker.is_slow = true;
  for (std::size_t i = 0; i < 2 * ObjectFetcher::in_flight_max; ++i) fetch(b, state);
  BOOST_TEST(asker.answers.empty());
  close(b, {newest_stream().value + 1});
  ObjectsOutput out;
  asker.objects.on_closed(newest_stream(), out);
  settle(a, std::move(out));
  BOOST_TEST(asker.answers.size() == 2 * ObjectFetcher::in_flight_max);
  BOOST_TEST(std::ranges::none_of(asker.answers, &ObjectsOutput::Answer::found));
  for (const ObjectReady& ready : server.worker.held_back) report(b, ready);  // finds nobody
  BOOST_TEST(asker.answers.size() == 2 * ObjectFetcher::in_flight_max);
}

BOOST_FIXTURE_TEST_CASE(no_more_than_so_many_requests_are_in_flight, Pair) {
  server.worker.is_slow = true;
  for (std::size_t i = 0; i < ObjectFetcher::in_flight_max + 5; ++i) fetch(b, state);
  BOOST_TEST(server.worker.held_back.size() == ObjectFetcher::in_flight_max);
  const std::vector<ObjectReady> ready = std::exchange(server.worker.held_back, {});
  for (const ObjectReady& each : ready) report(b, each);
  BOOST_TEST(server.worker.held_back.size() == 5U);
  BOOST_TEST(asker.answers.size() == ObjectFetcher::in_flight_max);
}

BOOST_FIXTURE_TEST_CASE(no_more_than_so_many_wishes_wait, Pair) {
  server.worker.is_slow = true;
  const std::size_t taken = ObjectFetcher::in_flight_max + ObjectFetcher::waiting_max;
  for (std::size_t i = 0; i < taken; ++i) fetch(b, state);
  BOOST_TEST(asker.answers.empty());
  fetch(b, state);
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_does_not_begin_in_time_is_not_found_once, Pair) {
  mute.insert(b);
  fetch(b, state);
  run_until(now + 59s);
  BOOST_TEST(asker.answers.empty());
  run_until(now + 2s);
  BOOST_TEST(!answer().found);
  // It is remembered for as long again, then the stream is given up.
  BOOST_TEST(hang_ups == 0U);
  run_until(now + 60s);
  BOOST_TEST(hang_ups > 0U);
  BOOST_TEST(asker.answers.empty());
}

BOOST_FIXTURE_TEST_CASE(what_comes_too_late_is_thrown_away, Pair) {
  server.worker.is_slow = true;
  fetch(b, state);
  mute.insert(a);  // b's own "not found" after 60 s gets lost
  run_until(now + 61s);
  mute.clear();
  BOOST_TEST(!answer().found);
  const std::string late = "late";
  const wire::ObjectBegin begin{.request = 1,
                                .transfer = 1,
                                .round = round12,
                                .bytes = late.size(),
                                .checksum = hash_of(*payload_of(late))};
  forge(wire::FrameType::ObjectBegin, wire::encode(begin));
  carry(b, {.stream = {newest_stream().value + 1},
            .type = wire::FrameType::Chunk,
            .body = wire::encode(wire::ChunkHead{.transfer = 1}),
            .tail = payload_of(late),
            .tail_bytes = late.size()});
  BOOST_TEST(asker.answers.empty());
  BOOST_TEST(asker.offences.empty());
}

BOOST_AUTO_TEST_CASE(an_object_larger_than_the_model_can_be_is_an_offence) {
  for (const std::uint64_t bytes_max : {10U, 9U}) {  // "state of 7" has 10
    ObjectWorld world;
    ObjectWorld::Node& asker = world.add(a, {.object_bytes_max = bytes_max});
    world.add(b);
    world.own(b, cell, round12);
    ObjectsOutput out;
    asker.objects.fetch(b, state, world.now, out);
    world.settle(a, std::move(out));
    BOOST_REQUIRE(asker.answers.size() == 1U);
    BOOST_TEST(asker.answers.front().found == (bytes_max == 10));
    BOOST_TEST(asker.offences.size() == (bytes_max == 10 ? 0U : 1U));
  }
}

BOOST_FIXTURE_TEST_CASE(an_object_that_stalls_is_given_up, Pair) {
  server.worker.is_slow = true;
  fetch(b, state);
  forge(wire::FrameType::ObjectBegin,
        wire::encode(wire::ObjectBegin{.request = 1, .transfer = 1, .round = {}, .bytes = 100}));
  const auto chunk = [&](std::uint64_t offset) {
    carry(b, {.stream = {newest_stream().value + 1},
              .type = wire::FrameType::Chunk,
              .body = wire::encode(wire::ChunkHead{.transfer = 1, .offset = offset}),
              .tail = payload_of("x"),
              .tail_bytes = 1});
  };
  // A byte now and then is progress.
  for (std::uint64_t offset = 0; offset < 5; ++offset) {
    run_until(now + 9s);
    chunk(offset);
  }
  BOOST_TEST(asker.answers.empty());
  run_until(now + 11s);
  BOOST_TEST(!answer().found);
  BOOST_TEST(hang_ups == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_object_may_not_trickle_for_ever, Pair) {
  server.worker.is_slow = true;
  fetch(b, state);
  forge(wire::FrameType::ObjectBegin,
        wire::encode(wire::ObjectBegin{.request = 1, .transfer = 1, .round = {}, .bytes = 1000}));
  for (std::uint64_t offset = 0; offset < 8 && asker.answers.empty(); ++offset) {
    run_until(now + 9s);
    carry(b, {.stream = {newest_stream().value + 1},
              .type = wire::FrameType::Chunk,
              .body = wire::encode(wire::ChunkHead{.transfer = 1, .offset = offset}),
              .tail = payload_of("x"),
              .tail_bytes = 1});
  }
  BOOST_TEST(!answer().found);
}

BOOST_FIXTURE_TEST_CASE(an_idle_stream_is_closed_by_its_asker, Pair) {
  fetch(b, state);
  answer();
  run_until(now + 29s);
  BOOST_TEST(hang_ups == 0U);
  run_until(now + 2s);
  BOOST_TEST(hang_ups == 1U);
  fetch(b, state);
  BOOST_TEST(answer().found);
  BOOST_TEST(dials == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_stream_on_which_nothing_is_asked_is_closed_by_its_server, Pair) {
  ObjectsOutput out;
  server.objects.on_accepted(a, {100}, now, out);
  run_until(now + (ObjectServer::idle_max - 1s));
  BOOST_TEST(hang_ups == 0U);
  run_until(now + 2s);
  BOOST_TEST(hang_ups == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_second_stream_to_the_same_peer_is_not_needed, Pair) {
  ask(b, wire::ObjectKind::State);
  ObjectsOutput out;
  asker.objects.on_dialled(b, {101}, now, out);
  asker.objects.on_dialled(c, {103}, now, out);
  BOOST_TEST((out.hang_ups == std::vector<StreamId>{{101}, {103}}));
}

BOOST_FIXTURE_TEST_CASE(a_damaged_object_is_an_offence_and_not_found, Pair) {
  server.worker.is_slow = true;
  fetch(b, state);
  forge(wire::FrameType::ObjectBegin,
        wire::encode(wire::ObjectBegin{
            .request = 1, .transfer = 1, .round = {}, .bytes = 4, .checksum = 99}));
  carry(b, {.stream = {newest_stream().value + 1},
            .type = wire::FrameType::Chunk,
            .body = wire::encode(wire::ChunkHead{.transfer = 1}),
            .tail = payload_of("evil"),
            .tail_bytes = 4});
  BOOST_TEST(!answer().found);
  BOOST_TEST(asker.offences.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(answers_that_nobody_asked_for_are_offences, Pair) {
  const std::vector<std::pair<wire::FrameType, ByteBuffer>> forged = {
      {wire::FrameType::ObjectInfo,
       wire::encode(wire::ObjectInfo{.request = 77, .found = false, .round = {}})},
      {wire::FrameType::ObjectInfo,  // of the fetch: it must begin, not be promised
       wire::encode(wire::ObjectInfo{.request = 1, .found = true, .round = {}})},
      {wire::FrameType::ObjectBegin,
       wire::encode(wire::ObjectBegin{.request = 77, .transfer = 1, .round = {}, .bytes = 4})},
      {wire::FrameType::ObjectBegin,
       wire::encode(wire::ObjectBegin{.request = 1, .transfer = 1, .round = {}, .bytes = 0})},
      {wire::FrameType::ObjectBegin,  // longer than a sheet can be
       wire::encode(wire::ObjectBegin{
           .request = 1, .transfer = 1, .round = {}, .bytes = wire::sheet_bytes_max + 1})},
      {wire::FrameType::Chunk, wire::encode(wire::ChunkHead{.transfer = 9})},
      {wire::FrameType::ObjectInfo, ByteBuffer(40)},
      {wire::FrameType::ObjectBegin, ByteBuffer(40)},
      {wire::FrameType::Chunk, ByteBuffer(3)},
      {wire::FrameType::Subscribe, wire::encode(wire::Subscribe{})},
  };
  for (const auto& [type, body] : forged) {
    BOOST_TEST_CONTEXT("frame type " << static_cast<int>(type)) {
      Pair world;
      world.server.worker.is_slow = true;
      world.fetch(b, sheet);
      world.forge(type, body);
      BOOST_TEST(!world.answer().found);
      BOOST_TEST(world.asker.offences.size() == 1U);
      BOOST_TEST(world.hang_ups == 1U);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(requests_beyond_the_limit_are_an_offence, Pair) {
  ask(b, wire::ObjectKind::State);
  server.worker.is_slow = true;
  wire::ObjectRequest hostile = state;
  for (hostile.request = 100; hostile.request < 100 + wire::object_requests_max; ++hostile.request)
    forge_request(hostile);
  BOOST_TEST(server.offences.empty());
  BOOST_TEST(server.worker.held_back.size() == wire::object_requests_max);
  forge_request(hostile);
  BOOST_TEST(server.offences.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(objects_that_are_not_read_count_as_requests, Pair) {
  server.worker.padding.assign(IncomingLink::credit_window_bytes, 'x');
  ObjectsOutput accepted;
  server.objects.on_accepted(c, {200}, now, accepted);  // c gives no credit
  Pipe pipe;
  std::size_t begun = 0;
  for (std::uint32_t i = 0; i <= wire::object_requests_max; ++i) {
    wire::ObjectRequest request = state;
    request.request = i;
    ObjectsOutput served;
    pipe.carry(
        {.stream = {200},
         .type = wire::FrameType::ObjectRequest,
         .body = wire::encode(request),
         .tail = {}},
        [&](const wire::Frame& frame) { server.objects.on_frame({200}, frame, now, served); });
    begun += served.commands.size();
    settle(b, std::move(served));
  }
  BOOST_TEST(begun == wire::object_requests_max);
  BOOST_TEST(server.offences.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(what_no_asker_sends_is_an_offence, Pair) {
  const std::vector<std::pair<wire::FrameType, ByteBuffer>> forged = {
      {wire::FrameType::ObjectQuery, ByteBuffer(40)},
      {wire::FrameType::ObjectRequest, ByteBuffer(40)},
      {wire::FrameType::Credit, ByteBuffer(40)},
      {wire::FrameType::Credit, wire::encode(wire::Credit{.bytes = UINT64_MAX})},
      {wire::FrameType::ObjectInfo,
       wire::encode(wire::ObjectInfo{.request = 1, .found = false, .round = {}})},
  };
  for (const auto& [type, body] : forged) {
    BOOST_TEST_CONTEXT("frame type " << static_cast<int>(type)) {
      Pair world;
      world.ask(b, wire::ObjectKind::State);
      world.answer();
      world.carry(a, {.stream = world.newest_stream(), .type = type, .body = body, .tail = {}});
      BOOST_TEST(world.server.offences.size() == 1U);
      BOOST_TEST(world.hang_ups == 1U);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(requests_that_the_worker_forgets_are_answered_in_the_end, Pair) {
  server.worker.is_slow = true;
  fetch(b, state);
  run_until(now + 61s);
  BOOST_TEST(!answer().found);
  report(b, server.worker.held_back.at(0));
  BOOST_TEST(asker.answers.empty());
  BOOST_TEST(asker.offences.empty());
}

BOOST_AUTO_TEST_SUITE_END()
