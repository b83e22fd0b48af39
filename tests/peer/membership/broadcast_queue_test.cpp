// What goes first, how often, and what a full queue gives up.
#include "peer/membership/broadcast_queue.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "peer/membership/sample_records.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::UpdateKind;

BOOST_AUTO_TEST_SUITE(broadcast_queue)

namespace {

constexpr std::size_t plenty = 100'000;

Statement suspect(std::uint64_t subject) {
  return {.kind = UpdateKind::Suspect,
          .subject = id_of(subject),
          .incarnation = 100,
          .accuser = id_of(90),
          .record = nullptr};
}

std::vector<std::uint64_t> pick(BroadcastQueue& queue, std::size_t room_bytes = plenty,
                                std::uint32_t sends_max = 8) {
  std::vector<wire::Update> updates;
  queue.pick(room_bytes, sends_max, updates);
  std::vector<std::uint64_t> subjects;
  for (const wire::Update& update : updates) subjects.push_back(update.subject.low);
  return subjects;
}

using Subjects = std::vector<std::uint64_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(the_most_urgent_goes_first) {
  BroadcastQueue queue;
  queue.add(suspect(1), Urgency::Alive);
  queue.add(suspect(2), Urgency::Suspicion);
  queue.add(suspect(3), Urgency::Gone);
  queue.add(suspect(4), Urgency::Own);
  BOOST_TEST(pick(queue) == (Subjects{4, 3, 2, 1}));
}

BOOST_AUTO_TEST_CASE(of_one_urgency_what_was_told_least_often_goes_first) {
  BroadcastQueue queue;
  const std::size_t one = encoded_bytes_bound(suspect(1).update());
  queue.add(suspect(1), Urgency::Suspicion);
  queue.add(suspect(2), Urgency::Suspicion);
  BOOST_TEST(pick(queue, one) == (Subjects{1}));
  BOOST_TEST(pick(queue, one) == (Subjects{2}));
  queue.add(suspect(3), Urgency::Suspicion);
  BOOST_TEST(pick(queue, 2 * one) == (Subjects{3, 1}));
}

BOOST_AUTO_TEST_CASE(a_statement_is_told_so_often_and_no_more) {
  BroadcastQueue queue;
  queue.add(suspect(1), Urgency::Suspicion);
  for (int send = 0; send < 8; ++send) BOOST_TEST(pick(queue) == (Subjects{1}));
  BOOST_TEST(pick(queue) == Subjects{});
  BOOST_TEST(queue.size() == 0u);
}

BOOST_AUTO_TEST_CASE(the_number_of_sends_grows_with_the_logarithm_and_has_a_floor) {
  const struct {
    std::size_t live_count;
    std::uint32_t sends;
  } rows[] = {{1, 8}, {4, 8}, {9, 8}, {10, 8}, {99, 8}, {100, 12}, {1000, 16}, {10'000, 20}};
  for (const auto& row : rows) BOOST_TEST(sends_for(row.live_count, 4, 8) == row.sends);
}

BOOST_AUTO_TEST_CASE(a_newer_statement_takes_the_place_of_the_older_and_begins_anew) {
  RecordPool pool;
  BroadcastQueue queue;
  queue.add(suspect(1), Urgency::Suspicion);
  pick(queue);
  queue.add(Statement::alive(stored(pool, record_of(1))), Urgency::Alive);
  BOOST_TEST(queue.size() == 1u);
  std::size_t room_bytes = plenty;
  std::vector<wire::Update> updates;
  queue.pick(room_bytes, 8, updates);
  BOOST_REQUIRE_EQUAL(updates.size(), 1u);
  BOOST_TEST((updates[0] == alive(1)));
  for (int send = 0; send < 7; ++send) BOOST_TEST(pick(queue) == (Subjects{1}));
  BOOST_TEST(queue.size() == 0u);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_lets_smaller_ones_pass_and_is_not_counted_as_sent) {
  RecordPool pool;
  BroadcastQueue queue;
  queue.add(Statement::alive(stored(pool, record_of(1))), Urgency::Own);
  queue.add(suspect(2), Urgency::Suspicion);
  const std::size_t small = encoded_bytes_bound(suspect(2).update());
  BOOST_TEST(pick(queue, small) == (Subjects{2}));
  BOOST_TEST(pick(queue, small - 1) == Subjects{});
  for (int send = 0; send < 8; ++send) BOOST_TEST(pick(queue).front() == 1u);
}

BOOST_AUTO_TEST_CASE(one_datagram_says_nothing_twice_and_has_so_many_updates_at_most) {
  BroadcastQueue queue;
  for (std::uint64_t subject = 1; subject <= 100; ++subject)
    queue.add(suspect(subject), Urgency::Suspicion);
  const Subjects first = pick(queue);
  BOOST_TEST(first.size() == wire::updates_max);
  BOOST_TEST(std::set<std::uint64_t>(first.begin(), first.end()).size() == wire::updates_max);
  BOOST_TEST(pick(queue).front() == wire::updates_max + 1);
}

BOOST_AUTO_TEST_CASE(that_somebody_lives_is_no_news_after_a_while) {
  BroadcastQueue queue;
  queue.add(suspect(1), Urgency::Alive);
  queue.add(suspect(2), Urgency::Gone);
  queue.advance({alive_news_life});
  BOOST_TEST(pick(queue) == (Subjects{2, 1}));
  queue.add(suspect(3), Urgency::Alive);
  queue.advance({alive_news_life + std::chrono::milliseconds(1)});
  BOOST_TEST(pick(queue) == (Subjects{2, 3}));
  BOOST_TEST(queue.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_full_queue_gives_up_what_is_least_urgent_and_was_told_most_often) {
  BroadcastQueue queue;
  const std::size_t one = encoded_bytes_bound(suspect(1).update());
  queue.add(suspect(1), Urgency::Alive);
  queue.add(suspect(2), Urgency::Alive);
  pick(queue, one);  // 1 was told
  for (std::uint64_t subject = 3; subject <= broadcasts_max; ++subject)
    queue.add(suspect(subject), Urgency::Suspicion);
  BOOST_TEST(queue.size() == broadcasts_max);
  queue.add(suspect(1000), Urgency::Own);
  queue.add(suspect(1001), Urgency::Gone);
  BOOST_TEST(queue.size() == broadcasts_max);
  Subjects told;
  for (Subjects more = pick(queue, plenty, 1); !more.empty(); more = pick(queue, plenty, 1))
    told.insert(told.end(), more.begin(), more.end());
  BOOST_TEST(told.size() == broadcasts_max);
  BOOST_TEST((std::ranges::find(told, 1u) == told.end()));
  BOOST_TEST((std::ranges::find(told, 2u) == told.end()));
  BOOST_TEST(told.front() == 1000u);
}

BOOST_AUTO_TEST_SUITE_END()
