// When a cell has enough: the newest there is, the same round of each, a chunk, or no patience.
#include "peer/exchange/inbox.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(inboxes)

namespace {

constexpr CellIndex cell{0};
constexpr TimePoint start{};
constexpr auto second = std::chrono::seconds(1);

struct Cell {
  Cell() { inbox.set_sources({{3}, {1}}); }

  void need(std::vector<Need::Item> snapshots, std::optional<Duration> patience = {},
            std::vector<Need::Item> chunks = {}) {
    inbox.set_need({.cell = cell,
                    .snapshots = std::move(snapshots),
                    .chunks = std::move(chunks),
                    .patience = patience},
                   start);
  }
  // The rounds that the cell is advanced with, in order; none while it waits.
  std::optional<std::vector<Round>> take(TimePoint now = start) {
    last = inbox.take(held, now);
    if (!last) return std::nullopt;
    std::vector<Round> rounds;
    for (const AdvanceCell::Input& input : last->snapshots) rounds.push_back(input.round);
    return rounds;
  }

  Inbox inbox{cell};
  Inbox::Held held;
  std::optional<AdvanceCell> last;
};

using Rounds = std::vector<Round>;
Inbox::Chunk chunk_of(CellIndex from, Round round) {
  return {.from = from, .round = round, .payload = std::make_shared<const ByteBuffer>(1)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_newest_of_each_source_is_given_at_once) {
  Cell a;
  BOOST_TEST(!a.take().has_value());
  a.inbox.set_need({.cell = cell, .newest = true, .snapshots = {}, .chunks = {}}, start);
  BOOST_TEST((a.take() == Rounds{}));
  BOOST_TEST(!a.last->deadline_passed);
  BOOST_TEST(!a.take().has_value());
  a.held = {{{1}, {.previous = Round{4}, .newest = Round{5}}}, {{3}, {.newest = Round{9}}}};
  a.inbox.set_need({.cell = cell, .newest = true, .snapshots = {}, .chunks = {}}, start);
  BOOST_TEST((a.take() == Rounds{{9}, {5}}));  // in the order of the sources
}

BOOST_AUTO_TEST_CASE(listed_rounds_are_waited_for) {
  Cell a;
  a.need({{{1}, {5}}, {{3}, {5}}});
  BOOST_TEST(!a.take().has_value());
  a.held[{1}] = {.previous = Round{5}, .newest = Round{6}};
  a.held[{3}] = {.previous = Round{3}, .newest = Round{4}};
  BOOST_TEST(!a.take().has_value());
  a.held[{3}] = {.previous = Round{4}, .newest = Round{5}};
  BOOST_TEST((a.take() == Rounds{{5}, {5}}));
  BOOST_TEST(!a.last->deadline_passed);
}

BOOST_AUTO_TEST_CASE(a_source_that_jumped_past_meets_the_need_with_its_oldest_later_round) {
  Cell a;
  a.need({{{1}, {5}}});
  a.held[{1}] = {.previous = Round{8}, .newest = Round{9}};
  BOOST_TEST((a.take() == Rounds{{8}}));
  a.need({{{1}, {5, 1}}});
  a.held[{1}] = {.previous = Round{5}, .newest = Round{5, 2}};
  BOOST_TEST((a.take() == Rounds{{5, 2}}));
  // An adopter began at an earlier round than its predecessor had reached.
  a.need({{{1}, {5}}});
  a.held[{1}] = {.previous = Round{12}, .newest = Round{6}};
  BOOST_TEST((a.take() == Rounds{{6}}));
}

BOOST_AUTO_TEST_CASE(when_patience_ends_the_cell_goes_on_with_what_is_there) {
  Cell a;
  a.need({{{1}, {5}}, {{3}, {5}}}, second);
  BOOST_TEST((*a.inbox.deadline() == start + second));
  a.held[{3}] = {.newest = Round{5}};
  BOOST_TEST(!a.take(start + std::chrono::milliseconds(999)).has_value());
  BOOST_TEST((a.take(start + second) == Rounds{{5}}));
  BOOST_TEST(a.last->deadline_passed);
  BOOST_TEST(!a.inbox.deadline().has_value());
}

BOOST_AUTO_TEST_CASE(the_longest_patience_overflows_nothing) {
  Cell a;
  a.need({{{1}, {5}}}, Duration::max());
  BOOST_TEST((*a.inbox.deadline() > start));
}

BOOST_AUTO_TEST_CASE(a_chunk_meets_a_need_of_exactly_its_round) {
  Cell a;
  a.need({}, {}, {{{3}, {2}}});
  a.inbox.add_chunk(chunk_of({1}, {2}));
  a.inbox.add_chunk(chunk_of({3}, {1}));
  BOOST_TEST(!a.take().has_value());
  a.inbox.add_chunk(chunk_of({3}, {2}));
  BOOST_TEST(a.take().has_value());
  BOOST_TEST(a.last->chunks.size() == 3U);  // all that arrived
  a.need({}, {}, {{{3}, {2}}});
  BOOST_TEST(!a.take().has_value());
}

BOOST_AUTO_TEST_CASE(a_chunk_that_comes_again_is_dropped) {
  Cell a;
  for (const std::uint64_t round : {1U, 2U, 1U, 2U, 3U}) a.inbox.add_chunk(chunk_of({3}, {round}));
  a.need({}, {}, {{{3}, {3}}});
  BOOST_TEST(a.take().has_value());
  BOOST_TEST(a.last->chunks.size() == 3U);
}

BOOST_AUTO_TEST_CASE(of_too_many_chunks_of_one_sender_its_oldest_goes) {
  Cell a;
  a.inbox.add_chunk(chunk_of({1}, {1}));
  for (std::uint64_t round = 1; round <= Inbox::chunks_max + 1; ++round)
    a.inbox.add_chunk(chunk_of({3}, {round}));
  a.need({}, {}, {{{1}, {1}}});
  BOOST_TEST(a.take().has_value());
  BOOST_TEST(a.last->chunks.size() == 1 + Inbox::chunks_max);
  BOOST_TEST(a.last->chunks[1].round == Round{2});
}

BOOST_AUTO_TEST_CASE(a_round_that_was_not_read_may_be_wanted_until_a_later_one_is_asked_for) {
  Cell a;
  BOOST_TEST(a.inbox.may_want({1}, {4}));
  a.need({{{1}, {5}}, {{3}, {4}}});
  BOOST_TEST(!a.inbox.may_want({1}, {4}));
  BOOST_TEST(a.inbox.may_want({1}, {5}));
  BOOST_TEST(a.inbox.may_want({3}, {4}));
  a.held = {{{1}, {.newest = Round{5}}}, {{3}, {.newest = Round{4}}}};
  BOOST_TEST(a.take().has_value());
  BOOST_TEST(!a.inbox.may_want({1}, {5}));
  BOOST_TEST(a.inbox.may_want({1}, {6}));
}

BOOST_AUTO_TEST_SUITE_END()
