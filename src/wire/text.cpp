#include "wire/text.hpp"

#include "base/utf8.hpp"

namespace quadrille::wire {
namespace {

// `sequence` is one whole character in UTF-8.
bool is_control(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7F;
  return lead == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;  // C1: U+0080 to U+009F
}

bool all_of(std::string_view text, bool (*allowed)(std::string_view)) {
  while (!text.empty()) {
    const std::size_t count = utf8_sequence_bytes(text);
    if (count == 0 || !allowed(text.substr(0, count))) return false;
    text.remove_prefix(count);
  }
  return true;
}

bool in_line(std::string_view sequence) {
  return !is_control(sequence);
}

bool in_lines(std::string_view sequence) {
  return sequence == "\n" || sequence == "\r" || sequence == "\t" || in_line(sequence);
}

}  // namespace

bool is_line(std::string_view text) {
  return all_of(text, in_line);
}

bool is_lines(std::string_view text) {
  return all_of(text, in_lines);
}

std::string fitting_line(std::string_view text, std::size_t bytes_max) {
  std::string line;
  while (!text.empty()) {
    const std::size_t count = utf8_sequence_bytes(text);
    const bool kept = count != 0 && in_line(text.substr(0, count));
    const std::string_view next = kept ? text.substr(0, count) : "?";
    if (line.size() + next.size() > bytes_max) break;
    line += next;
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return line;
}

}  // namespace quadrille::wire
