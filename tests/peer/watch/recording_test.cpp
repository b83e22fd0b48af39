// What was recorded is read again; what was not is refused; version 1 stays what it is.
// QUADRILLE_REWRITE_GOLDEN=1 writes the golden file anew; the commit then says why it changed.
#include "peer/watch/recording.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "wire/limits.hpp"
#include "wire/watch_messages.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(recording)

namespace {

const std::string golden_path = QUADRILLE_SOURCE_DIR "/tests/golden/peer/recording_v1.bin";
constexpr RecordingHeader header{.run = {0x0102030405060708, 0x1112131415161718},
                                 .start_unix_milliseconds = 1'750'000'000'123};

void append(ByteBuffer& to, const ByteBuffer& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

wire::WatchEvents one_event() {
  return {{{.sequence = 3,
            .unix_milliseconds = 1'750'000'000'623,
            .kind = wire::EventKind::CellAdopted,
            .peer = {5, 6},
            .cell = CellIndex{7},
            .text = "cell 7 went on at 33"}}};
}

// A beginning, a status half a second later, and an event at the same time.
ByteBuffer example() {
  ByteBuffer bytes = RecordingWriter::header(header);
  RecordingWriter writer;
  const wire::WatchBegin begin{.run = header.run,
                               .watched = {1, 2},
                               .run_name = "ring",
                               .grid = {.epoch = 0, .rows = 2, .columns = 3},
                               .column_stride = 3};
  append(bytes, writer.entry(0s, wire::FrameType::WatchBegin, wire::encode(begin)));
  const wire::WatchStatuses statuses{{{.cell = {4},
                                       .owner = {1, 2},
                                       .sequence = 9,
                                       .round = 33,
                                       .generator_fitness = 0.5F,
                                       .discriminator_fitness = -1.25F,
                                       .score = 2,
                                       .age_seconds = 1,
                                       .device = wire::DeviceKind::Cpu,
                                       .phase = wire::CellPhase::Training}}};
  append(bytes, writer.entry(500ms, wire::FrameType::WatchStatuses, wire::encode(statuses)));
  append(bytes, writer.entry(500ms, wire::FrameType::WatchEvents, wire::encode(one_event())));
  return bytes;
}

struct Read {
  std::size_t entries = 0;
  bool is_cut_off = false;
  std::optional<ErrorCode> error;
};

Read read_all(Bytes bytes) {
  Read read;
  auto reader = RecordingReader::open(bytes);
  if (!reader) return {.error = reader.error().code};
  while (true) {
    const auto entry = reader->next();
    if (!entry) read.error = entry.error().code;
    if (!entry || !*entry) break;
    ++read.entries;
  }
  read.is_cut_off = reader->is_cut_off();
  return read;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_written_is_read_with_its_times) {
  const ByteBuffer bytes = example();
  auto reader = RecordingReader::open(bytes);
  BOOST_REQUIRE(reader.has_value());
  BOOST_TEST((reader->header() == header));
  BOOST_TEST(((**reader->next()).type == wire::FrameType::WatchBegin));
  BOOST_TEST(((**reader->next()).since_start == Duration(500ms)));
  const auto last = *reader->next();
  BOOST_REQUIRE(last.has_value());
  BOOST_TEST((wire::decode_watch_events(last->body).value() == one_event()));
  BOOST_TEST(!(*reader->next()).has_value());
  BOOST_TEST(!reader->is_cut_off());
}

BOOST_AUTO_TEST_CASE(version_1_is_read_for_ever_and_still_written_so) {
  if (std::getenv("QUADRILLE_REWRITE_GOLDEN") != nullptr) {
    const ByteBuffer bytes = example();
    std::ofstream(golden_path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::ifstream file(golden_path, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(file, golden_path << " cannot be read");
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const Bytes golden = std::as_bytes(std::span(content));
  BOOST_TEST((ByteBuffer(golden.begin(), golden.end()) == example()));
  BOOST_TEST(read_all(golden).entries == 3U);
}

BOOST_AUTO_TEST_CASE(a_recording_that_was_cut_off_is_read_up_to_there) {
  const ByteBuffer whole = example();
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    const Read read = read_all(Bytes(whole).first(bytes));
    BOOST_TEST_CONTEXT(bytes << " bytes") {
      BOOST_TEST(read.error.has_value() == (bytes < recording_header_bytes));
      BOOST_TEST(read.entries <= 3U);
      BOOST_TEST((read.entries == 3U) == (bytes == whole.size()));
      if (bytes == whole.size() || bytes == recording_header_bytes) BOOST_TEST(!read.is_cut_off);
      if (bytes == whole.size() - 1) BOOST_TEST(read.is_cut_off);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_recording_is_refused_with_the_reason) {
  ByteBuffer bytes = example();
  bytes[0] = std::byte{'X'};
  BOOST_TEST((read_all(bytes).error == ErrorCode::Corrupt));
  bytes = example();
  bytes[4] = std::byte{2};
  const auto later = RecordingReader::open(bytes);
  BOOST_REQUIRE(!later.has_value());
  BOOST_TEST((later.error().code == ErrorCode::Mismatch));
  BOOST_TEST(later.error().detail == "this recording has version 2; this program reads version 1");
}

BOOST_AUTO_TEST_CASE(time_does_not_go_back) {
  ByteBuffer bytes = example();
  bytes[recording_header_bytes] = std::byte{0xFF};
  bytes[recording_header_bytes + 5] = std::byte{0xFF};
  BOOST_TEST((read_all(bytes).error == ErrorCode::Corrupt));
  bytes = example();
  bytes[recording_header_bytes + 7] = std::byte{0xFF};  // beyond what a Duration holds
  BOOST_TEST((read_all(bytes).error == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_CASE(entries_of_later_types_are_passed_over) {
  ByteBuffer bytes = RecordingWriter::header(header);
  RecordingWriter writer;
  append(bytes, writer.entry(1s, wire::FrameType::WatchEvents, wire::encode(one_event())));
  const std::size_t second = bytes.size();
  append(bytes, writer.entry(2s, wire::FrameType::WatchEvents, wire::encode(one_event())));
  append(bytes, writer.entry(3s, wire::FrameType::WatchEvents, wire::encode(one_event())));
  bytes[second + recording_time_bytes + 4] = std::byte{200};
  const Read read = read_all(bytes);
  BOOST_TEST(read.entries == 2U);
  BOOST_TEST(!read.error.has_value());
}

BOOST_AUTO_TEST_CASE(an_entry_that_claims_too_much_or_is_missing_is_refused) {
  ByteBuffer bytes = example();
  const std::size_t frame = recording_header_bytes + recording_time_bytes;
  bytes[frame + 11] = std::byte{0x7F};  // a body of 2 GB
  BOOST_TEST((read_all(bytes).error == ErrorCode::Limit));
  bytes = example();
  bytes[frame + 12] = std::byte{1};  // the first frame has number 1
  BOOST_TEST((read_all(bytes).error == ErrorCode::Corrupt));
}

// Every byte changed in turn: an error or a reading, and never more entries than there were.
BOOST_AUTO_TEST_CASE(damage_anywhere_is_survived) {
  const ByteBuffer whole = example();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      ByteBuffer damaged = whole;
      damaged[at] ^= static_cast<std::byte>(change);
      BOOST_TEST(read_all(damaged).entries <= 3U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
