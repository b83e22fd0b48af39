// Known answers of Philox, and what its readers promise. Every draw is deterministic: the bounds on
// statistics hold for these streams, they are not chances.
#include "base/random.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <csignal>
#include <numeric>
#include <set>
#include <vector>

#include "support/signal_of.hpp"

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(random_numbers)

namespace {

using Block = std::array<std::uint32_t, 4>;

RandomStream stream(std::uint64_t seed = 1) {
  return RandomStream(stream_key(seed, "test", 0));
}

double correlation(RandomStream a, RandomStream b) {
  constexpr int count = 10'000;
  double product = 0;
  for (int i = 0; i < count; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  return 12 * product / count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(philox_gives_the_known_answers_of_random123) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  BOOST_TEST((philox(0, 0) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  BOOST_TEST((philox(ones, ones, ones) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // The digits of pi: counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0.
  BOOST_TEST((philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e) ==
              Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(a_stream_reads_the_blocks_of_its_key_in_order) {
  RandomStream random(99);
  for (std::uint64_t block = 0; block < 10; ++block)
    for (const std::uint32_t word : philox(99, block)) BOOST_TEST(random.next_u32() == word);
}

BOOST_AUTO_TEST_CASE(a_stream_goes_on_from_a_saved_position) {
  RandomStream random = stream();
  for (int i = 0; i < 7; ++i) random.next_u32();
  RandomStream resumed(random.key(), random.position());
  RandomStream sought = stream();
  sought.next_u64();
  sought.seek(7);
  for (int i = 0; i < 20; ++i) {
    const std::uint32_t word = random.next_u32();
    BOOST_TEST(resumed.next_u32() == word);
    BOOST_TEST(sought.next_u32() == word);
  }
}

BOOST_AUTO_TEST_CASE(a_stream_seeks_backwards_and_far) {
  RandomStream random = stream();
  const std::uint32_t first = random.next_u32();
  random.seek(std::uint64_t{1} << 62);
  BOOST_TEST(random.next_u32() == philox(random.key(), std::uint64_t{1} << 60)[0]);
  random.seek(0);
  BOOST_TEST(random.next_u32() == first);
}

BOOST_AUTO_TEST_CASE(keys_differ_by_seed_purpose_and_owner) {
  std::set<PhiloxKey> keys;
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const char* purpose : {"a", "b", "aa", "ab", "ba", "latent", "latents", "mutation"})
      for (std::uint64_t owner = 0; owner < 20; ++owner, ++made)
        keys.insert(stream_key(seed, purpose, owner));
  BOOST_TEST(keys.size() == made);
}

BOOST_AUTO_TEST_CASE(streams_of_neighbouring_seeds_owners_and_purposes_are_independent) {
  const RandomStream base(stream_key(1, "latent", 0));
  const RandomStream others[] = {
      RandomStream(stream_key(2, "latent", 0)), RandomStream(stream_key(1, "latent", 1)),
      RandomStream(stream_key(1, "latenu", 0)), RandomStream(stream_key(1, "latent", 1), 4)};
  for (const RandomStream& other : others) BOOST_TEST(std::fabs(correlation(base, other)) < 0.04);
}

BOOST_AUTO_TEST_CASE(uniform_fills_the_unit_interval_evenly) {
  RandomStream random = stream();
  constexpr int count = 100'000;
  std::array<int, 20> cells{};
  for (int i = 0; i < count; ++i) {
    const double value = random.uniform();
    BOOST_REQUIRE(value >= 0 && value < 1);
    ++cells[static_cast<std::size_t>(value * 20)];
  }
  // Four standard deviations of a count of 5000.
  for (const int cell : cells) BOOST_TEST(std::abs(cell - count / 20) < 280);
}

BOOST_AUTO_TEST_CASE(normal_has_the_moments_of_the_normal_distribution) {
  RandomStream random = stream();
  constexpr int count = 200'000;
  std::array<double, 5> moments{};
  for (int i = 0; i < count; ++i) {
    const double value = random.normal();
    BOOST_REQUIRE(std::isfinite(value));
    for (std::size_t power = 1; power < moments.size(); ++power)
      moments[power] += std::pow(value, static_cast<double>(power)) / count;
  }
  BOOST_TEST(random.position() == 4u * count);
  // Four standard errors each: sqrt(1, 2, 15, 96) / sqrt(count).
  BOOST_TEST(std::fabs(moments[1]) < 0.009);
  BOOST_TEST(std::fabs(moments[2] - 1) < 0.013);
  BOOST_TEST(std::fabs(moments[3]) < 0.035);
  BOOST_TEST(std::fabs(moments[4] - 3) < 0.09);
}

BOOST_AUTO_TEST_CASE(below_is_even_over_its_range) {
  RandomStream random = stream();
  for (const std::uint32_t range : {1u, 2u, 3u, 7u, 10u}) {
    std::vector<int> seen(range);
    constexpr int per_value = 10'000;
    for (std::uint32_t i = 0; i < per_value * range; ++i) ++seen.at(random.below(range));
    for (const int times : seen) BOOST_TEST(std::abs(times - per_value) < 400);
  }
}

BOOST_AUTO_TEST_CASE(below_is_unbiased_where_a_plain_remainder_would_not_be) {
  // Of 2^32 words, a remainder by 3 * 2^30 meets the lower third twice as often as the rest.
  constexpr std::uint32_t range = 3u << 30;
  RandomStream random = stream();
  constexpr int count = 30'000;
  std::array<int, 3> thirds{};
  for (int i = 0; i < count; ++i) ++thirds.at(random.below(range) >> 30);
  for (const int third : thirds) BOOST_TEST(std::abs(third - count / 3) < 330);
}

BOOST_AUTO_TEST_CASE(below_stays_below_the_largest_counts) {
  RandomStream random = stream();
  std::uint32_t largest = 0;
  for (int i = 0; i < 1000; ++i) {
    BOOST_TEST(random.below(1) == 0u);
    BOOST_REQUIRE_LT(random.below((1u << 31) + 1), (1u << 31) + 1);
    largest = std::max(largest, random.below(~0u));
  }
  BOOST_TEST(largest > 0xff000000u);
}

BOOST_AUTO_TEST_CASE(shuffle_keeps_every_value) {
  for (const std::size_t count : {0u, 1u, 2u, 100u}) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 0u);
    const std::vector<std::uint32_t> in_order = values;
    RandomStream random = stream();
    random.shuffle(values);
    BOOST_TEST((count < 100 || values != in_order));
    std::ranges::sort(values);
    BOOST_TEST(values == in_order);
  }
}

BOOST_AUTO_TEST_CASE(more_values_than_below_can_count_are_not_shuffled) {
  const std::span<std::uint32_t> too_many(static_cast<std::uint32_t*>(nullptr),
                                          (std::size_t{1} << 32) + 5);
  RandomStream random = stream();
  BOOST_TEST(quadrille::test::signal_of([&] { random.shuffle(too_many); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(shuffle_reaches_every_order_equally_often) {
  RandomStream random = stream();
  std::array<int, 27> seen{};
  constexpr int count = 60'000;
  for (int i = 0; i < count; ++i) {
    std::array<std::uint32_t, 3> values = {0, 1, 2};
    random.shuffle(values);
    ++seen[values[0] * 9 + values[1] * 3 + values[2]];
  }
  int orders = 0;
  for (const int times : seen) {
    if (times == 0) continue;
    ++orders;
    BOOST_TEST(std::abs(times - count / 6) < 400);
  }
  BOOST_TEST(orders == 6);
}

BOOST_AUTO_TEST_SUITE_END()
