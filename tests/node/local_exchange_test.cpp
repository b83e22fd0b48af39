// The exchange within one process: readers see what the codec makes of a snapshot, for as long as
// they may ask for it, and a restored exchange goes on as if nothing had been.
#include "node/run/local_exchange.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "node/kept_snapshots.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(local_exchange)

using testing::snapshots_in;

namespace {

constexpr codec::CodecOptions exact{.kind = codec::CodecKind::Fp32, .zstd = false};
constexpr codec::CodecOptions differences{.kind = codec::CodecKind::Int8Difference, .zstd = true};
constexpr std::size_t float_count = 300;  // two blocks of the int8 codec
constexpr CellIndex source{0}, reader{1}, slow_reader{2};
constexpr Edge there{.source = source, .reader = reader};
constexpr Edge back{.source = reader, .reader = source};
constexpr Edge slow{.source = source, .reader = slow_reader};

// Different in every round, and nothing that int8 hits exactly.
std::vector<float> weights(std::uint64_t round) {
  std::vector<float> values(float_count);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i) + 0.1F * static_cast<float>(round));
  return values;
}

void publish(LocalExchange& exchange, CellIndex cell, std::uint64_t round) {
  const std::vector<float> values = weights(round);
  const std::byte exact_part[] = {static_cast<std::byte>(round)};
  BOOST_REQUIRE(
      exchange.publish({.cell = cell, .round = {round}, .values = values, .exact = exact_part}));
}

std::vector<float> values_at(const LocalExchange& exchange, std::uint64_t round) {
  const auto snapshot = exchange.at(there, {round});
  BOOST_REQUIRE(snapshot.has_value());
  return {snapshot->values.begin(), snapshot->values.end()};
}

std::vector<std::uint64_t> rounds_kept(const LocalExchange& exchange) {
  std::vector<std::uint64_t> rounds;
  for (const PublishedSnapshot& snapshot : snapshots_in(exchange, source))
    rounds.push_back(snapshot.round.index);
  return rounds;
}

double largest_error(std::span<const float> got, std::span<const float> meant) {
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    largest = std::max(largest, std::abs(double{got[i]} - double{meant[i]}));
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_is_there_before_the_first_publication) {
  LocalExchange exchange(float_count, exact);
  BOOST_TEST(!exchange.newest(there).has_value());
  BOOST_TEST(!exchange.at(there, {0}).has_value());
  exchange.connect(there);
  BOOST_TEST(!exchange.newest(there).has_value());
}

BOOST_AUTO_TEST_CASE(a_reader_sees_round_exact_part_and_values) {
  LocalExchange exchange(float_count, exact);
  exchange.connect(there);
  publish(exchange, source, 3);
  const auto snapshot = exchange.newest(there);
  BOOST_REQUIRE(snapshot.has_value());
  BOOST_TEST(snapshot->cell == source);
  BOOST_TEST(snapshot->round == Round{3});
  BOOST_TEST(snapshot->exact.size() == 1u);
  BOOST_TEST((snapshot->exact[0] == std::byte{3}));
  BOOST_TEST(values_at(exchange, 3) == weights(3), boost::test_tools::per_element());
}

// The first state travels exactly; after it, each difference is cut to int8 of its block's largest,
// which is 0.1 here: half a step is 0.1 / 254.
BOOST_AUTO_TEST_CASE(readers_see_what_the_codec_made_of_the_values) {
  LocalExchange exchange(float_count, differences);
  exchange.connect(there);
  publish(exchange, source, 0);
  BOOST_TEST(values_at(exchange, 0) == weights(0), boost::test_tools::per_element());
  publish(exchange, source, 1);
  const double error = largest_error(values_at(exchange, 1), weights(1));
  BOOST_TEST(error > 1e-5);
  BOOST_TEST(error < 0.1 / 127);  // a bf16 scale may be a little too large
}

// What a round loses the next one makes good.
BOOST_AUTO_TEST_CASE(errors_of_the_codec_do_not_add_up) {
  LocalExchange exchange(float_count, differences);
  exchange.connect(there);
  for (std::uint64_t round = 0; round < 50; ++round) publish(exchange, source, round);
  BOOST_TEST(largest_error(values_at(exchange, 49), weights(49)) < 0.1 / 127);
}

BOOST_AUTO_TEST_CASE(at_gives_the_round_or_the_oldest_later_one) {
  LocalExchange exchange(float_count, exact);
  exchange.connect(there);
  publish(exchange, source, 2);
  publish(exchange, source, 5);
  BOOST_TEST(exchange.at(there, {2}).value().round == Round{2});
  BOOST_TEST(exchange.at(there, {3}).value().round == Round{5});
  BOOST_TEST(exchange.at(there, {0}).value().round == Round{2});
  BOOST_TEST(!exchange.at(there, {6}).has_value());
}

