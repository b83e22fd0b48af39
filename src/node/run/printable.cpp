#include "node/run/printable.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hex.hpp"
#include "base/utf8.hpp"

namespace quadrille::node {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// U+0000 to U+001F, U+007F to U+009F, and the separators U+2028 and U+2029.
bool is_control(std::string_view sequence) {
  if (sequence.size() == 1) return byte_at(sequence, 0) < 0x20 || sequence[0] == 0x7F;
  if (sequence.size() == 2) return byte_at(sequence, 0) == 0xC2 && byte_at(sequence, 1) < 0xA0;
  return sequence == "\u2028" || sequence == "\u2029";
}

constexpr std::size_t word_bytes_max = 512;
constexpr std::size_t shown_begin_bytes = 160;
constexpr std::size_t shown_end_bytes = 64;

bool is_within_sequence(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

std::string short_word(std::string_view word) {
  if (word.size() <= word_bytes_max) return std::string(word);
  std::size_t begin = shown_begin_bytes;
  while (begin > 0 && is_within_sequence(word[begin])) --begin;
  std::size_t end = word.size() - shown_end_bytes;
  while (end < word.size() && is_within_sequence(word[end])) ++end;
  return std::string(word.substr(0, begin)).append("...").append(word.substr(end));
}

}  // namespace

std::string with_short_words(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t space = text.find(' ');
    out += short_word(text.substr(0, space));
    if (space == std::string_view::npos) return out;
    out += ' ';
    text.remove_prefix(space + 1);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t count = utf8_sequence_bytes(text);
    const std::string_view sequence = text.substr(0, count == 0 ? 1 : count);
    text.remove_prefix(sequence.size());
    if (count > 0 && !is_control(sequence)) {
      out += sequence;
      continue;
    }
    for (const char byte : sequence) out += "\\x" + hex_text(bytes_of(std::span(&byte, 1)));
  }
  return out;
}

}  // namespace quadrille::node
