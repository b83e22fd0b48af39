#include "peer/placement/grants.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::peer {

namespace {

void append(const Grant& grant, std::vector<std::uint32_t>& positions) {
  for (std::uint32_t position = grant.first; position < grant.end(); ++position)
    positions.push_back(position);
}

}  // namespace

bool Grants::contains(std::uint32_t position) const {
  return std::ranges::any_of(grants_, [&](const Grant& grant) {
    return position >= grant.first && position < grant.end();
  });
}

void Grants::add(const Grant& grant) {
  CHECK(!full(), grants_.size());
  CHECK(grant.count > 0);
  grants_.insert(std::ranges::upper_bound(grants_, grant.first, {}, &Grant::first), grant);
}

std::vector<std::uint32_t> Grants::remove(std::uint32_t position) {
  const auto grant = std::ranges::find_if(
      grants_, [&](const Grant& each) { return position >= each.first && position < each.end(); });
  if (grant == grants_.end()) return {};
  Grant rear = *grant;
  rear.first = position + 1;
  rear.count = grant->end() - rear.first;
  grant->count = position - grant->first;
  const auto after = grant->count == 0 ? grants_.erase(grant) : grant + 1;
  std::vector<std::uint32_t> taken_back;
  if (rear.count == 0) return taken_back;
  if (full())
    append(rear, taken_back);
  else
    grants_.insert(after, rear);
  return taken_back;
}

void Grants::extend(PeerId to, TimePoint deadline) {
  for (Grant& grant : grants_)
    if (grant.to == to) grant.deadline = deadline;
}

template <class Predicate>
std::vector<std::uint32_t> Grants::take_back(Predicate predicate) {
  std::vector<std::uint32_t> positions;
  for (const Grant& grant : grants_) {
    if (!predicate(grant)) continue;
    append(grant, positions);
    declined_[grant.to].insert(grant.first);
  }
  std::erase_if(grants_, predicate);
  return positions;
}

std::vector<std::uint32_t> Grants::take_back_from(PeerId to) {
  return take_back([&](const Grant& grant) { return grant.to == to; });
}

std::vector<std::uint32_t> Grants::take_back_expired(TimePoint now) {
  return take_back([&](const Grant& grant) { return grant.deadline <= now; });
}

std::vector<std::uint32_t> Grants::take_back_all() {
  std::vector<std::uint32_t> positions = take_back([](const Grant&) { return true; });
  declined_.clear();
  return positions;
}

bool Grants::declined(PeerId by, std::uint32_t position) const {
  const auto found = declined_.find(by);
  return found != declined_.end() && found->second.contains(position);
}

TimePoint Grants::next_deadline() const {
  TimePoint next = TimePoint::never();
  for (const Grant& grant : grants_) next = std::min(next, grant.deadline);
  return next;
}

std::vector<wire::CellYield> Grants::encode(const Grid& grid) const {
  std::vector<wire::CellYield> yields;
  for (const Grant& grant : grants_) {
    const auto [first, count] = grid.indices_of(grant.first, grant.count);
    yields.push_back({.first = first, .count = count, .to = grant.to});
  }
  return yields;
}

}  // namespace quadrille::peer
