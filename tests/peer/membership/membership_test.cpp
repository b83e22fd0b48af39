// Conversations, each a few lines: what comes in, what goes out.
#include "peer/membership/membership.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "peer/membership/sample_records.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::StreamPurpose;
using wire::Update;
using wire::UpdateKind;

BOOST_AUTO_TEST_SUITE(membership)

namespace {

constexpr RunId run{.high = 5, .low = 6};

// Peer 1, which knows the seeds given, and is 100 s into its life.
struct Talk {
  explicit Talk(std::vector<std::uint32_t> seeds = {}, std::uint64_t seed = 1)
      : membership({}, self(seeds), pool, RandomStream(stream_key(seed, "talk", 0))) {
    membership.start(now, out);
  }
  static Membership::Self self(const std::vector<std::uint32_t>& seeds) {
    Membership::Self self{.run = run, .record = record_of(1), .seeds = {}};
    for (const std::uint32_t seed : seeds) self.seeds.push_back(endpoint_of(seed));
    return self;
  }

  void hear(std::uint32_t sender, wire::Message message, std::vector<Update> updates = {}) {
    const wire::Datagram datagram{.run = run,
                                  .sender = id_of(sender),
                                  .incarnation = 100,
                                  .message = std::move(message),
                                  .updates = std::move(updates),
                                  .statuses = {}};
    membership.on_datagram(endpoint_of(sender), datagram, now, out);
  }
  // Peers 2 to `last` are there, and nothing that was said about it is left.
  void know(std::uint32_t last) {
    for (std::uint32_t number = 2; number <= last; ++number)
      hear(number, wire::Gossip{}, {alive(number)});
    membership.on_sync_done(std::nullopt);
    out = {};
  }
  void pass(Duration time) {
    const TimePoint end = now + time;
    while (membership.wake_at() <= end) {
      now = std::max(now, membership.wake_at());
      membership.on_time(now, out);
    }
    now = end;
  }
  // Lets time pass until a ping is sent, and says to whom.
  wire::Ping next_ping() {
    for (;;) {
      out = {};
      now = std::max(now, membership.wake_at());
      membership.on_time(now, out);
      const auto pings = sent<wire::Ping>();
      if (!pings.empty()) return std::get<wire::Ping>(pings[0].datagram.message);
    }
  }
  template <class Message>
  std::vector<MembershipOutput::Sending> sent() const {
    std::vector<MembershipOutput::Sending> found;
    for (const auto& sending : out.datagrams)
      if (std::holds_alternative<Message>(sending.datagram.message)) found.push_back(sending);
    return found;
  }
  bool told(std::uint32_t to, UpdateKind kind, std::uint32_t subject) const {
    return std::ranges::any_of(out.datagrams, [&](const auto& sending) {
      return sending.to == endpoint_of(to) &&
             std::ranges::any_of(sending.datagram.updates, [&](const Update& update) {
               return update.kind == kind && update.subject == id_of(subject);
             });
    });
  }
  std::size_t dialled(StreamPurpose purpose) const {
    return static_cast<std::size_t>(
        std::ranges::count(out.dials, purpose, &MembershipOutput::Dial::purpose));
  }
  MemberState state(std::uint32_t number) const {
    BOOST_REQUIRE(membership.view().find(id_of(number)) != nullptr);
    return membership.view().find(id_of(number))->state();
  }

  RecordPool pool;
  MembershipOutput out;
  TimePoint now = at(seconds(100));
  Membership membership;
};

std::uint32_t number_of(PeerId id) {
  return static_cast<std::uint32_t>(id.low);
}

}  // namespace

// --- Joining ---

BOOST_AUTO_TEST_CASE(a_peer_without_other_seeds_has_joined_when_it_starts) {
  Talk talk;
  BOOST_TEST(talk.membership.joined());
  BOOST_TEST(Talk({1}).membership.joined());
  BOOST_REQUIRE_EQUAL(talk.out.changes.size(), 1u);
  BOOST_TEST((talk.out.changes[0].after == talk.membership.self()));
}

