#include "base/utf8.hpp"

#include <cstdint>

namespace quadrille {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// What the second byte of a sequence may be (RFC 3629, section 4).
bool is_second(std::uint8_t lead, std::uint8_t second) {
  const std::uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= least && second <= most;
}

}  // namespace

std::size_t utf8_sequence_bytes(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t count = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < count || !is_second(lead, byte_at(text, 1))) return 0;
  for (std::size_t at = 2; at < count; ++at)
    if ((byte_at(text, at) & 0xC0) != 0x80) return 0;
  return count;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = utf8_sequence_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

}  // namespace quadrille
