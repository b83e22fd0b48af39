// The view's digest, order and size.
#include "peer/membership/view.hpp"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "base/random.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(views)

namespace {

Member live_member(RecordPool& pool, std::uint32_t number, Stand stand = {},
                   MemberState state = MemberState::Alive) {
  return {.id = id_of(number),
          .incarnation = stand.incarnation,
          .record = stored(pool, record_of(number, stand)),
          .standing = {state, {}}};
}

Member gone_member(std::uint32_t number, MemberState state = MemberState::Dead) {
  return {.id = id_of(number), .incarnation = 100, .record = nullptr, .standing = {state, {}}};
}

std::vector<std::uint64_t> numbers(std::span<const Member> members) {
  std::vector<std::uint64_t> found;
  for (const Member& member : members) found.push_back(member.id.low);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_digest_does_not_depend_on_the_way_to_the_view) {
  RecordPool pool;
  View one;
  for (std::uint32_t number = 1; number <= 50; ++number) one.put(live_member(pool, number));
  View other;
  for (std::uint32_t number = 60; number >= 1; --number)
    other.put(live_member(pool, number, {.incarnation = 90}));
  for (std::uint32_t number = 51; number <= 60; ++number) other.put(gone_member(number));
  for (std::uint32_t number = 1; number <= 50; ++number) other.put(live_member(pool, number));
  BOOST_TEST((one.digest() == other.digest()));
  BOOST_TEST(one.hash() == other.hash());
}

// As schemas/README.md says.
BOOST_AUTO_TEST_CASE(peers_of_all_versions_compare_the_same_hash) {
  RecordPool pool;
  View view;
  wire::PeerRecord record = record_of(1, {.incarnation = 1'700'000'000'000, .version = 3});
  record.id = {.high = 0xA11CE, .low = 1};
  view.put({.id = record.id,
            .incarnation = record.incarnation,
            .record = stored(pool, record),
            .standing = {MemberState::Suspect, {}}});
  BOOST_TEST(view.hash() == 0xBB381C12EEEB9BA6U);
  BOOST_TEST(view.digest_of(16).buckets[9] == view.hash());
}

BOOST_AUTO_TEST_CASE(the_digest_tells_incarnations_and_versions_apart_but_not_suspicions) {
  RecordPool pool;
  View view;
  view.put(live_member(pool, 1));
  const std::uint64_t before = view.hash();
  view.put(live_member(pool, 1, {}, MemberState::Suspect));
  BOOST_TEST(view.hash() == before);
  view.put(live_member(pool, 1, {.incarnation = 100, .version = 1}));
  const std::uint64_t revised = view.hash();
  BOOST_TEST(revised != before);
  view.put(live_member(pool, 1, {.incarnation = 101, .version = 0}));
  BOOST_TEST(view.hash() != before);
  BOOST_TEST(view.hash() != revised);
  view.put(gone_member(1));
  BOOST_TEST(view.hash() == View{}.hash());
}

BOOST_AUTO_TEST_CASE(a_change_shows_in_the_bucket_of_its_member_only) {
  RecordPool pool;
  View view;
  for (std::uint32_t number = 1; number <= 300; ++number) view.put(live_member(pool, number));
  for (std::size_t count = wire::digest_buckets_min; count <= wire::digest_buckets_max;
       count *= 2) {
    const wire::Digest before = view.digest_of(count);
    view.put(gone_member(17));
    for (std::size_t bucket = 0; bucket < count; ++bucket) {
      const bool differs = before.buckets[bucket] != view.digest_of(count).buckets[bucket];
      BOOST_REQUIRE(differs == (bucket == View::bucket_of(id_of(17), count)));
    }
    view.put(live_member(pool, 17));
    BOOST_TEST((view.digest_of(count) == before));
  }
}

BOOST_AUTO_TEST_CASE(the_digest_has_a_bucket_for_each_live_member_up_to_its_limit) {
  RecordPool pool;
  View view;
  const std::size_t least = wire::digest_buckets_min;
  const std::size_t most = wire::digest_buckets_max;
  for (std::uint32_t number = 1; number <= most + 2; ++number) {
    view.put(live_member(pool, number));
    const std::size_t suits = std::clamp<std::size_t>(std::bit_ceil(number), least, most);
    BOOST_REQUIRE(view.digest().buckets.size() == suits);
  }
  View other;
  for (const Member& member : view.live()) other.put(member);
  BOOST_TEST((view.digest() == other.digest()));
}

// A peer that knows little and one that knows much compare at the size of whoever asks.
BOOST_AUTO_TEST_CASE(views_of_any_two_sizes_can_be_compared) {
  RecordPool pool;
  View small;
  View large;
  for (std::uint32_t number = 1; number <= 500; ++number) {
    if (number <= 20) small.put(live_member(pool, number));
    large.put(live_member(pool, number));
  }
  for (std::uint32_t number = 21; number <= 500; ++number) large.put(gone_member(number));
  BOOST_TEST(small.digest().buckets.size() == 32U);
  BOOST_TEST(large.digest_of(512).buckets.size() == 512U);
  BOOST_TEST((small.digest_of(512) == large.digest_of(512)));
  BOOST_TEST((small.digest() == large.digest()));  // which has shrunk to the same size
  BOOST_TEST(small.hash() == large.hash());
}

BOOST_AUTO_TEST_CASE(live_members_come_before_gone_ones) {
  RecordPool pool;
  View view;
  for (std::uint32_t number = 1; number <= 4; ++number) view.put(live_member(pool, number));
  view.put(gone_member(2));
  view.put(gone_member(9, MemberState::Left));
  view.put(live_member(pool, 5));
  BOOST_TEST(numbers(view.live()) == (std::vector<std::uint64_t>{1, 4, 3, 5}));
  BOOST_TEST(numbers(view.gone()) == (std::vector<std::uint64_t>{9, 2}));
  BOOST_TEST(view.live_count() == 4u);
}

BOOST_AUTO_TEST_CASE(everybody_is_found_after_any_sequence_of_changes) {
  RecordPool pool;
  View view;
  RandomStream random(stream_key(1, "changes", 0));
  std::vector<int> expected(64, 0);  // 0: unknown, 1: live, 2: gone
  for (int step = 0; step < 4000; ++step) {
    const std::uint32_t number = 1 + random.below(63);
    const auto choice = static_cast<int>(random.below(3));
    if (choice == 0 && expected[number] == 2) {
      view.forget(id_of(number));
      expected[number] = 0;
    } else if (choice == 1) {
      view.put(live_member(pool, number, {.incarnation = random.below(5)}));
      expected[number] = 1;
    } else if (choice == 2) {
      view.put(gone_member(number));
      expected[number] = 2;
    }
    for (std::uint32_t each = 0; each < 64; ++each) {
      const Member* member = view.find(id_of(each));
      BOOST_REQUIRE_EQUAL(member == nullptr ? 0 : is_live(member->state()) ? 1 : 2, expected[each]);
      BOOST_REQUIRE_EQUAL(view.find_live(endpoint_of(each)) != nullptr, expected[each] == 1);
    }
    BOOST_REQUIRE_EQUAL(view.live_count(), std::ranges::count(expected, 1));
  }
}

BOOST_AUTO_TEST_CASE(two_members_at_one_address_are_both_kept_until_one_goes) {
  RecordPool pool;
  View view;
  view.put(live_member(pool, 1));
  wire::PeerRecord second = record_of(2);
  second.endpoints = {endpoint_of(1)};
  view.put({.id = second.id, .incarnation = 100, .record = stored(pool, second)});
  view.put(gone_member(1));
  BOOST_REQUIRE(view.find_live(endpoint_of(1)) != nullptr);
  BOOST_TEST(view.find_live(endpoint_of(1))->id == id_of(2));
}

BOOST_AUTO_TEST_CASE(a_standing_keeps_its_state_and_its_nanosecond) {
  for (const MemberState state :
       {MemberState::Alive, MemberState::Suspect, MemberState::Dead, MemberState::Left})
    for (const std::int64_t nanoseconds : {0LL, 1LL, -1LL, (1LL << 61) - 1, -(1LL << 61)}) {
      const Standing standing{state, {Duration(nanoseconds)}};
      BOOST_TEST(int(standing.state()) == int(state));
      BOOST_TEST(standing.since().since_start.count() == nanoseconds);
    }
}

BOOST_AUTO_TEST_CASE(an_entry_of_ten_thousand_takes_72_bytes_at_most) {
  RecordPool pool;
  View view;
  for (std::uint32_t number = 1; number <= 10'000; ++number) view.put(live_member(pool, number));
  BOOST_TEST(view.bytes_held() / 10'000 <= 72u);
}

BOOST_AUTO_TEST_CASE(as_many_members_as_are_expected_take_what_was_taken_at_the_start) {
  RecordPool pool;
  View view(10'000);
  const std::size_t at_the_start = view.bytes_held();
  for (std::uint32_t number = 1; number <= 10'000; ++number) view.put(live_member(pool, number));
  const std::size_t digest = view.digest().buckets.size() * sizeof(std::uint64_t);
  BOOST_TEST(view.bytes_held() <= at_the_start + digest);
  BOOST_TEST(view.bytes_held() / 10'000 <= 57u);
  view.put(live_member(pool, 10'001));
  BOOST_TEST(view.find(id_of(10'001)) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