BOOST_AUTO_TEST_CASE(a_newcomer_dials_its_seeds_until_one_has_given_it_the_view) {
  Talk talk({7, 8});
  BOOST_TEST(!talk.membership.joined());
  BOOST_REQUIRE_EQUAL(talk.out.dials.size(), 1u);
  BOOST_TEST(!talk.out.dials[0].expected.has_value());
  const wire::Endpoint first = talk.out.dials[0].to;
  talk.out = {};
  talk.membership.on_sync_failed(first, talk.now);
  talk.pass(seconds(1));
  BOOST_REQUIRE_EQUAL(talk.out.dials.size(), 1u);
  BOOST_TEST(talk.out.dials[0].to != first);
  talk.out = {};
  talk.membership.merge({.updates = {alive(7), alive(8)}}, talk.now, talk.out);
  talk.membership.on_sync_done(std::nullopt);
  BOOST_TEST(talk.membership.joined());
  BOOST_TEST(talk.membership.view().live_count() == 3u);
}

BOOST_AUTO_TEST_CASE(a_newcomer_whose_view_is_level_with_a_members_has_joined) {
  Talk talk({7, 8});
  talk.hear(2, wire::Gossip{}, {alive(2)});  // it dialled this peer, and has levelled the views
  talk.hear(2, wire::CompareViews{.view_hash = 1, .is_answer = false});
  BOOST_TEST(!talk.membership.joined());
  const std::uint64_t hash = talk.membership.view().hash();
  talk.hear(9, wire::CompareViews{.view_hash = hash, .is_answer = false});  // a stranger
  BOOST_TEST(!talk.membership.joined());
  talk.hear(2, wire::CompareViews{.view_hash = hash, .is_answer = false});
  BOOST_TEST(talk.membership.joined());
}

// --- Who is spoken to ---

BOOST_AUTO_TEST_CASE(a_datagram_of_another_run_or_of_itself_changes_nothing) {
  Talk talk;
  talk.out = {};
  wire::Datagram datagram{.run = {.high = 1, .low = 1},
                          .sender = id_of(2),
                          .incarnation = 100,
                          .message = wire::Ping{.sequence = 1, .target = id_of(1)},
                          .updates = {alive(2)},
                          .statuses = {}};
  talk.membership.on_datagram(endpoint_of(2), datagram, talk.now, talk.out);
  datagram.run = run;
  datagram.sender = id_of(1);
  talk.membership.on_datagram(endpoint_of(2), datagram, talk.now, talk.out);
  BOOST_TEST(talk.out.datagrams.empty());
  BOOST_TEST(talk.membership.view().members().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_ping_is_answered_and_one_for_a_former_process_is_not) {
  Talk talk;
  talk.know(3);
  talk.hear(2, wire::Ping{.sequence = 9, .target = id_of(1)});
  BOOST_REQUIRE_EQUAL(talk.sent<wire::Ack>().size(), 1u);
  const auto& answer = talk.out.datagrams[0];
  BOOST_TEST(answer.to == endpoint_of(2));
  BOOST_TEST((answer.datagram.message == wire::Message(wire::Ack{.sequence = 9})));
  BOOST_TEST((answer.datagram.run == run));
  BOOST_TEST(answer.datagram.incarnation == 100u);
  talk.out = {};
  talk.hear(2, wire::Ping{.sequence = 9, .target = id_of(77)});
  BOOST_TEST(talk.out.datagrams.empty());
}

BOOST_AUTO_TEST_CASE(a_stranger_that_speaks_is_asked_for_its_view_and_not_again_at_once) {
  Talk talk;
  talk.know(3);
  talk.hear(9, wire::Gossip{});
  talk.hear(9, wire::Gossip{});
  BOOST_REQUIRE_EQUAL(talk.dialled(StreamPurpose::Sync), 1u);
  BOOST_TEST(talk.out.dials[0].to == endpoint_of(9));
  BOOST_TEST(talk.out.dials[0].expected.value() == id_of(9));
}

BOOST_AUTO_TEST_CASE(who_is_held_to_have_left_hears_so_to_its_face) {
  Talk talk;
  talk.know(5);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Left, 3)});
  talk.out = {};
  talk.hear(3, wire::Gossip{});
  BOOST_TEST(talk.told(3, UpdateKind::Left, 3));
}

