#include "fuzz/frames_case.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "wire/frame.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"

namespace quadrille::fuzz {
namespace {

struct Transcript {
  std::vector<ByteBuffer> frames;  // header and body, as they would be sent
  std::optional<Error> error;
  std::uint64_t unknown_frames = 0;

  bool operator==(const Transcript&) const = default;
};

ByteBuffer as_sent(const wire::Frame& frame) {
  return wire::encode_frame(frame.header.type, frame.header.sequence, frame.body);
}

Transcript read(Bytes stream, std::size_t piece_bytes, unsigned how) {
  wire::FrameReader reader((how & 1) != 0 ? wire::StreamEnd::Dialler : wire::StreamEnd::Listener);
  if ((how & 2) != 0) reader.open();
  Transcript transcript;
  while (!stream.empty() && !transcript.error) {
    Bytes piece = stream.first(std::min(piece_bytes, stream.size()));
    stream = stream.subspan(piece.size());
    while (true) {
      const auto taken = reader.take(piece);
      if (!taken) transcript.error = taken.error();
      if (!taken || !*taken) break;
      transcript.frames.push_back(as_sent(**taken));
      reader.open();
    }
    CHECK(transcript.error || piece.empty(), piece.size());
  }
  transcript.unknown_frames = reader.unknown_frames();
  return transcript;
}

void mend(ByteBuffer& stream) {
  std::uint32_t sequence = 0;
  for (std::size_t at = 0; at + wire::frame_header_bytes <= stream.size();) {
    std::byte* head = stream.data() + at;
    const auto body_bytes = wire::load_little<std::uint32_t>(head + 8);
    const ByteBuffer good = wire::encode_frame_header(wire::FrameType::Credit, sequence++, 0);
    std::copy_n(good.begin(), 4, head);
    std::copy_n(good.begin() + 6, 2, head + 6);
    std::copy_n(good.begin() + 12, 4, head + 12);
    at += wire::frame_header_bytes + body_bytes;
  }
}

}  // namespace

void frames_case(Bytes input) {
  if (input.empty()) return;
  const auto how = std::to_integer<unsigned>(input[0]);
  ByteBuffer stream(input.begin() + 1, input.end());
  if ((how & 4) != 0) mend(stream);
  const Transcript whole = read(stream, stream.size(), how);
  CHECK(read(stream, 1, how) == whole);
  CHECK(read(stream, (how >> 3U) + 1, how) == whole);
}

}  // namespace quadrille::fuzz
