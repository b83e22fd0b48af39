// The protocol, told to a newcomer: each case is a story of one peer, and its golden file reads
// like a conversation.
#include <boost/test/unit_test.hpp>

#include "base/hash.hpp"
#include "peer/stage.hpp"
#include "peer/stories.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer::test {
BOOST_AUTO_TEST_SUITE(transcripts)

namespace {

using namespace std::chrono_literals;
using enum wire::FrameType;
using wire::UpdateKind;

// As many as a small view has.
wire::StateEnd all_buckets() {
  return {std::vector<bool>(wire::digest_buckets_min, true)};
}

// The peer has opened a stream to compare views, and gets the whole of the partner's.
void give_view(Stage& stage, const Partner& seed, std::vector<wire::Update> updates) {
  const StreamId stream = stage.accept(seed);
  stage.frame(stream, State, wire::State{.updates = std::move(updates)});
  stage.frame(stream, StateEnd, all_buckets());
}

// An object that was asked for, in one chunk.
void send_object(Stage& stage, StreamId stream, std::uint32_t request, Round round) {
  const Payload object = payload_of(64);
  stage.frame(stream, ObjectBegin,
              wire::ObjectBegin{.request = request,
                                .transfer = request,
                                .round = round,
                                .bytes = object->size(),
                                .checksum = hash_of(*object)});
  stage.chunk(stream, request, *object);
}

// What the peer asked on this stream, as its requests' numbers.
std::vector<std::uint32_t> questions(const Stage& stage, StreamId stream) {
  std::vector<std::uint32_t> requests;
  for (const Stage::SentFrame& frame : stage.frames(stream))
    if (frame.type == ObjectQuery)
      requests.push_back(wire::decode_object_query(frame.body)->request);
  BOOST_REQUIRE_EQUAL(requests.size(), 2U);
  return requests;
}

PayloadEncoded encoded(std::uint64_t from, std::uint64_t to, Round round) {
  return {.edge = {.source = cell0, .reader = cell1},
          .round = round,
          .base_version = from,
          .base_checksum = from == 0 ? 0 : 0xC0DE + from,
          .version = to,
          .checksum = 0xC0DE + to,
          .payload = payload_of(from == 0 ? 400 : 100)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_newcomer_joins_by_a_seed_and_claims_what_is_vacant) {
  Stage stage(options_of(grid_of(1, 2), 1, {address(2)}));
  Partner seed = partner(2);
  stage.comment("# A newcomer, peer-1, knows one address, and asks there who is in the run.");
  stage.comment("# peer-2 trains cell 0 of two; cell 1 is vacant.");
  stage.enter(seed);
  stage.start();
  give_view(stage, seed, {seed.claims(0, 1, 1)});
  stage.comment(
      "\n# It can hold one cell. When the view was quiet for a second it claims cell 1, and");
  stage.comment("# asks the neighbour how far it is, and what it holds of cell 1.");
  stage.run_for(1500ms);
  const StreamId object = stage.accept(seed);
  const std::vector<std::uint32_t> requests = questions(stage, object);
  stage.frame(object, ObjectInfo,
              wire::ObjectInfo{.request = requests[0], .found = true, .round = {7}});
  stage.frame(object, ObjectInfo, wire::ObjectInfo{.request = requests[1]});
  stage.comment("\n# Nobody has anything of cell 1, so it begins afresh. Then it reads cell 0.");
  stage.report(CellStarted{.cell = cell1, .round = {}, .neighbours = {cell0}}, "cell 1 started");
  stage.accept(seed);
  check_golden("join", stage.text());
}

BOOST_AUTO_TEST_CASE(a_probe_that_fails_leads_to_suspicion_and_then_to_death) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  const Partner helper = partner(2);
  const Partner silent = partner(3);
  const Partner third = partner(4);
  stage.hide();
  stage.start();
  for (const Partner* each : {&helper, &silent, &third}) meet(stage, *each);
  stage.run_for(3s);
  stage.show();
  stage.comment(
      "# peer-1 pings one member a second. peer-2 and peer-4 answer, which is not shown;");
  stage.comment(
      "# peer-3 has just crashed. Half a second after a ping that it does not answer, others");
  stage.comment("# are asked to ping it, and a stream is tried.");
  stage.exit(silent);
  const auto request = await<wire::PingRequest>(stage, helper);
  stage.comment(
      "\n# Neither the stream nor the others reach it. When the second is over, it is suspected.");
  stage.refuse(silent);
  stage.say(helper, wire::Nack{.sequence = request.sequence});
  stage.say(third, wire::Nack{.sequence = request.sequence});
  stage.run_for(1s);
  stage.comment(
      "\n# Others had no answer either. The more say so, the shorter peer-3 has to refute.");
  for (const Partner* each : {&helper, &third})
    stage.say(*each, wire::Gossip{}, {each->accuses(UpdateKind::Suspect, silent.id(), 1000)});
  stage.comment(
      "\n# Four seconds after it was suspected it is dead here. It may only have been out of");
  stage.comment("# reach: for a while gossip goes to it, too.");
  stage.run_for(6s);
  check_golden("probe_fails", stage.text());
}

BOOST_AUTO_TEST_CASE(a_suspicion_of_itself_is_refuted) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  const Partner accuser = partner(2);
  stage.hide();
  stage.start();
  meet(stage, accuser);
  stage.run_for(1s);
  stage.show();
  stage.comment(
      "# peer-2 suspects peer-1, of incarnation 1000. peer-1 lives, and says so: with an");
  stage.comment("# incarnation that is one larger.");
  const PeerId self = stage.peer().id();
  stage.say(accuser, wire::Gossip{}, {accuser.accuses(UpdateKind::Suspect, self, 1000)});
  stage.run_for(1s);
  stage.comment("\n# A rumour of the old one is answered to its face, and counts for nothing.");
  stage.say(accuser, wire::Gossip{}, {accuser.accuses(UpdateKind::Dead, self, 1000)});
  check_golden("refutation", stage.text());
}