BOOST_AUTO_TEST_CASE(a_live_member_that_a_stranger_says_has_left_is_told_so) {
  Talk talk;
  talk.know(5);
  talk.hear(9, wire::Gossip{}, {said(UpdateKind::Left, 3)});
  BOOST_TEST(int(talk.state(3)) == int(MemberState::Suspect));
  BOOST_TEST(talk.told(3, UpdateKind::Suspect, 3));
}

BOOST_AUTO_TEST_CASE(a_suspect_and_a_dead_one_hear_to_their_face_what_is_held_against_them) {
  Talk talk;
  talk.know(5);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, 3)});
  talk.out = {};
  talk.hear(3, wire::Gossip{});
  BOOST_TEST(talk.told(3, UpdateKind::Suspect, 3));
  talk.pass(seconds(30));
  BOOST_REQUIRE(int(talk.state(3)) == int(MemberState::Dead));
  talk.out = {};
  talk.hear(3, wire::Gossip{});
  BOOST_TEST(talk.told(3, UpdateKind::Dead, 3));
}

BOOST_AUTO_TEST_CASE(replies_that_nobody_waits_for_have_a_budget) {
  Talk talk;
  talk.know(5);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, 3)});
  talk.out = {};
  for (int datagram = 0; datagram < 2000; ++datagram) talk.hear(3, wire::Gossip{});
  BOOST_TEST(talk.out.datagrams.size() == std::size_t(replies_at_once_max));
}

BOOST_AUTO_TEST_CASE(who_accuses_this_peer_hears_its_refutation_first) {
  Talk talk;
  talk.know(5);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Dead, 1)});
  BOOST_TEST(talk.told(2, UpdateKind::Alive, 1));
  BOOST_TEST(talk.out.datagrams[0].datagram.updates[0].incarnation == 101u);
  BOOST_TEST(talk.membership.awareness() == 1u);
  for (int send = 0; send < 100; ++send) talk.membership.compose(id_of(2), wire::Gossip{});
  talk.out = {};
  talk.hear(3, wire::Gossip{}, {said(UpdateKind::Dead, 1)});  // it has not heard yet
  BOOST_TEST(talk.told(3, UpdateKind::Alive, 1));
  BOOST_TEST(talk.membership.awareness() == 1u);
}

BOOST_AUTO_TEST_CASE(a_stale_word_that_a_dead_one_lives_is_answered_to_its_subject) {
  Talk talk;
  talk.know(5);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, 3)});
  talk.pass(seconds(30));
  talk.out = {};
  talk.membership.merge({.updates = {alive(3, {.incarnation = 90})}}, talk.now, talk.out);
  BOOST_TEST(talk.told(3, UpdateKind::Dead, 3));
  BOOST_TEST(int(talk.state(3)) == int(MemberState::Dead));
}

BOOST_AUTO_TEST_CASE(a_live_member_that_others_hold_dead_is_told_and_suspected) {
  Talk talk;
  talk.know(5);
  talk.membership.merge({.updates = {said(UpdateKind::Dead, 3)}}, talk.now, talk.out);
  BOOST_TEST(int(talk.state(3)) == int(MemberState::Suspect));
  BOOST_TEST(talk.told(3, UpdateKind::Suspect, 3));
}

// --- Probes ---

BOOST_AUTO_TEST_CASE(a_member_that_answers_is_well_and_so_is_this_peer) {
  Talk talk;
  talk.know(5);
  for (int probe = 0; probe < 8; ++probe) {
    const wire::Ping ping = talk.next_ping();
    talk.hear(number_of(ping.target), wire::Ack{.sequence = ping.sequence});
    talk.pass(milliseconds(900));
  }
  BOOST_TEST(talk.dialled(StreamPurpose::Probe) == 0u);
  BOOST_TEST(talk.sent<wire::PingRequest>().empty());
  BOOST_TEST(talk.membership.awareness() == 0u);
}

