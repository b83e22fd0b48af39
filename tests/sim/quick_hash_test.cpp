// The hash of a world's history sees every byte, their order and their number.
#include "sim/quick_hash.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

namespace quadrille::sim {
namespace {

ByteBuffer numbered(std::size_t count) {
  ByteBuffer bytes(count);
  for (std::size_t at = 0; at < count; ++at) bytes[at] = static_cast<std::byte>(at * 7);
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(history_bytes)

BOOST_AUTO_TEST_CASE(no_bit_can_be_changed_without_another_hash) {
  const ByteBuffer bytes = numbered(100);  // three blocks, and a rest
  std::set<std::uint64_t> hashes{quick_hash(bytes, 5)};
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    ByteBuffer changed = bytes;
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    hashes.insert(quick_hash(changed, 5));
  }
  BOOST_TEST(hashes.size() == 801U);
  BOOST_TEST(quick_hash(bytes, 5) == quick_hash(numbered(100), 5));
}

// One flip after the other in the topmost bits of a lane, where a product alone would lose them.
BOOST_AUTO_TEST_CASE(two_changes_do_not_cancel_each_other) {
  const ByteBuffer bytes = numbered(128);
  for (std::size_t at = 7; at + 32 < bytes.size(); at += 8) {
    ByteBuffer changed = bytes;
    changed[at] ^= std::byte{0x80};
    changed[at + 32] ^= std::byte{0x80};
    BOOST_TEST(quick_hash(changed, 0) != quick_hash(bytes, 0));
  }
}

BOOST_AUTO_TEST_CASE(it_goes_by_the_number_of_bytes_and_by_what_came_before) {
  std::set<std::uint64_t> hashes;
  for (std::size_t count = 0; count <= 70; ++count) hashes.insert(quick_hash(ByteBuffer(count), 0));
  BOOST_TEST(hashes.size() == 71U);
  const ByteBuffer a = numbered(40);
  const ByteBuffer b = numbered(41);
  BOOST_TEST(quick_hash(b, quick_hash(a, 0)) != quick_hash(a, quick_hash(b, 0)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
