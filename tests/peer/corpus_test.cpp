// Replays the fuzzers' corpora of a whole peer and of recordings. Their first inputs are written by
// QUADRILLE_REWRITE_CORPUS=1: conversations that go well, as fuzz/peer_case.hpp reads them.
#include "support/corpus.hpp"

#include <cstdlib>
#include <initializer_list>
#include <span>

#include "fuzz/fuzzed_input.hpp"
#include "fuzz/peer_case.hpp"
#include "fuzz/recording_case.hpp"
#include "peer/watch/recording.hpp"
#include "wire/session_messages.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer {
BOOST_AUTO_TEST_SUITE(corpora)

namespace {

void put_input(const std::string& name, const std::string& content) {
  quadrille::test::put_contents(QUADRILLE_SOURCE_DIR "/tests/fuzz/corpus/" + name, content);
}

// An input for fuzz::peer_case(), event by event.
class Script {
 public:
  explicit Script(int situation) { add({situation}); }

  Script& time(int log2_milliseconds) { return add({0, log2_milliseconds}); }
  Script& meet(int partner, int capacity, int claims, int version = 1) {
    return add({2, partner - 1, 0, 1}).alive(partner, capacity, claims, version);
  }
  Script& say(int partner, int message) { return add({2, partner - 1, message, 0}); }
  Script& accuse(int partner, int kind, int subject) {
    return add({2, partner - 1, 0, 1, what(kind, subject), partner});
  }
  Script& tell_status(int partner, int cell) {
    return add({2, partner - 1, 0, 64, partner | 8, cell, 3, 0});
  }
  Script& dial(int partner, wire::StreamPurpose purpose) {
    return add({5, place(partner - 1, 5, static_cast<int>(purpose)), 0, 20});
  }
  Script& accept() { return add({6, 0, 0, 255}); }
  Script& refuse() { return add({6, 0, 3}); }
  Script& frame(int stream, int type, std::initializer_list<int> body) {
    return add({7, stream, type}).add(body).add({9});
  }
  Script& hang_up(int stream) { return add({10, stream}); }
  Script& answer(int count, int twist = 4) {
    for (int i = 0; i < count; ++i) add({9, 0, twist});
    return *this;
  }
  Script& tell(int kind) { return add({9, 3 + 4 * kind, 0}); }
  Script& leave() { return add({11, 255}); }

  void put(const std::string& name) const { put_input("peer/" + name, bytes_); }

 private:
  Script& add(std::initializer_list<int> bytes) {
    for (const int byte : bytes) bytes_.push_back(static_cast<char>(byte));
    return *this;
  }
  Script& alive(int partner, int capacity, int claims, int version) {
    return add({what(1, partner), capacity * 16, version, claims});
  }
  // A byte that is `low` modulo `modulus`, and of whose eighths `high` is the number.
  static int place(int low, int modulus, int high) {
    int byte = 8 * high;
    while (byte % modulus != low) ++byte;
    return byte;
  }
  static int what(int kind, int subject) { return place(kind, 5, subject); }