BOOST_AUTO_TEST_CASE(a_silent_member_is_asked_for_by_three_others_and_by_a_stream_then_suspected) {
  Talk talk;
  talk.know(6);
  const std::uint32_t target = number_of(talk.next_ping().target);
  talk.pass(milliseconds(499));
  BOOST_TEST(talk.sent<wire::PingRequest>().empty());
  talk.pass(milliseconds(1));
  const auto requests = talk.sent<wire::PingRequest>();
  BOOST_REQUIRE_EQUAL(requests.size(), 3u);
  for (const auto& request : requests) {
    const auto& message = std::get<wire::PingRequest>(request.datagram.message);
    BOOST_TEST(message.target == id_of(target));
    BOOST_TEST(message.endpoint == endpoint_of(target));
    BOOST_TEST(request.to != endpoint_of(target));
    for (std::uint32_t helper = 2; helper <= 6; ++helper)
      if (request.to == endpoint_of(helper))
        talk.hear(helper, wire::Nack{.sequence = message.sequence});
  }
  BOOST_REQUIRE_EQUAL(talk.dialled(StreamPurpose::Probe), 1u);
  BOOST_TEST(talk.out.dials[0].to == endpoint_of(target));
  talk.pass(milliseconds(499));
  BOOST_TEST(int(talk.state(target)) == int(MemberState::Alive));
  talk.pass(milliseconds(1));
  BOOST_TEST(int(talk.state(target)) == int(MemberState::Suspect));
  BOOST_TEST(talk.membership.awareness() == 0u);  // all helpers were there
}

BOOST_AUTO_TEST_CASE(a_peer_that_hears_nobody_doubts_itself_and_probes_more_slowly) {
  Talk talk;
  talk.know(30);
  talk.next_ping();
  talk.pass(seconds(1));
  BOOST_TEST(talk.membership.awareness() == 3u);  // three silent helpers
  talk.pass(seconds(20));
  BOOST_TEST(talk.membership.awareness() == 7u);
  talk.out = {};
  talk.pass(seconds(80));
  BOOST_TEST(talk.sent<wire::Ping>().size() <= 11u);
  BOOST_TEST(talk.sent<wire::Ping>().size() >= 8u);
}

BOOST_AUTO_TEST_CASE(a_member_that_answers_streams_only_is_kept_with_a_warning) {
  Talk talk;
  talk.know(6);
  const std::uint32_t target = number_of(talk.next_ping().target);
  talk.pass(milliseconds(500));
  talk.membership.on_stream_answer(id_of(target));
  talk.out.notes.clear();
  talk.pass(milliseconds(500));
  BOOST_TEST(int(talk.state(target)) == int(MemberState::Alive));
  BOOST_REQUIRE_EQUAL(talk.out.notes.size(), 1u);
  BOOST_TEST(int(talk.out.notes[0].kind) == int(wire::EventKind::Notice));
}

BOOST_AUTO_TEST_CASE(a_ping_of_a_suspect_carries_the_suspicion) {
  Talk talk;
  talk.know(3);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, 3)});
  for (int send = 0; send < 100; ++send) talk.membership.compose(id_of(2), wire::Gossip{});
  while (talk.next_ping().target != id_of(3)) talk.pass(milliseconds(900));
  BOOST_TEST(talk.told(3, UpdateKind::Suspect, 3));
}

