#include "peer/placement/own_claims.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {

bool OwnClaims::contains(std::uint32_t position) const {
  const auto after = std::ranges::upper_bound(runs_, position, {}, &Run::first);
  return after != runs_.begin() && position < (after - 1)->end();
}

bool OwnClaims::add(std::uint32_t position, std::uint64_t stamp) {
  insert(position, stamp);
  if (runs_.size() <= runs_max || join_two()) return true;
  remove(position);
  return false;
}

void OwnClaims::insert(std::uint32_t position, std::uint64_t stamp) {
  CHECK(!contains(position), position);
  ++count_;
  auto after = std::ranges::upper_bound(runs_, position, {}, &Run::first);
  const bool joins_after =
      after != runs_.end() && after->first == position + 1 && after->stamp == stamp;
  if (after != runs_.begin()) {
    const auto before = after - 1;
    if (before->end() == position && before->stamp == stamp) {
      before->count += 1 + (joins_after ? after->count : 0);
      if (joins_after) runs_.erase(after);
      return;
    }
  }
  if (joins_after) {
    --after->first;
    ++after->count;
    return;
  }
  runs_.insert(after, {.first = position, .count = 1, .stamp = stamp});
}

void OwnClaims::remove(std::uint32_t position) {
  CHECK(contains(position), position);
  --count_;
  const auto run = std::ranges::upper_bound(runs_, position, {}, &Run::first) - 1;
  const Run rest = {.first = position + 1, .count = run->end() - position - 1, .stamp = run->stamp};
  run->count = position - run->first;
  const auto after = run->count == 0 ? runs_.erase(run) : run + 1;
  if (rest.count > 0) runs_.insert(after, rest);
}

// Of all neighbouring runs the two whose stamps differ least become one.
bool OwnClaims::join_two() {
  std::size_t best = runs_.size();
  std::uint64_t least = 0;
  for (std::size_t i = 0; i + 1 < runs_.size(); ++i) {
    if (runs_[i].end() != runs_[i + 1].first) continue;
    const auto [older, younger] = std::minmax(runs_[i].stamp, runs_[i + 1].stamp);
    const std::uint64_t difference = younger - older;
    if (best < runs_.size() && difference >= least) continue;
    best = i;
    least = difference;
  }
  if (best == runs_.size()) return false;
  runs_[best].count += runs_[best + 1].count;
  runs_[best].stamp = std::max(runs_[best].stamp, runs_[best + 1].stamp);
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  return true;
}

std::vector<std::uint32_t> OwnClaims::fit() {
  std::vector<std::uint32_t> given_up;
  while (runs_.size() > runs_max) {
    if (join_two()) continue;
    const auto shortest = std::ranges::min_element(runs_, {}, &Run::count);
    for (std::uint32_t position = shortest->first; position < shortest->end(); ++position)
      given_up.push_back(position);
    count_ -= shortest->count;
    runs_.erase(shortest);
  }
  return given_up;
}

void OwnClaims::renumber(const Grid& from, const Grid& to) {
  const OwnClaims old = std::exchange(*this, {});
  for (const Run& run : old.runs_)
    for (std::uint32_t position = run.first; position < run.end(); ++position)
      insert(to.position_of(from.cell_at(position)), run.stamp);
}

std::vector<wire::ClaimRun> OwnClaims::encode(const Grid& grid) const {
  std::vector<wire::ClaimRun> runs;
  for (const Run& run : runs_) {
    const auto [first, count] = grid.indices_of(run.first, run.count);
    runs.push_back({.first = first, .count = count, .stamp = run.stamp});
  }
  return runs;
}

}  // namespace quadrille::peer