BOOST_AUTO_TEST_CASE(the_cell_of_a_crashed_peer_is_adopted_from_a_neighbours_snapshot) {
  Stage stage(options_of(grid_of(1, 3), 2, {}));
  Partner crashed = partner(2);
  Partner neighbour = partner(3);
  crashed.claims(1, 1, 1);
  neighbour.claims(2, 1, 1);
  stage.hide();
  stage.start();
  meet(stage, crashed);
  meet(stage, neighbour);
  train(stage, {cell0}, {cell2});
  const StreamId reads = stage.accept(neighbour);
  stage.frame(reads, PayloadBegin,
              wire::PayloadBegin{.edge = {.source = cell2, .reader = cell0},
                                 .transfer = 1,
                                 .round = {42},
                                 .version = 1,
                                 .bytes = 64});
  stage.chunk(reads, 1, *payload_of(64));
  stage.run_for(1s);
  stage.show();
  stage.comment(
      "# A ring of three cells: peer-1 trains cell 0, peer-2 cell 1, peer-3 cell 2. peer-2");
  stage.comment("# has crashed; peer-3 found it first.");
  stage.exit(crashed);
  stage.say(neighbour, wire::Gossip{},
            {neighbour.accuses(UpdateKind::Suspect, crashed.id(), 1000)});
  stage.hide();
  stage.run_for(3s);
  stage.show();
  stage.comment("\n# It is: cell 1 is vacant.");
  stage.say(neighbour, wire::Gossip{}, {neighbour.accuses(UpdateKind::Dead, crashed.id(), 1000)});
  stage.comment(
      "\n# For three seconds nothing else changes. Who is to take the cell follows from the");
  stage.comment("# view: peer-1, which has room. It asks its neighbours what they hold of it.");
  stage.run_for(3500ms);
  const StreamId object = stage.accept(neighbour);
  const std::vector<std::uint32_t> requests = questions(stage, object);
  stage.comment("\n# peer-3 is in round 42 itself, and holds what cell 1 published in round 41.");
  stage.frame(object, ObjectInfo,
              wire::ObjectInfo{.request = requests[0], .found = true, .round = {42}});
  stage.frame(object, ObjectInfo,
              wire::ObjectInfo{.request = requests[1], .found = true, .round = {41}});
  const Stage::SentFrame asked = stage.frames(object).back();
  BOOST_REQUIRE(asked.type == ObjectRequest);
  send_object(stage, object, wire::decode_object_request(asked.body)->request, {41});
  stage.report(CellStarted{.cell = cell1, .round = {42}, .neighbours = {cell0}}, "cell 1 started");
  check_golden("crash", stage.text());
}