BOOST_AUTO_TEST_CASE(a_ping_for_somebody_else_is_sent_and_its_answer_or_silence_passed_back) {
  Talk talk;
  talk.know(4);
  const wire::PingRequest request{.sequence = 50, .target = id_of(3), .endpoint = endpoint_of(99)};
  talk.hear(2, request);
  const auto pings = talk.sent<wire::Ping>();
  BOOST_REQUIRE_EQUAL(pings.size(), 1u);
  BOOST_TEST(pings[0].to == endpoint_of(3));  // where this peer knows it to be
  talk.hear(3, wire::Ack{.sequence = std::get<wire::Ping>(pings[0].datagram.message).sequence});
  BOOST_REQUIRE_EQUAL(talk.sent<wire::Ack>().size(), 1u);
  BOOST_TEST(talk.sent<wire::Ack>()[0].to == endpoint_of(2));
  BOOST_TEST((std::get<wire::Ack>(talk.sent<wire::Ack>()[0].datagram.message).sequence == 50u));
  talk.hear(2, request);
  talk.pass(milliseconds(400));
  BOOST_REQUIRE_EQUAL(talk.sent<wire::Nack>().size(), 1u);
  BOOST_TEST(talk.sent<wire::Nack>()[0].to == endpoint_of(2));
}

BOOST_AUTO_TEST_CASE(requests_to_ping_are_dropped_when_too_many_are_under_way) {
  Talk talk;
  talk.know(4);
  for (std::uint32_t request = 0; request < 1000; ++request)
    talk.hear(
        2, wire::PingRequest{.sequence = request, .target = id_of(3), .endpoint = endpoint_of(3)});
  BOOST_TEST(talk.sent<wire::Ping>().size() == relays_max);
}

BOOST_AUTO_TEST_CASE(a_peer_that_slept_concludes_nothing_and_doubts_itself) {
  Talk talk;
  talk.know(6);
  const std::uint32_t target = number_of(talk.next_ping().target);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, target == 3 ? 4 : 3)});
  talk.now = talk.now + seconds(200);
  talk.membership.on_time(talk.now, talk.out);
  BOOST_TEST(int(talk.state(target)) == int(MemberState::Alive));
  BOOST_TEST(int(talk.state(target == 3 ? 4 : 3)) == int(MemberState::Suspect));
  BOOST_TEST(talk.membership.awareness() == 1u);
  talk.pass(seconds(2));
  BOOST_TEST(int(talk.state(target == 3 ? 4 : 3)) == int(MemberState::Dead));
}

// --- Gossip ---

BOOST_AUTO_TEST_CASE(gossip_goes_to_three_distinct_others_every_200_ms) {
  Talk talk;
  talk.know(30);
  for (int round = 0; round < 50; ++round) {
    talk.out = {};
    talk.pass(milliseconds(200));
    const auto sent = talk.sent<wire::Gossip>();
    BOOST_REQUIRE_EQUAL(sent.size(), 3u);
    BOOST_TEST(sent[0].to != sent[1].to);
    BOOST_TEST(sent[1].to != sent[2].to);
    BOOST_TEST(sent[0].to != sent[2].to);
    for (const auto& sending : sent) BOOST_TEST(sending.to != endpoint_of(1));
  }
}

BOOST_AUTO_TEST_CASE(every_datagram_fits_however_much_there_is_to_say) {
  Talk talk;
  talk.know(3);
  for (std::uint32_t number = 10; number < 400; ++number) {
    wire::PeerRecord record = record_of(number);
    record.zone = std::string(number % (wire::zone_bytes_max + 1), 'z');
    for (std::uint32_t claim = 0; claim < number % (wire::claim_runs_max + 1); ++claim)
      record.claims.push_back({.first = 10 * claim, .count = 3, .stamp = number});
    talk.hear(2, wire::Gossip{}, {alive(record)});
  }
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, 3)});
  talk.hear(2, wire::PingRequest{.sequence = 1, .target = id_of(3), .endpoint = endpoint_of(3)});
  talk.pass(seconds(20));
  std::size_t full = 0;
  for (const auto& sending : talk.out.datagrams) {
    const std::size_t body_bytes = encode(sending.datagram).size() - wire::envelope_bytes;
    BOOST_REQUIRE_LE(body_bytes, wire::datagram_body_bytes_max);
    if (body_bytes > wire::datagram_body_bytes_max - 200) ++full;
  }
  BOOST_TEST(full > 100u);
}

