#include "node/run/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace quadrille::node {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// What the second byte of a sequence may be (RFC 3629, section 4): overlong forms, surrogates and
// what lies beyond the last character are none.
bool is_second(std::uint8_t lead, std::uint8_t second) {
  const std::uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= least && second <= most;
}

// Bytes of the UTF-8 sequence that `text` begins with, 0 where it is none.
std::size_t sequence_bytes(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t count = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < count || !is_second(lead, byte_at(text, 1))) return 0;
  for (std::size_t at = 2; at < count; ++at)
    if ((byte_at(text, at) & 0xC0) != 0x80) return 0;
  return count;
}

// U+0000 to U+001F, U+007F to U+009F, and the separators U+2028 and U+2029.
bool is_control(std::string_view sequence) {
  if (sequence.size() == 1) return byte_at(sequence, 0) < 0x20 || sequence[0] == 0x7F;
  if (sequence.size() == 2) return byte_at(sequence, 0) == 0xC2 && byte_at(sequence, 1) < 0xA0;
  return sequence == "\u2028" || sequence == "\u2029";
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t count = sequence_bytes(text);
    const std::string_view sequence = text.substr(0, count == 0 ? 1 : count);
    text.remove_prefix(sequence.size());
    if (count > 0 && !is_control(sequence)) {
      out += sequence;
      continue;
    }
    for (std::size_t at = 0; at < sequence.size(); ++at)
      out.append(
          {'\\', 'x', digits[byte_at(sequence, at) >> 4], digits[byte_at(sequence, at) & 15]});
  }
  return out;
}

}  // namespace quadrille::node
