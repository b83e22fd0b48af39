// Text as a terminal may be shown it: on one line, without a byte that it would obey.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::node {

// Control characters, line separators and what is no UTF-8 become "\x1b", byte by byte. A path can
// hold any of them, and what is said of it stays one line.
std::string printable(std::string_view text);

// The text with what is longer than any word of a person's, such as a path of thousands of letters,
// cut in its middle: "aaaa...aaaa".
std::string with_short_words(std::string_view text);

}  // namespace quadrille::node