BOOST_AUTO_TEST_CASE(claims_are_said_at_once_and_the_same_claims_are_no_news) {
  Talk talk;
  talk.know(5);
  const Membership::Claims claims{
      .runs = {{.first = 0, .count = 4, .stamp = 7}}, .yields = {}, .grid = {}};
  talk.membership.set_claims(claims, talk.now, talk.out);
  BOOST_TEST((talk.membership.wake_at() == talk.now));
  talk.membership.on_time(talk.now, talk.out);
  BOOST_TEST(talk.sent<wire::Gossip>().front().datagram.updates.front().version == 1u);
  talk.membership.set_claims(claims, talk.now, talk.out);
  BOOST_TEST(talk.membership.self()->record.version == 1u);
  talk.membership.set_leaving(talk.now, talk.out);
  talk.membership.set_leaving(talk.now, talk.out);
  BOOST_TEST(talk.membership.self()->record.version == 2u);
  BOOST_TEST(talk.membership.self()->record.leaving);
}

// --- Anti-entropy ---

BOOST_AUTO_TEST_CASE(views_that_differ_are_levelled_by_who_began_to_compare) {
  Talk talk;
  talk.know(3);
  talk.hear(2, wire::CompareViews{.view_hash = 1, .is_answer = false});
  const auto answers = talk.sent<wire::CompareViews>();
  BOOST_REQUIRE_EQUAL(answers.size(), 1u);
  const std::uint64_t own = talk.membership.view().hash();
  BOOST_TEST((answers[0].datagram.message ==
              wire::Message(wire::CompareViews{.view_hash = own, .is_answer = true})));
  BOOST_TEST(talk.out.dials.empty());
  talk.hear(2, wire::CompareViews{.view_hash = own, .is_answer = false});
  talk.hear(2, wire::CompareViews{.view_hash = own, .is_answer = true});
  BOOST_TEST(talk.sent<wire::CompareViews>().size() == 1u);
  BOOST_TEST(talk.out.dials.empty());
  talk.hear(2, wire::CompareViews{.view_hash = 1, .is_answer = true});
  BOOST_TEST(talk.dialled(StreamPurpose::Sync) == 1u);
}

BOOST_AUTO_TEST_CASE(of_one_exchange_gossip_passes_on_so_much_however_many_frames_it_has) {
  Talk talk;
  talk.know(3);
  talk.membership.begin_sync();
  for (std::uint32_t frame = 0; frame < 8; ++frame) {
    wire::State state;
    for (std::uint32_t i = 0; i < 20; ++i) state.updates.push_back(alive(100 + 20 * frame + i));
    talk.membership.merge(state, talk.now, talk.out);
  }
  talk.membership.meet(alive(99), talk.now, talk.out);  // who dials is passed on in any case
  std::set<PeerId> subjects;
  for (int datagram = 0; datagram < 2000; ++datagram)
    for (const Update& update : talk.membership.compose(id_of(2), wire::Gossip{}).updates)
      if (update.subject >= id_of(99)) subjects.insert(update.subject);
  BOOST_TEST(subjects.size() == 1 + sync_passes_on_max);
  BOOST_TEST(subjects.contains(id_of(99)));
}

BOOST_AUTO_TEST_CASE(a_stream_that_somebody_else_dialled_makes_no_room_for_one_more) {
  Talk talk;
  talk.know(3);
  const auto differs = wire::CompareViews{.view_hash = 1, .is_answer = true};
  talk.hear(2, differs);
  BOOST_REQUIRE_EQUAL(talk.dialled(StreamPurpose::Sync), 1u);
  talk.membership.on_sync_done(std::nullopt);
  talk.membership.on_sync_failed(endpoint_of(9), talk.now);  // a seed, say
  talk.now = talk.now + seconds(1);
  talk.hear(3, differs);
  BOOST_TEST(talk.dialled(StreamPurpose::Sync) == 1u);
  talk.membership.on_sync_done(endpoint_of(2));
  talk.hear(3, differs);
  BOOST_TEST(talk.dialled(StreamPurpose::Sync) == 2u);
}

