// The worked example of schemas/README.md is what the code writes.
#include <boost/test/unit_test.hpp>
#include <regex>
#include <sstream>

#include "base/hex.hpp"
#include "support/scratch_directory.hpp"
#include "wire/datagram.hpp"

using namespace quadrille;
using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(worked_example)

namespace {

// All lines like "    0010  10 32 54 ..." of a page, as one string of hex digits.
std::string hex_dump_in(const std::string& page) {
  const std::regex line("    ([0-9a-f]{4}) ((?: [0-9a-f]{2}){1,16})");
  std::istringstream lines(page);
  std::string text;
  std::string digits;
  while (std::getline(lines, text)) {
    std::smatch match;
    if (!std::regex_match(text, match, line)) continue;
    BOOST_TEST(std::stoul(match[1], nullptr, 16) == digits.size() / 2);
    for (const char character : match[2].str())
      if (character != ' ') digits += character;
  }
  return digits;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_ping_of_the_page_is_what_is_sent) {
  const Datagram ping{.run = {.high = 0x0123456789ABCDEF, .low = 0xFEDCBA9876543210},
                      .sender = {.high = 0xA11CE, .low = 1},
                      .incarnation = 1'700'000'000'000,
                      .message = Ping{.sequence = 77, .target = {.high = 0xB0B, .low = 2}}};
  const std::string page = quadrille::test::contents_of(QUADRILLE_SOURCE_DIR "/schemas/README.md");
  BOOST_TEST(hex_text(encode(ping)) == hex_dump_in(page));
}

BOOST_AUTO_TEST_SUITE_END()