BOOST_AUTO_TEST_CASE(a_snapshot_stays_until_every_reader_was_given_it_or_a_later_one) {
  LocalExchange exchange(float_count, differences);
  exchange.connect(there);
  exchange.connect(slow);
  std::vector<std::vector<float>> seen;
  for (std::uint64_t round = 0; round < 5; ++round) {
    publish(exchange, source, round);
    seen.push_back(values_at(exchange, round));
    exchange.given(there, {round});
  }
  BOOST_TEST(rounds_kept(exchange) == std::vector<std::uint64_t>({0, 1, 2, 3, 4}),
             boost::test_tools::per_element());
  // None of them changed meanwhile, for whoever reads them last.
  for (std::uint64_t round = 0; round < 5; ++round)
    BOOST_TEST(values_at(exchange, round) == seen[round], boost::test_tools::per_element());
  exchange.given(slow, {3});
  publish(exchange, source, 5);
  BOOST_TEST(rounds_kept(exchange) == std::vector<std::uint64_t>({4, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_last_two_snapshots_stay_always) {
  LocalExchange exchange(float_count, exact);
  exchange.connect(there);
  for (std::uint64_t round = 0; round < 4; ++round) {
    publish(exchange, source, round);
    exchange.given(there, {round});
  }
  BOOST_TEST(rounds_kept(exchange) == std::vector<std::uint64_t>({2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_more_than_snapshots_max_are_kept_for_a_reader_that_asks_for_none) {
  LocalExchange exchange(float_count, exact);
  exchange.connect(slow);
  for (std::uint64_t round = 0; round < 20; ++round) publish(exchange, source, round);
  const std::vector<std::uint64_t> kept = rounds_kept(exchange);
  BOOST_TEST(kept.size() == LocalExchange::snapshots_max);
  BOOST_TEST(kept.back() == 19u);
  BOOST_TEST(exchange.at(slow, {0}).value().round == Round{12});
}

BOOST_AUTO_TEST_CASE(a_publication_tells_what_the_publisher_had_been_given_of_its_reader) {
  LocalExchange exchange(float_count, exact);
  exchange.connect(there);
  exchange.connect(back);
  publish(exchange, source, 0);
  BOOST_TEST(!exchange.newest(there).value().heard.has_value());
  publish(exchange, reader, 0);
  publish(exchange, source, 1);  // round 0 of the reader is there, and was not read
  BOOST_TEST(!exchange.newest(there).value().heard.has_value());
  exchange.given(back, {0});
  publish(exchange, source, 2);
  BOOST_TEST(exchange.newest(there).value().heard.value() == Round{0});
  // What another reader is told is about that one.
  BOOST_TEST(!exchange.newest(slow).value().heard.has_value());
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_are_refused_and_change_nothing) {
  LocalExchange exchange(float_count, differences);
  exchange.connect(there);
  publish(exchange, source, 0);
  publish(exchange, source, 1);
  const std::vector<PublishedSnapshot> before = snapshots_in(exchange, source);
  std::vector<float> values = weights(2);
  values[299] = std::numeric_limits<float>::quiet_NaN();
  const Result<void> refused =
      exchange.publish({.cell = source, .round = {2}, .values = values, .exact = {}});
  BOOST_TEST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == ErrorCode::NotFinite));
  BOOST_TEST((snapshots_in(exchange, source) == before));
}

// A reader and a publisher, worked for some rounds like a synchronous pair.
void work(LocalExchange& exchange, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t round = from; round < to; ++round) {
    for (const CellIndex cell : {source, reader}) publish(exchange, cell, round);
    exchange.given(there, {round});
    exchange.given(back, {round});
  }
}

BOOST_AUTO_TEST_CASE(a_restored_exchange_goes_on_to_the_bits_of_an_unbroken_one) {
  for (const codec::CodecOptions options : {exact, differences}) {
    LocalExchange unbroken(float_count, options);
    unbroken.connect(there);
    unbroken.connect(back);
    work(unbroken, 0, 4);
    for (const CellIndex cell : {source, reader}) publish(unbroken, cell, 4);

    LocalExchange restored(float_count, options);
    for (const CellIndex cell : {source, reader})
      BOOST_REQUIRE(restored.restore(cell, snapshots_in(unbroken, cell)));
    restored.connect(there);
    restored.connect(back);
    for (LocalExchange* exchange : {&unbroken, &restored}) {
      exchange->given(there, {4});
      exchange->given(back, {4});
      work(*exchange, 5, 8);
    }
    for (const CellIndex cell : {source, reader})
      BOOST_TEST((snapshots_in(unbroken, cell) == snapshots_in(restored, cell)));
  }
}

BOOST_AUTO_TEST_CASE(a_restored_exchange_keeps_what_a_slow_reader_has_not_read) {
  LocalExchange unbroken(float_count, differences);
  unbroken.connect(slow);
  for (std::uint64_t round = 0; round < 5; ++round) publish(unbroken, source, round);
  LocalExchange restored(float_count, differences);
  BOOST_REQUIRE(restored.restore(source, snapshots_in(unbroken, source)));
  restored.connect(slow);
  publish(restored, source, 5);
  publish(unbroken, source, 5);
  BOOST_TEST((snapshots_in(unbroken, source) == snapshots_in(restored, source)));
}

BOOST_AUTO_TEST_CASE(snapshots_that_no_exchange_kept_are_refused) {
  LocalExchange original(float_count, exact);
  publish(original, source, 0);
  publish(original, source, 1);
  const std::vector<PublishedSnapshot> good = snapshots_in(original, source);
  const auto refusal = [](std::vector<PublishedSnapshot> snapshots) {
    LocalExchange exchange(float_count, exact);
    const Result<void> restored = exchange.restore(source, std::move(snapshots));
    BOOST_TEST_REQUIRE(!restored.has_value());
    return restored.error().code;
  };
  auto small = good;
  small[1].values.pop_back();
  BOOST_TEST((refusal(small) == ErrorCode::Mismatch));
  auto unversioned = good;
  unversioned[1].version = 0;
  BOOST_TEST((refusal(unversioned) == ErrorCode::Corrupt));
  BOOST_TEST((refusal({good[1], good[0]}) == ErrorCode::Corrupt));
  BOOST_TEST((refusal({good[1], good[1]}) == ErrorCode::Corrupt));
  std::vector<PublishedSnapshot> many;
  for (std::uint64_t round = 0; round <= LocalExchange::snapshots_max; ++round) {
    many.push_back(good[0]);
    many.back().round = {round};
  }
  BOOST_TEST((refusal(many) == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