BOOST_AUTO_TEST_CASE(the_dead_are_called_for_ever) {
  Talk talk;
  talk.know(2);
  talk.hear(2, wire::Gossip{}, {said(UpdateKind::Suspect, 2)});
  talk.pass(std::chrono::hours(2));
  talk.out = {};
  talk.pass(seconds(100));
  BOOST_TEST(talk.sent<wire::Gossip>().size() == 100u);
  BOOST_TEST(talk.told(2, UpdateKind::Dead, 2));
  talk.out = {};
  talk.pass(std::chrono::hours(24));
  BOOST_REQUIRE(talk.membership.view().find(id_of(2)) == nullptr);
  talk.out = {};
  talk.pass(seconds(100));
  BOOST_TEST(talk.sent<wire::Gossip>().size() == 100u);
  talk.out = {};
  talk.hear(2, wire::Gossip{}, {alive(2, {.incarnation = 101})});  // it heard, and refutes
  BOOST_TEST(talk.dialled(StreamPurpose::Sync) == 1u);
}

BOOST_AUTO_TEST_CASE(seeds_that_are_nobodys_address_are_dialled_again_and_again) {
  Talk talk({7});
  talk.know(2);
  int dials = 0;
  for (int minute = 0; minute < 60; ++minute) {
    talk.out = {};
    talk.pass(seconds(60));
    dials += static_cast<int>(talk.dialled(StreamPurpose::Sync));
    talk.membership.on_sync_failed(endpoint_of(7), talk.now);
  }
  BOOST_TEST(dials >= 60);
  talk.hear(7, wire::Gossip{}, {alive(7)});
  talk.membership.on_sync_done(std::nullopt);
  talk.out = {};
  talk.pass(milliseconds(900));
  BOOST_TEST(talk.dialled(StreamPurpose::Sync) == 0u);
}

// --- Leaving ---

BOOST_AUTO_TEST_CASE(who_leaves_says_so_for_two_seconds_and_is_gone) {
  Talk talk;
  talk.know(30);
  talk.membership.leave(talk.now, talk.out);
  talk.membership.on_time(talk.now, talk.out);
  BOOST_TEST(!talk.membership.has_left(talk.now));
  talk.pass(milliseconds(1999));
  BOOST_TEST(!talk.membership.has_left(talk.now));
  std::size_t farewells = 0;
  for (const auto& sending : talk.sent<wire::Gossip>())
    for (const Update& update : sending.datagram.updates)
      farewells += update.kind == UpdateKind::Left && update.subject == id_of(1);
  BOOST_TEST(farewells >= 8u);
  talk.pass(milliseconds(1));
  BOOST_TEST(talk.membership.has_left(talk.now));
  talk.pass(seconds(1));
  BOOST_TEST((talk.membership.wake_at() == TimePoint{Duration::max()}));
  talk.out = {};
  talk.hear(2, wire::Ping{.sequence = 1, .target = id_of(1)});
  BOOST_TEST(talk.out.datagrams.empty());
}

BOOST_AUTO_TEST_CASE(who_leaves_still_answers_pings_and_neither_refutes_nor_claims) {
  Talk talk;
  talk.know(30);
  talk.membership.leave(talk.now, talk.out);
  talk.out = {};
  talk.hear(2, wire::Ping{.sequence = 1, .target = id_of(1)}, {said(UpdateKind::Dead, 1)});
  talk.membership.set_claims({.runs = {{.first = 0}}, .yields = {}, .grid = {}}, talk.now,
                             talk.out);
  talk.membership.set_leaving(talk.now, talk.out);
  BOOST_TEST(talk.sent<wire::Ack>().size() == 1u);
  BOOST_TEST(talk.membership.self()->record.incarnation == 100u);
  BOOST_TEST(talk.membership.self()->record.version == 0u);
  BOOST_TEST(talk.out.changes.empty());
}

BOOST_AUTO_TEST_SUITE_END()
