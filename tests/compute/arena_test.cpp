// Memory of the CPU backend.
#include "compute/cpu/cpu_backend.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace quadrille::compute {
namespace {

struct CpuFixture {
  WorkerPool pool{1};
  std::unique_ptr<Backend> backend = make_cpu_backend(pool);
  std::unique_ptr<Arena> arena = backend->make_arena();
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arena_of_the_cpu, CpuFixture)

BOOST_AUTO_TEST_CASE(every_piece_is_aligned_to_64_bytes) {
  for (const std::size_t count : {1, 3, 16, 17, 1000, 1000000, 5}) {
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(arena->floats(count).address()) % 64 == 0U, count);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(arena->words(count).address()) % 64 == 0U, count);
  }
}

BOOST_AUTO_TEST_CASE(pieces_do_not_overlap_and_stay_where_they_are) {
  std::vector<Floats> pieces;
  for (std::size_t i = 0; i < 200; ++i) {
    pieces.push_back(arena->floats(1 + 37 * i * i));
    std::fill_n(pieces.back().address(), pieces.back().count(), static_cast<float>(i));
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    BOOST_TEST(*pieces[i].address() == static_cast<float>(i));
    BOOST_TEST(pieces[i].address()[pieces[i].count() - 1] == static_cast<float>(i));
  }
}

BOOST_AUTO_TEST_CASE(memory_that_nobody_wrote_is_nan) {
  const Floats piece = arena->floats(500000);
  bool all_nan = true;
  for (std::size_t i = 0; i < piece.count(); ++i) all_nan &= std::isnan(piece.address()[i]);
  BOOST_TEST(all_nan);
}

BOOST_AUTO_TEST_CASE(owners_who_take_turns_share_memory) {
  constexpr std::size_t large = 20'000'000;  // a chunk of its own
  const Floats first = arena->floats(1000);
  const Floats second = arena->floats(large);
  arena->rewind();
  BOOST_TEST(arena->floats(500).address() == first.address());
  const Floats beside = arena->floats(100);
  BOOST_TEST(beside.address() > first.address());
  BOOST_TEST(beside.address() < first.address() + 1000);
  BOOST_TEST(arena->floats(large).address() == second.address());
  BOOST_TEST(arena->floats(large).address() != second.address());
}

BOOST_AUTO_TEST_CASE(a_resident_data_set_is_used_where_it_lies) {
  const std::array<std::uint8_t, 3> bytes = {1, 2, 3};
  const std::array<float, 2> floats = {1, 2};
  BOOST_TEST(arena->resident(std::span<const std::uint8_t>(bytes)).address() == bytes.data());
  BOOST_TEST(arena->resident(std::span<const float>(floats)).address() == floats.data());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::compute
