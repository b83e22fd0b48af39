#include "fuzz/recording_case.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "peer/watch/recording.hpp"
#include "wire/little_endian.hpp"

namespace quadrille::fuzz {
namespace {

using peer::RecordingReader;

struct Entry {
  Duration since_start{};
  wire::FrameType type{};
  ByteBuffer body;
  bool operator==(const Entry&) const = default;
};

struct Story {
  std::vector<Entry> entries;
  std::optional<Error> error;
  bool is_cut_off = false;
};

Story read(Bytes recording) {
  Story story;
  auto reader = RecordingReader::open(recording);
  if (!reader) {
    story.error = reader.error();
    return story;
  }
  while (true) {
    const auto entry = reader->next();
    if (!entry) story.error = entry.error();
    if (!entry || !*entry) break;
    story.entries.push_back({.since_start = (*entry)->since_start,
                             .type = (*entry)->type,
                             .body = ByteBuffer((*entry)->body.begin(), (*entry)->body.end())});
  }
  story.is_cut_off = reader->is_cut_off();
  return story;
}

// What a fuzzer would seldom keep.
void mend(ByteBuffer& recording) {
  if (recording.size() < peer::recording_header_bytes) return;
  const ByteBuffer header = peer::RecordingWriter::header({});
  std::copy_n(header.begin(), 8, recording.begin());
  std::uint32_t sequence = 0;
  for (std::size_t at = peer::recording_header_bytes;
       at + peer::recording_time_bytes + wire::frame_header_bytes <= recording.size();) {
    std::byte* head = recording.data() + at + peer::recording_time_bytes;
    const auto body_bytes = wire::load_little<std::uint32_t>(head + 8);
    const ByteBuffer good = wire::encode_frame_header(wire::FrameType::Credit, sequence++, 0);
    std::copy_n(good.begin(), 4, head);
    std::copy_n(good.begin() + 6, 2, head + 6);
    std::copy_n(good.begin() + 12, 4, head + 12);
    at += peer::recording_time_bytes + wire::frame_header_bytes + body_bytes;
  }
}

// Everything that was read, written and read once more.
void check_rewritten(const std::vector<Entry>& entries) {
  peer::RecordingWriter writer;
  ByteBuffer written = peer::RecordingWriter::header({});
  for (const Entry& entry : entries) {
    const ByteBuffer bytes = writer.entry(entry.since_start, entry.type, entry.body);
    written.insert(written.end(), bytes.begin(), bytes.end());
  }
  const Story again = read(written);
  CHECK(!again.error && !again.is_cut_off);
  CHECK(again.entries == entries);
}

}  // namespace

void recording_case(Bytes input) {
  if (input.empty()) return;
  const auto how = std::to_integer<std::size_t>(input[0]);
  ByteBuffer recording(input.begin() + 1, input.end());
  if ((how & 1U) != 0) mend(recording);
  const Story whole = read(recording);
  check_rewritten(whole.entries);
  const Story cut = read(Bytes(recording).first(recording.size() * (how >> 1U) / 128));
  CHECK(cut.entries.size() <= whole.entries.size());
  CHECK(std::ranges::equal(cut.entries, std::span(whole.entries).first(cut.entries.size())));
}

}  // namespace quadrille::fuzz