BOOST_AUTO_TEST_CASE(a_donor_hands_a_cell_over_with_its_state) {
  Stage stage(options_of(grid_of(1, 2), 2, {}));
  Partner taker = partner(2);
  stage.hide();
  stage.start();
  train(stage, {cell0, cell1}, {});
  meet(stage, taker);
  stage.show();
  stage.comment("# peer-1 trains both cells. peer-2 has none, and asks for one.");
  stage.say(taker, wire::YieldRequest{.sequence = 1, .cells_held = 0});
  stage.comment(
      "\n# peer-1's record yields cell 0 to peer-2 and to nobody else; peer-2 fetches its state.");
  const StreamId stream = stage.dial(taker, wire::StreamPurpose::Object);
  stage.frame(stream, Credit, wire::Credit{.bytes = 1000});
  stage.frame(stream, ObjectRequest,
              wire::ObjectRequest{
                  .request = 1, .kind = wire::ObjectKind::State, .cell = cell0, .hand_over = true});
  stage.run_for(50ms);
  const auto save = stage.last_command<SaveState>();
  stage.report(
      ObjectReady{.request = save.request, .cell = cell0, .round = {9}, .payload = payload_of(64)},
      "the state of cell 0 at round 9");
  stage.run_for(50ms);
  stage.comment("\n# peer-2 claims it. A claim wins over one that is yielded, and peer-1 lets go.");
  stage.say(taker, wire::Gossip{}, {taker.claims(0, 1, 5)});
  stage.run_for(300ms);
  check_golden("hand_over_donor", stage.text());
}

BOOST_AUTO_TEST_CASE(a_taker_asks_for_a_cell_starts_it_from_its_state_and_claims_it) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner donor = partner(2, 2);
  donor.claims(0, 2, 1);
  stage.hide();
  stage.start();
  meet(stage, donor);
  stage.show();
  stage.comment(
      "# peer-2 trains both cells; peer-1 has none. When nobody has come or gone for three");
  stage.comment("# seconds, it asks for one.");
  const auto request = await<wire::YieldRequest>(stage, donor);
  stage.say(donor, wire::YieldReply{.sequence = request.sequence, .granted = true},
            {yields_cell0(stage, donor)});
  const StreamId stream = stage.accept(donor);
  send_object(stage, stream, 1, {9});
  stage.comment("\n# It claims the cell once that trains, and not before.");
  stage.report(CellStarted{.cell = cell0, .round = {9}, .neighbours = {cell1}}, "cell 0 started");
  stage.run_for(300ms);
  stage.comment("\n# The donor has seen the claim.");
  const wire::Update given = donor.revise([](wire::PeerRecord& own) {
    own.yields = {};
    own.claims = {{.first = 1, .count = 1, .stamp = 1}};
  });
  stage.say(donor, wire::Gossip{}, {given});
  check_golden("hand_over_taker", stage.text());
}

