// What was sent apart from snapshots, kept for whoever subscribes next.
#include "peer/exchange/direct_queue.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "peer/exchange/feed.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(direct_queues)

namespace {

using Rounds = std::vector<std::uint64_t>;

struct Queue {
  void push(std::uint64_t round) { queue.push({.round = {round}, .payload = payload_of(round)}); }
  void push(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t round = first; round <= last; ++round) push(round);
  }
  // All that there is to send, each with its own payload.
  Rounds take() {
    Rounds rounds;
    while (queue.has_next()) {
      const DirectQueue::Message& message = queue.take_next();
      BOOST_TEST(message.payload->size() == message.round.index);
      rounds.push_back(message.round.index);
    }
    return rounds;
  }

  DirectQueue queue;
};

Rounds range(std::uint64_t first, std::uint64_t last) {
  Rounds rounds;
  for (std::uint64_t round = first; round <= last; ++round) rounds.push_back(round);
  return rounds;
}

constexpr std::uint64_t most = DirectQueue::kept_max;

}  // namespace

BOOST_AUTO_TEST_CASE(messages_go_once_and_in_their_order) {
  Queue a;
  BOOST_TEST(a.queue.empty());
  BOOST_TEST(!a.queue.has_next());
  a.push(1, 3);
  BOOST_TEST((a.take() == Rounds{1, 2, 3}));
  BOOST_TEST(!a.queue.has_next());
  a.push(4);
  BOOST_TEST((a.take() == Rounds{4}));
}

BOOST_AUTO_TEST_CASE(what_was_sent_is_kept_and_sent_again_after_a_restart) {
  Queue a;
  a.push(1, 3);
  a.take();
  BOOST_TEST(!a.queue.empty());
  a.queue.restart();
  BOOST_TEST((a.take() == Rounds{1, 2, 3}));
  a.push(4, 5);
  a.queue.take_next();
  a.queue.restart();  // in the middle
  BOOST_TEST((a.take() == Rounds{1, 2, 3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(sixteen_are_kept_and_of_one_more_the_oldest_goes) {
  Queue a;
  a.push(1, most);
  BOOST_TEST((a.take() == range(1, most)));
  a.queue.restart();
  BOOST_TEST((a.take() == range(1, most)));
  a.push(most + 1);
  BOOST_TEST((a.take() == Rounds{most + 1}));  // and none of them twice
  a.queue.restart();
  BOOST_TEST((a.take() == range(2, most + 1)));
}

BOOST_AUTO_TEST_CASE(what_nobody_took_is_given_up_before_it_was_sent) {
  Queue a;
  a.push(1, most + 5);
  BOOST_TEST((a.take() == range(6, most + 5)));
}

BOOST_AUTO_TEST_CASE(where_the_sending_stands_moves_with_what_is_given_up) {
  Queue a;
  a.push(1, most);
  for (int i = 0; i < 3; ++i) a.queue.take_next();
  a.push(most + 1, most + 2);  // 1 and 2 go, which were sent
  BOOST_TEST(a.queue.take_next().round == Round{4});
  a.push(most + 3, most + 6);  // 3 and 4, which were, and 5 and 6, which were not
  BOOST_TEST((a.take() == range(7, most + 6)));
}

BOOST_AUTO_TEST_SUITE_END()
