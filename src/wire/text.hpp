// Text that came from somebody else and is shown to people: UTF-8, without the control characters
// that could rewrite a terminal or forge a line of a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quadrille::wire {

// UTF-8 without control characters (C0, DEL, C1): it stays on one line.
bool is_line(std::string_view text);
// The same, but it may have tabs and line ends.
bool is_lines(std::string_view text);

// The nearest text that is_line() and has `bytes_max` bytes at most: cut at the end, and '?' for
// every byte that may not be there. For texts of our own that may quote what others wrote.
std::string fitting_line(std::string_view text, std::size_t bytes_max);

}  // namespace quadrille::wire
