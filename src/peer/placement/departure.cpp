#include "peer/placement/departure.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "peer/placement/takers.hpp"

namespace quadrille::peer {

namespace {

struct Stretch {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// What is not yielded, by own run.
std::vector<Stretch> kept(const Holdings& holdings) {
  std::vector<Stretch> stretches;
  for (const OwnClaims::Run& run : holdings.claims().runs()) {
    Stretch stretch{.first = run.first, .end = run.first};
    for (std::uint32_t position = run.first; position <= run.end(); ++position) {
      if (position < run.end() && !holdings.grants().contains(position)) {
        stretch.end = position + 1;
        continue;
      }
      if (stretch.end > stretch.first) stretches.push_back(stretch);
      stretch = {.first = position + 1, .end = position + 1};
    }
  }
  return stretches;
}

// Where the plan gives a cell to a peer that declined it: the emptiest with room that did not, or
// nobody.
void respect_declined(std::span<const std::uint32_t> cells, std::span<const Taker> takers,
                      const Grants& grants, std::vector<std::uint32_t>& given) {
  std::vector<std::uint32_t> loads;  // with what is given
  for (const Taker& taker : takers) loads.push_back(taker.load);
  for (const std::uint32_t taker : given)
    if (taker != nobody) ++loads[taker];
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (given[i] == nobody || !grants.declined(takers[given[i]].peer, cells[i])) continue;
    --loads[given[i]];
    given[i] = nobody;
    for (std::uint32_t taker = 0; taker < takers.size(); ++taker)
      if (loads[taker] < takers[taker].capacity && !grants.declined(takers[taker].peer, cells[i]) &&
          (given[i] == nobody || loads[taker] < loads[given[i]]))
        given[i] = taker;
    if (given[i] != nobody) ++loads[given[i]];
  }
}

}  // namespace

void Departure::act(Holdings& holdings, TimePoint now, PlacementOutput& out) {
  CHECK(holdings.leaving());
  if (planned_) return;
  planned_ = true;
  const std::vector<Stretch> stretches = kept(holdings);
  if (holdings.grants().full() || stretches.empty()) return;
  std::vector<std::uint32_t> cells;
  for (const Stretch& stretch : stretches)
    for (std::uint32_t position = stretch.first; position < stretch.end; ++position)
      cells.push_back(position);
  const std::vector<Taker> takers = takers_of(holdings.owners());
  std::vector<std::uint32_t> given = plan(cells, holdings.owners().grid().cell_count(), takers);
  respect_declined(cells, takers, holdings.grants(), given);
  std::size_t next = 0;  // in cells
  for (const Stretch& stretch : stretches) {
    for (std::uint32_t first = stretch.first; first < stretch.end;) {
      const std::uint32_t taker = given[next];
      std::uint32_t count = 0;
      while (first + count < stretch.end && given[next + count] == taker) ++count;
      if (taker != nobody && !holdings.grants().full())
        holdings.give({.first = first,
                       .count = count,
                       .to = takers[taker].peer,
                       .deadline = now + yield_deadline_},
                      out);
      first += count;
      next += count;
    }
  }
}

bool Departure::is_done(const Holdings& holdings) const {
  if (!holdings.leaving()) return false;
  return holdings.claims().count() == 0 || (planned_ && holdings.grants().empty());
}

}  // namespace quadrille::peer