BOOST_AUTO_TEST_CASE(a_source_goes_on_with_differences_after_a_broken_stream) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner reader = partner(2);
  const wire::EdgeId edge{.source = cell0, .reader = cell1};
  reader.claims(1, 1, 1);
  stage.hide();
  stage.start();
  meet(stage, reader);
  train(stage, {cell0}, {});
  stage.show();
  stage.comment(
      "# peer-2 trains cell 1 and reads cell 0, which peer-1 trains. It holds nothing of it.");
  StreamId stream = stage.dial(reader, wire::StreamPurpose::Exchange);
  stage.frame(stream, Credit, wire::Credit{.bytes = 100000});
  stage.frame(stream, Subscribe, wire::Subscribe{.edge = edge, .degree = 1});
  stage.comment("\n# The first payload is a keyframe.");
  stage.report(CellPublished{.cell = cell0, .round = {1}}, "cell 0 published round 1");
  stage.report(encoded(0, 1, {1}), "a keyframe of 400 bytes");
  stage.frame(stream, PayloadApplied, wire::PayloadApplied{.edge = edge, .version = 1});
  stage.comment(
      "\n# Then differences, each against what the reader has acknowledged. Round 3 comes while");
  stage.comment("# round 2 is on its way: it waits.");
  stage.report(CellPublished{.cell = cell0, .round = {2}}, "cell 0 published round 2");
  stage.report(encoded(1, 2, {2}), "a difference of 100 bytes");
  stage.report(CellPublished{.cell = cell0, .round = {3}}, "cell 0 published round 3");
  stage.comment(
      "\n# The stream breaks before the reader answers. It dials again, and says what it holds:");
  stage.comment("# the difference is sent once more, and no keyframe.");
  stage.hang_up(stream);
  stream = stage.dial(reader, wire::StreamPurpose::Exchange);
  stage.frame(stream, Credit, wire::Credit{.bytes = 100000});
  stage.frame(stream, Subscribe,
              wire::Subscribe{.edge = edge, .version = 1, .checksum = 0xC0DE + 1, .degree = 1});
  stage.frame(stream, PayloadApplied, wire::PayloadApplied{.edge = edge, .version = 2});
  stage.report(encoded(2, 3, {3}), "a difference of 100 bytes");
  check_golden("edge_source", stage.text());
}

BOOST_AUTO_TEST_CASE(a_reader_says_what_it_holds_when_it_dials_again) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner source = partner(2);
  const wire::EdgeId edge{.source = cell1, .reader = cell0};
  source.claims(1, 1, 1);
  stage.hide();
  stage.start();
  meet(stage, source);
  stage.run_for(1500ms);
  stage.refuse(source);  // who is asked about cell 0
  stage.show();
  stage.comment("# peer-1 begins to train cell 0, which reads cell 1 of peer-2.");
  stage.report(CellStarted{.cell = cell0, .round = {}, .neighbours = {cell1}}, "cell 0 started");
  StreamId stream = stage.accept(source);
  const auto begin = [&](std::uint64_t base, std::uint64_t version, std::size_t bytes) {
    return wire::PayloadBegin{.edge = edge,
                              .transfer = static_cast<std::uint32_t>(version),
                              .round = {version},
                              .degree = 1,
                              .base_version = base,
                              .base_checksum = base == 0 ? 0 : 0xC0DE + base,
                              .version = version,
                              .bytes = bytes};
  };
  const auto taken = [&](std::uint64_t version) {
    return PayloadTaken{
        .edge = edge, .round = {version}, .version = version, .checksum = 0xC0DE + version};
  };
  stage.frame(stream, PayloadBegin, begin(0, 1, 400));
  stage.chunk(stream, 1, *payload_of(400));
  stage.report(taken(1), "version 1 is applied");
  stage.comment("\n# The cell asks for whatever is newest, and is advanced with round 1.");
  stage.report(CellNeeds{.need = {.cell = cell0, .newest = true}}, "cell 0 needs the newest");
  stage.comment("\n# A difference is half here when the stream breaks.");
  stage.frame(stream, PayloadBegin, begin(1, 2, 100));
  stage.chunk(stream, 2, *payload_of(50));
  stage.hang_up(stream);
  stage.run_for(2s);
  stage.comment("\n# Version 1 is still held: the difference fits.");
  stream = stage.accept(source);
  stage.frame(stream, PayloadBegin, begin(1, 2, 100));
  stage.chunk(stream, 2, *payload_of(100));
  stage.report(taken(2), "version 2 is applied");
  check_golden("edge_reader", stage.text());
}

