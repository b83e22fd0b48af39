// What one peer holds, event by event; the others are records.
#pragma once

#include <chrono>
#include <cstdint>

#include "peer/placement/actions.hpp"
#include "peer/placement/holdings.hpp"
#include "peer/placement/records.hpp"

namespace quadrille::peer::test {

// Peer 100 of a grid of 4 x 4, with its gate open.
struct Hand {
  static constexpr TimePoint now{std::chrono::seconds(1000)};
  static constexpr std::uint64_t self = 100;
  static constexpr Duration yield_deadline = std::chrono::seconds(60);

  explicit Hand(std::uint32_t capacity = 16, GrowthRule rule = fixed())
      : holdings({.self = peer_id(self), .capacity = capacity, .yield_deadline = yield_deadline},
                 rule) {
    holdings.start(now);
    PlacementOutput out;
    holdings.open(out);
  }
  static GrowthRule fixed() {
    const Grid grid{.epoch = {.epoch = 0, .rows = 4, .columns = 4}, .stride = 4};
    return {.genesis = grid, .growth = Growth::Fixed, .largest = grid};
  }

  // What came of it, as words.
  Words hear(const Record& record) {
    return after([&](PlacementOutput& out) { holdings.hear((*record).id, record, now, out); });
  }
  Words gone(std::uint64_t number) {
    return after([&](PlacementOutput& out) { holdings.hear(peer_id(number), {}, now, out); });
  }
  Words claim(std::uint32_t first, std::uint32_t count) {
    return after([&](PlacementOutput& out) {
      for (std::uint32_t position = first; position < first + count; ++position)
        holdings.claim(position, out);
    });
  }
  Words give(std::uint32_t first, std::uint32_t count, std::uint64_t to) {
    return after([&](PlacementOutput& out) {
      holdings.give(
          {.first = first, .count = count, .to = peer_id(to), .deadline = now + yield_deadline},
          out);
    });
  }
  Words acquired(std::uint32_t cell) {
    return after([&](PlacementOutput& out) { holdings.acquired({cell}, now, out); });
  }
  Words acquire_failed(std::uint32_t cell) {
    return after([&](PlacementOutput&) { holdings.acquire_failed({cell}, now); });
  }
  Words give_up(std::uint32_t cell) {
    return after([&](PlacementOutput& out) { holdings.give_up({cell}, now, out); });
  }
  Words decline(std::uint32_t cell) {
    return after([&](PlacementOutput&) { holdings.decline({cell}, now); });
  }
  Words retry(TimePoint later) {
    return after([&](PlacementOutput&) { holdings.retry(later); });
  }
  Words leave() {
    return after([&](PlacementOutput& out) { holdings.leave(out); });
  }
  template <class Act>
  Words after(Act act) {
    PlacementOutput out;
    act(out);
    holdings.commit(now, out);
    return words_of(out);
  }
  std::uint64_t stamp() const { return holdings.claims().runs().back().stamp; }

  Holdings holdings;
};

}  // namespace quadrille::peer::test
