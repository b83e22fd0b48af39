#include "peer/placement/claim.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "peer/placement/rendezvous.hpp"

namespace quadrille::peer {

namespace {

template <class Run>
bool covers(const Run& run, std::uint64_t index) {
  return index >= run.first && index - run.first < run.count;
}

bool yields(const wire::PeerRecord& record, std::uint64_t index) {
  return std::ranges::any_of(record.yields, [&](const wire::CellYield& yield) {
    return covers(yield, index) && yield.to != record.id;
  });
}

template <class Run>
void add_bounds(const std::vector<Run>& runs, std::vector<std::uint64_t>& bounds) {
  for (const Run& run : runs) {
    bounds.push_back(run.first);
    bounds.push_back(std::uint64_t{run.first} + run.count);
  }
}

std::optional<Claim> claim_of(const wire::PeerRecord* record, std::uint64_t index) {
  if (!record) return std::nullopt;
  return claim_on(*record, index);
}

}  // namespace

std::optional<Claim> claim_on(const wire::PeerRecord& record, std::uint64_t index) {
  const auto after = std::ranges::upper_bound(record.claims, index, {}, &wire::ClaimRun::first);
  if (after == record.claims.begin()) return std::nullopt;
  const wire::ClaimRun& run = *(after - 1);
  if (!covers(run, index)) return std::nullopt;
  return Claim{.yielding = yields(record, index), .stamp = run.stamp};
}

bool yields_to(const wire::PeerRecord& record, PeerId peer) {
  return std::ranges::any_of(record.yields,
                             [&](const wire::CellYield& yield) { return yield.to == peer; });
}

bool yields_to(const wire::PeerRecord& record, CellIndex cell, PeerId peer) {
  return std::ranges::any_of(record.yields, [&](const wire::CellYield& yield) {
    return yield.to == peer && covers(yield, cell.value) && peer != record.id;
  });
}

bool ranks_before(const wire::PeerRecord& a, const wire::PeerRecord& b, CellIndex cell) {
  const auto claim_a = claim_on(a, cell.value);
  const auto claim_b = claim_on(b, cell.value);
  CHECK(claim_a && claim_b, cell);
  if (*claim_a != *claim_b) return *claim_a < *claim_b;
  const std::uint64_t weight_a = rendezvous_weight(cell, a.id);
  const std::uint64_t weight_b = rendezvous_weight(cell, b.id);
  if (weight_a != weight_b) return weight_a > weight_b;
  return a.id < b.id;
}

std::vector<IndexRange> differing(const wire::PeerRecord* before, const wire::PeerRecord* after) {
  std::vector<std::uint64_t> bounds;
  for (const wire::PeerRecord* record : {before, after}) {
    if (!record) continue;
    add_bounds(record->claims, bounds);
    add_bounds(record->yields, bounds);
  }
  std::ranges::sort(bounds);
  const auto rest = std::ranges::unique(bounds);
  bounds.erase(rest.begin(), rest.end());
  // Claims are read differently under another grid: then all of them count as changed.
  const bool same_grid = !before || !after || before->grid == after->grid;
  std::vector<IndexRange> ranges;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const auto old_claim = claim_of(before, bounds[i]);
    const auto new_claim = claim_of(after, bounds[i]);
    if (old_claim == new_claim && (same_grid || !old_claim)) continue;
    ranges.push_back({.first = bounds[i], .end = bounds[i + 1]});
  }
  return ranges;
}

}  // namespace quadrille::peer
