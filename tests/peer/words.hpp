// What a part of a peer wants done, as words that a test can be read by.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace quadrille::peer::test {

struct Words : std::vector<std::string> {
  using std::vector<std::string>::vector;
};
inline std::ostream& operator<<(std::ostream& out, const Words& words) {
  for (const std::string& word : words) out << '[' << word << ']';
  return out;
}

}  // namespace quadrille::peer::test