BOOST_AUTO_TEST_CASE(a_peer_that_leaves_hands_its_cells_over_first) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner heir = partner(2, 2);
  heir.claims(1, 1, 1);
  stage.hide();
  stage.start();
  meet(stage, heir);
  train(stage, {cell0}, {});
  stage.show();
  stage.comment("# peer-1 trains cell 0 and is asked to leave. peer-2 could hold both cells.");
  stage.leave();
  stage.run_for(50ms);
  const StreamId stream = stage.dial(heir, wire::StreamPurpose::Object);
  stage.frame(stream, Credit, wire::Credit{.bytes = 1000});
  stage.frame(stream, ObjectRequest,
              wire::ObjectRequest{
                  .request = 1, .kind = wire::ObjectKind::State, .cell = cell0, .hand_over = true});
  const auto save = stage.last_command<SaveState>();
  stage.report(
      ObjectReady{.request = save.request, .cell = cell0, .round = {9}, .payload = payload_of(64)},
      "the state of cell 0 at round 9");
  stage.comment("\n# The cell is in good hands. It says goodbye to everybody, and goes.");
  const wire::Update claims = heir.revise([](wire::PeerRecord& own) {
    own.claims = {{.first = 0, .count = 1, .stamp = 5}, {.first = 1, .count = 1, .stamp = 1}};
  });
  stage.say(heir, wire::Gossip{}, {claims});
  stage.run_for(5s);
  check_golden("leaving", stage.text());
}

BOOST_AUTO_TEST_CASE(peers_of_another_run_and_of_another_version_are_refused) {
  Stage stage(options_of(grid_of(1, 1), 0, {address(2)}));
  Partner seed = partner(2);
  Partner stranger = partner(3);
  seed.run = stranger.run = {.high = 0x0D, .low = 0xD5};
  stage.comment("# The seed that peer-1 was given trains another run, and says so.");
  stage.start();
  stage.run_for(100ms);
  const StreamId stream = stage.connect(seed);
  stage.frame(stream, Refusal,
              wire::Refusal{.reason = wire::RefusalReason::OtherRun,
                            .text = "this peer trains run 0d, not 51",
                            .run = seed.run});
  stage.comment("\n# A stranger of that run comes to peer-1.");
  stage.dial(stranger, wire::StreamPurpose::Sync);
  stage.comment("\n# So does one of a later version of the protocol.");
  wire::Hello later = partner(4).hello(wire::StreamPurpose::Sync);
  later.version_min = 2;
  later.version_max = 3;
  stage.dial(address(4), later);
  stage.comment(
      "\n# A datagram of another run is not even answered: two runs may share a network.");
  stage.say(stranger, wire::Ping{.sequence = 1, .target = stage.peer().id()});
  check_golden("refused", stage.text());
}

BOOST_AUTO_TEST_CASE(who_sends_garbage_is_ignored_for_a_minute) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  const Partner offender = partner(2);
  const wire::Ping ping{.sequence = 1, .target = stage.peer().id()};
  stage.hide();
  stage.start();
  stage.show();
  stage.comment(
      "# Eight datagrams within a minute that are none: the first seven are only counted.");
  ByteBuffer garbage = offender.datagram(wire::Gossip{});
  garbage.resize(40);
  for (int i = 0; i < 7; ++i) stage.datagram(offender.endpoint(), garbage, "garbage");
  stage.say(offender, ping);
  stage.datagram(offender.endpoint(), garbage, "garbage");
  stage.comment("\n# From now on nothing from there is read, and its streams are closed.");
  stage.say(offender, ping);
  stage.dial(offender, wire::StreamPurpose::Probe);
  stage.run_for(61s);
  stage.comment("\n# A minute later it is heard again.");
  stage.say(offender, ping);
  check_golden("garbage", stage.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::peer::test
