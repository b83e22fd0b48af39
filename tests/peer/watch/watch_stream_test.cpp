// A watcher sees the whole once and then what changes, in bounded bytes, however slowly it reads.
#include "peer/watch/watch_stream.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(watch_stream)

namespace {

constexpr StreamId stream{4};
constexpr TimePoint start{1000s};
constexpr PeerId watched{9, 9};

Payload sheet_of(std::size_t bytes) {
  return std::make_shared<const ByteBuffer>(bytes, std::byte{7});
}

// The watched peer and its one watcher, who decodes all that it is sent.
struct Scene {
  RecordPool pool;
  View view;
  StatusBoard statuses{watched};
  EventRing events;
  TimePoint now = start;
  std::optional<WatchStream> watch;
  WatchOutput out;

  // What the watcher was sent.
  std::vector<std::string> order;
  std::map<PeerId, wire::WatchedMember> members;
  std::map<CellIndex, wire::CellStatus> cells;
  std::vector<wire::WatchEvent> heard;
  std::size_t bytes = 0;  // of members, statuses, events and chunks
  std::size_t infos = 0, sheets_begun = 0, chunk_bytes = 0;

  void add_member(std::uint64_t number, MemberState state = MemberState::Alive) {
    const PeerId id{number, number};
    Member member{.id = id, .incarnation = 1, .record = nullptr, .standing = {state, now}};
    if (is_live(state)) {
      wire::PeerRecord record;
      record.id = id;
      record.incarnation = 1;
      record.name = "peer";
      record.endpoints = {
          wire::Endpoint::v4(0x0A000000U + static_cast<std::uint32_t>(number), 7746)};
      const auto interned = pool.intern(wire::encode(record));
      BOOST_REQUIRE(interned.has_value());
      member.record = *interned;
    }
    view.put(member);
  }
  void set_status(std::uint32_t cell, std::uint32_t sequence) {
    const wire::CellStatus status{
        .cell = {cell}, .owner = {1, 1}, .sequence = sequence, .round = sequence};
    BOOST_REQUIRE(statuses.merge(status, now));
  }
  void note_changes() {
    const std::vector<CellIndex> changed = statuses.take_changed();
    watch->note_statuses(changed);
  }
  void add_event(const std::string& text) {
    events.add({.unix_milliseconds = 5,
                .kind = wire::EventKind::Notice,
                .peer = {},
                .cell = {},
                .text = text});
  }
  WatchStream::Sight sight() const { return {view, statuses, events}; }
  void begin() {
    statuses.set_watched(true);
    watch.emplace(
        stream, wire::WatchBegin{.run = {1, 2}, .watched = watched, .run_name = "run", .grid = {}},
        sight(), now, out);
    read();
  }
  void credit(std::uint64_t count) {
    receive(wire::FrameType::Credit, wire::encode(wire::Credit{.bytes = count}));
  }
  void receive(wire::FrameType type, const ByteBuffer& body) {
    watch->on_frame({.header = {.type = type}, .body = body}, out);
    read();
  }
  void wish(std::uint32_t request, wire::ObjectKind kind = wire::ObjectKind::Sheet) {
    receive(wire::FrameType::ObjectRequest,
            wire::encode(wire::ObjectRequest{.request = request, .kind = kind, .cell = {3}}));
  }
  void give(std::uint32_t request, const Payload& sheet) {
    watch->on_sheet(request, {.index = 8}, sheet, out);
    read();
  }
  void tick() {
    now = std::max(now, watch->wake_at());
    watch->on_time(sight(), now, out);
    read();
  }
  void read() {
    for (const OutFrame& frame : out.frames) read(frame);
    out.frames.clear();
  }
  void note(const std::string& what, const OutFrame& frame) {
    order.push_back(what);
    bytes += frame.body.size();
  }
  void read(const OutFrame& frame) {
    BOOST_TEST((frame.stream == stream));
    BOOST_TEST(frame.body.size() + frame.tail_bytes <= *wire::body_bytes_max(frame.type));
    bytes += frame.tail_bytes;
    switch (frame.type) {
      case wire::FrameType::WatchBegin:
        order.emplace_back("begin");
        break;
      case wire::FrameType::WatchMembers: {
        note("members", frame);
        const wire::WatchMembers message = wire::decode_watch_members(frame.body).value();
        for (const auto& member : message.members) members[member.id] = member;
        break;
      }
      case wire::FrameType::WatchStatuses: {
        note("statuses", frame);
        const wire::WatchStatuses message = wire::decode_watch_statuses(frame.body).value();
        for (const auto& status : message.statuses) cells[status.cell] = status;
        break;
      }
      case wire::FrameType::WatchEvents: {
        note("events", frame);
        const wire::WatchEvents message = wire::decode_watch_events(frame.body).value();
        heard.insert(heard.end(), message.events.begin(), message.events.end());
        break;
      }
      case wire::FrameType::ObjectInfo:
        BOOST_TEST(!wire::decode_object_info(frame.body)->found);
        ++infos;
        break;
      case wire::FrameType::ObjectBegin:
        ++sheets_begun;
        break;
      case wire::FrameType::Chunk:
        chunk_bytes += frame.tail_bytes;
        break;
      default:
        BOOST_ERROR("a frame that no watcher is sent");
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_whole_is_sent_once_and_in_order, Scene) {
  add_member(1);
  add_member(2, MemberState::Suspect);
  add_member(3, MemberState::Dead);
  set_status(5, 1);
  add_event("before");
  now = now + 7s;
  begin();
  credit(1 << 20);
  BOOST_TEST(order == std::vector<std::string>{"begin"});
  tick();
  BOOST_TEST(order == (std::vector<std::string>{"begin", "members", "statuses", "events"}));
  BOOST_TEST(members.size() == 2U);
  BOOST_TEST((members[{2, 2}].state == wire::MemberState::Suspect));
  BOOST_TEST(members[(PeerId{1, 1})].since_seconds == 7U);
  BOOST_TEST(members[(PeerId{1, 1})].record.size() > 0U);
  BOOST_TEST(cells[{5}].age_seconds == 7U);
  BOOST_TEST(heard.at(0).text == "before");
  tick();
  BOOST_TEST(order.size() == 4U);
}

BOOST_FIXTURE_TEST_CASE(only_what_changed_follows, Scene) {
  add_member(1);
  add_member(2);
  set_status(5, 1);
  set_status(6, 1);
  begin();
  credit(1 << 20);
  tick();
  members.clear();
  cells.clear();
  add_member(2, MemberState::Dead);
  watch->note_member({2, 2});
  set_status(6, 2);
  set_status(6, 3);
  note_changes();
  add_event("it died");
  tick();
  BOOST_TEST(members.size() == 1U);
  BOOST_TEST((members[{2, 2}].state == wire::MemberState::Dead));
  BOOST_TEST(members[(PeerId{2, 2})].record.empty());
  BOOST_TEST(cells.size() == 1U);
  BOOST_TEST(cells[{6}].round == 3U);
  BOOST_TEST(heard.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(frames_come_once_an_interval_however_often_time_is_told, Scene) {
  begin();
  credit(1 << 20);
  tick();
  set_status(5, 1);
  note_changes();
  watch->on_time(sight(), now + 200ms, out);
  read();
  BOOST_TEST(cells.empty());
  BOOST_TEST((watch->wake_at() == now + WatchStream::interval));
  tick();
  BOOST_TEST(cells.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(nothing_is_sent_without_credit_and_never_more_than_that, Scene) {
  for (std::uint64_t i = 1; i <= 300; ++i) add_member(i);
  for (std::uint32_t i = 0; i < 300; ++i) set_status(i, 1);
  begin();
  tick();
  BOOST_TEST(bytes == 0U);
  std::size_t given = 0;
  for (int i = 0; i < 200 && (members.size() < 300 || cells.size() < 300); ++i) {
    credit(2000);
    given += 2000;
    tick();
    BOOST_TEST(bytes <= given);
  }
  BOOST_TEST(members.size() == 300U);
  BOOST_TEST(cells.size() == 300U);
}

BOOST_FIXTURE_TEST_CASE(a_large_view_comes_in_bounded_pieces, Scene) {
  for (std::uint64_t i = 1; i <= 5000; ++i) add_member(i);
  for (std::uint32_t i = 0; i < 5000; ++i) set_status(i, 1);
  begin();
  credit(8 << 20);
  for (int i = 0; i < 20; ++i) {
    const std::size_t before = bytes;
    tick();
    BOOST_TEST(bytes - before <= WatchStream::bytes_per_interval_max);
  }
  BOOST_TEST(members.size() == 5000U);
  BOOST_TEST(cells.size() == 5000U);
}

BOOST_FIXTURE_TEST_CASE(a_slow_watcher_gets_the_latest_and_a_gap, Scene) {
  begin();
  for (std::uint32_t i = 1; i <= 2 * EventRing::events_max; ++i) {
    set_status(5, i);
    note_changes();
    add_event(std::to_string(i));
  }
  credit(8 << 20);
  for (int i = 0; i < 100; ++i) tick();
  BOOST_TEST(cells[{5}].round == 2 * EventRing::events_max);
  BOOST_TEST(std::ranges::count(order, "statuses") == 1);
  BOOST_REQUIRE(heard.size() == EventRing::events_max);
  BOOST_TEST(heard.front().sequence == EventRing::events_max + 1);
  BOOST_TEST(std::ranges::count(order, "events") ==
             static_cast<std::ptrdiff_t>(EventRing::events_max / WatchStream::events_max));
}

BOOST_FIXTURE_TEST_CASE(a_watcher_that_reads_nothing_is_hung_up, Scene) {
  begin();
  for (int i = 0; i < 1000; ++i) tick();  // nothing waits: it may be as quiet as it likes
  BOOST_TEST(out.hang_ups.empty());
  add_member(1);
  watch->note_member({1, 1});
  tick();
  const TimePoint since = now;
  while (out.hang_ups.empty() && now < since + 100s) tick();
  BOOST_TEST((now == since + WatchStream::patience));
  BOOST_TEST((out.hang_ups == std::vector<StreamId>{stream}));
}

BOOST_FIXTURE_TEST_CASE(a_little_credit_buys_more_patience, Scene) {
  add_member(1);
  begin();
  for (int i = 0; i < 1000; ++i) {
    if (i % 200 == 0) credit(1);
    tick();
  }
  BOOST_TEST(out.hang_ups.empty());
}

BOOST_FIXTURE_TEST_CASE(too_many_members_to_hear_of_are_the_end, Scene) {
  begin();
  for (std::uint64_t i = 0; i <= wire::members_max; ++i) watch->note_member({i, 1});
  credit(1 << 20);
  tick();  // none of them is in the view any more: they are passed over
  BOOST_TEST(out.hang_ups.empty());
  for (std::uint64_t i = 0; i <= wire::members_max; ++i) {
    add_member(i + 1);
    watch->note_member({i + 1, i + 1});
  }
  BOOST_TEST(out.hang_ups.empty());
  for (std::uint64_t i = 0; i <= wire::members_max; ++i) watch->note_member({i, 2});
  tick();
  BOOST_TEST(out.hang_ups.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_grid_that_grew_is_told_by_another_beginning, Scene) {
  begin();
  watch->begin_again({.run = {1, 2},
                      .watched = watched,
                      .run_name = "run",
                      .grid = {.epoch = 1, .rows = 3, .columns = 2},
                      .column_stride = 4},
                     out);
  read();
  BOOST_TEST(std::ranges::count(order, "begin") == 2);
}

BOOST_FIXTURE_TEST_CASE(a_sheet_is_wished_for_fetched_and_relayed, Scene) {
  begin();
  credit(100'000);
  wish(1);
  BOOST_REQUIRE(out.wishes.size() == 1U);
  BOOST_TEST((out.wishes[0].cell == CellIndex{3}));
  give(1, sheet_of(50'000));
  BOOST_TEST(sheets_begun == 1U);
  BOOST_TEST(chunk_bytes == 50'000U);
  give(1, sheet_of(50'000));  // nobody waits for it any more
  BOOST_TEST(sheets_begun == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_sheet_and_the_view_share_the_credit, Scene) {
  begin();
  wish(1);
  give(1, sheet_of(50'000));
  BOOST_TEST(chunk_bytes == 0U);
  credit(40'000);
  BOOST_TEST(chunk_bytes <= 40'000U);
  BOOST_TEST(chunk_bytes > 0U);
  set_status(5, 1);
  note_changes();
  tick();
  BOOST_TEST(cells.empty());
  credit(20'000);
  tick();
  BOOST_TEST(chunk_bytes == 50'000U);
  BOOST_TEST(cells.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_sheet_that_is_not_to_be_had_is_said_so, Scene) {
  begin();
  credit(1 << 20);
  wish(1);
  give(1, nullptr);
  BOOST_TEST(infos == 1U);
  wish(2);
  give(2, sheet_of(wire::sheet_bytes_max + 1));
  BOOST_TEST(infos == 2U);
  wish(3, wire::ObjectKind::State);  // a watcher is no member
  BOOST_TEST(infos == 3U);
  BOOST_TEST(out.wishes.size() == 2U);
  BOOST_TEST(out.offences.empty());
}

BOOST_FIXTURE_TEST_CASE(no_more_than_so_many_sheets_are_on_their_way, Scene) {
  begin();
  for (std::uint32_t i = 0; i < wire::sheet_requests_max; ++i) wish(i);
  give(0, sheet_of(1000));  // arrived here, and not yet there
  wish(10);
  BOOST_TEST(out.wishes.size() == wire::sheet_requests_max);
  BOOST_TEST(infos == 1U);
  credit(100'000);
  wish(11);
  BOOST_TEST(out.wishes.size() == wire::sheet_requests_max + 1);
}

BOOST_FIXTURE_TEST_CASE(who_goes_on_asking_for_sheets_commits_an_offence, Scene) {
  begin();
  for (std::uint32_t i = 0; i < wire::sheet_requests_max + wire::sheet_refusals_max; ++i) wish(i);
  BOOST_TEST(out.offences.empty());
  wish(1000);
  BOOST_TEST(out.offences.size() == 1U);
  BOOST_TEST(out.hang_ups.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_no_watcher_sends_is_an_offence) {
  const std::vector<std::pair<wire::FrameType, ByteBuffer>> forged = {
      {wire::FrameType::Credit, ByteBuffer(40)},
      {wire::FrameType::Credit, wire::encode(wire::Credit{.bytes = UINT64_MAX})},
      {wire::FrameType::ObjectRequest, ByteBuffer(40)},
      {wire::FrameType::ObjectQuery, wire::encode(wire::ObjectQuery{})},
      {wire::FrameType::WatchEvents, wire::encode(wire::WatchEvents{})},
  };
  for (const auto& [type, body] : forged) {
    BOOST_TEST_CONTEXT("frame type " << static_cast<int>(type)) {
      Scene scene;
      scene.begin();
      scene.receive(type, body);
      BOOST_TEST(scene.out.offences.size() == 1U);
      BOOST_TEST(scene.out.hang_ups.size() == 1U);
    }
  }
  Scene scene;
  scene.begin();
  scene.wish(1);
  scene.wish(1);
  BOOST_TEST(scene.out.offences.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