  std::string bytes_;
};

// The types of frames by their place in peer_case.cpp.
enum Type {
  Digest,
  State,
  StateEnd,
  Subscribe,
  Unsubscribe,
  PayloadBegin,
  Chunk,
  Credit,
  Applied,
  Refused,
  Query,
  Info,
  Request,
  Begin
};

constexpr int alone = 4;   // room for four cells, no seed
constexpr int seeded = 8;  // a seed at partner 1
constexpr int stored = 16;
constexpr int synchronous = 32;

// It has claimed the cells that partner 1 has not, and trains them.
Script training(int situation, int claims_of_other) {
  return Script(situation).meet(1, 2, claims_of_other).time(12).refuse().time(12).answer(4);
}

void write_beginnings() {
  Script(alone).time(12).answer(4).tell(0).tell(1).tell(2).answer(8).time(10).put("alone");
  Script(alone | synchronous).time(12).answer(4).tell(0).tell(2).answer(8).put("synchronous");
  Script(alone | stored).time(12).answer(4).tell(0).answer(4).put("restored");
  Script(seeded | 2)
      .accept()
      .frame(0, State, {1, 9, 32, 1, 3})
      .frame(0, StateEnd, {0})
      .time(12)
      .accept()
      .answer(2)
      .put("join");
  Script(seeded | 2).refuse().time(10).refuse().time(10).put("no-seed");
}

void write_members() {
  Script(0).meet(1, 0, 0).meet(2, 0, 0).meet(3, 0, 0).time(13).refuse().time(13).time(13).put(
      "probes");
  Script(0).meet(1, 0, 0).time(9).say(1, 11).say(1, 1).say(1, 34).say(1, 5).time(8).put("pings");
  Script(0).meet(1, 0, 0).accuse(1, 2, 0).time(9).accuse(1, 3, 0).put("accused");
  Script(4)
      .meet(1, 2, 1)
      .meet(2, 2, 2)
      .time(12)
      .accuse(1, 2, 2)
      .time(12)
      .accuse(1, 3, 2)
      .time(12)
      .accept()
      .answer(4)
      .time(12)
      .put("adoption");
  Script(2 | stored)
      .meet(1, 0, 0)
      .meet(2, 2, 15)
      .meet(3, 2, 0)
      .time(14)
      .accept()
      .time(14)
      .put("spare");
}

void write_edges() {
  using enum wire::StreamPurpose;
  training(alone, 1)
      .dial(1, Exchange)
      .frame(0, Credit, {20})
      .frame(0, Subscribe, {1, 3, 0})
      .tell(0)
      .answer(2)
      .frame(0, Applied, {1, 3, 1})
      .tell(0)
      .answer(2)
      .put("source");
  training(alone, 1).accept().frame(0, PayloadBegin, {0, 1, 1, 0, 1, 5, 50}).put("reader-begins");
  training(alone, 1)
      .accept()
      .frame(0, PayloadBegin, {0, 1, 1, 0, 1, 5, 50})
      .frame(0, Chunk, {1, 0, 50})
      .answer(1)
      .frame(0, PayloadBegin, {0, 1, 2, 1, 2, 6, 9})
      .frame(0, Chunk, {2, 0, 9})
      .answer(1)
      .hang_up(0)
      .time(11)
      .accept()
      .put("reader");
  training(alone, 0).tell(5).tell(3).tell(7).answer(4).time(12).put("cells-speak");
}

void write_handovers() {
  using enum wire::StreamPurpose;
  training(alone, 0)
      .meet(2, 1, 0)
      .say(2, 6)
      .time(8)
      .dial(2, Object)
      .frame(0, Credit, {20})
      .frame(0, Request, {1, 2, 0, 0})
      .answer(1)
      .meet(2, 1, 1, 2)
      .time(9)
      .put("donor");
  Script(1).meet(1, 4, 15).time(12).say(1, 23).put("asks");
  training(alone, 1)
      .leave()
      .time(12)
      .dial(1, Object)
      .frame(0, Credit, {20})
      .frame(0, Request, {1, 2, 1, 0})
      .answer(1)
      .meet(1, 2, 3, 2)
      .time(13)
      .put("leaves");
}

void write_streams() {
  using enum wire::StreamPurpose;
  training(alone, 1)
      .dial(3, Watch)
      .frame(0, Credit, {20})
      .time(9)
      .tell(4)
      .tell(6)
      .tell_status(1, 0)
      .time(9)
      .frame(0, Request, {1, 3, 1, 1})
      .answer(1)
      .time(9)
      .put("watcher");
  training(alone, 1)
      .dial(3, Watch)
      .frame(0, Credit, {20})
      .frame(0, Request, {1, 3, 0, 1})
      .accept()
      .frame(1, Begin, {1, 3, 9, 1, 5})
      .frame(1, Chunk, {1, 0, 9})
      .put("relayed");
  Script(0)
      .dial(2, Sync)
      .frame(0, Digest, {1})
      .frame(0, State, {1, 17, 32, 1, 3})
      .frame(0, StateEnd, {0})
      .time(9)
      .put("sync-served");
  Script(0).dial(2, RunSpec).dial(2, Probe).dial(2, Unknown).put("greetings");
  Script(0).dial(2, Object).frame(0, Query, {1, 1, 1}).frame(0, Query, {2, 2, 1}).put("queries");
}

void write_conversations() {
  write_beginnings();
  write_members();
  write_edges();
  write_handovers();
  write_streams();
}

void write_recordings() {
  const RecordingHeader header{.run = fuzz::fuzzed_run, .start_unix_milliseconds = 1};
  RecordingWriter writer;
  ByteBuffer bytes = RecordingWriter::header(header);
  const auto store = [&](const std::string& name, int how) {
    std::string content(1, static_cast<char>(how));
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    put_input("recording/" + name, content);
  };
  const auto append = [&](int seconds, wire::FrameType type, const ByteBuffer& body) {
    const ByteBuffer entry = writer.entry(std::chrono::seconds(seconds), type, body);
    bytes.insert(bytes.end(), entry.begin(), entry.end());
  };
  store("header", 254);
  append(0, wire::FrameType::WatchBegin, wire::encode(wire::WatchBegin{.run_name = "fuzz"}));
  store("begin", 254);
  append(1, wire::FrameType::WatchMembers, wire::encode(wire::WatchMembers{{{.id = {1, 2}}}}));
  store("members", 254);
  store("members-cut", 200);
  append(1, wire::FrameType::WatchStatuses, wire::encode(wire::WatchStatuses{{{.cell = {1}}}}));
  store("statuses", 254);
  append(2, wire::FrameType::WatchEvents, wire::encode(wire::WatchEvents{{{.text = "hello"}}}));
  store("events", 255);
  store("events-cut", 100);
  append(2, wire::FrameType::Credit, {});
  store("empty-body", 254);
  bytes[bytes.size() - 12] = std::byte{200};
  store("unknown-type", 254);
  bytes[recording_header_bytes] = std::byte{7};
  store("time-goes-back", 254);
  bytes[0] = std::byte{0};
  store("no-magic", 254);
  store("mended", 255);
}

template <auto run_case>
void run(const std::string& content) {
  run_case(bytes_of(std::span<const char>(content)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_peer_survives_every_play_of_the_corpus) {
  if (std::getenv("QUADRILLE_REWRITE_CORPUS") != nullptr) write_conversations();
  quadrille::test::replay_corpus("peer", run<fuzz::peer_case>);
}

BOOST_AUTO_TEST_CASE(every_recording_of_the_corpus_is_read_or_refused) {
  if (std::getenv("QUADRILLE_REWRITE_CORPUS") != nullptr) write_recordings();
  quadrille::test::replay_corpus("recording", run<fuzz::recording_case>);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::peer
