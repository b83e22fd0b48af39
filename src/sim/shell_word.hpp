// A word as a POSIX shell is given it, so that a command line that is told can be pasted.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::sim {

// As it is where the shell reads nothing into it, else in quotes: "'a b'", "''" when empty.
std::string shell_word(std::string_view word);

}  // namespace quadrille::sim
