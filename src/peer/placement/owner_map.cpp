#include "peer/placement/owner_map.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "peer/placement/claim.hpp"
#include "peer/placement/rendezvous.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {

namespace {

const wire::PeerRecord* content(const RecordRef& record) {
  return record ? &record->record : nullptr;
}

bool same_claims(const wire::PeerRecord& a, const wire::PeerRecord& b) {
  return a.claims == b.claims && a.yields == b.yields && a.grid == b.grid;
}

OwnerMap::Shift shift_between(const wire::PeerRecord* before, const wire::PeerRecord* after) {
  if (!before || !after) return OwnerMap::Shift::Members;
  if (before->capacity != after->capacity || before->leaving != after->leaving)
    return OwnerMap::Shift::Members;
  return same_claims(*before, *after) ? OwnerMap::Shift::None : OwnerMap::Shift::Claims;
}

}  // namespace

OwnerMap::OwnerMap(GrowthRule rule)
    : rule_(rule),
      grid_(rule.genesis),
      peers_(std::min<std::size_t>(grid_.cell_count(), wire::members_max)) {
  const wire::GridEpoch& epoch = grid_.epoch;
  CHECK(epoch.rows >= 1 && epoch.rows <= wire::grid_side_max, epoch.rows);
  CHECK(epoch.columns >= 1 && epoch.columns <= grid_.stride, epoch.columns, grid_.stride);
  CHECK(grid_.stride <= wire::grid_side_max, grid_.stride);
  owners_.assign(grid_.cell_count(), no_peer);
  vacant_count_ = grid_.cell_count();
}

OwnerMap::Shift OwnerMap::set(PeerId peer, RecordRef after, TimePoint now) {
  changes_.clear();
  PeerSlot slot = peers_.find(peer);
  if (slot == no_peer && !after) return Shift::None;
  const RecordRef before = slot == no_peer ? nullptr : peers_[slot].record;
  const Shift shift = shift_between(content(before), content(after));
  if (slot == no_peer)
    slot = peers_.insert(after);
  else if (after)
    peers_[slot].record = after;
  if (shift == Shift::None) return shift;

  ++version_;
  if (before) count_taker(before->record, false);
  if (after) count_taker(after->record, true);
  const bool can_be_given = after && can_be_given_cells(after->record);
  peers_[slot].capacity = can_be_given ? after->record.capacity : 0;
  note_yielder(slot, after && !after->record.yields.empty());
  restate(slot, content(before), content(after), now);
  if (!after) peers_.erase(slot);
  return shift;
}

void OwnerMap::restate(PeerSlot slot, const wire::PeerRecord* before, const wire::PeerRecord* after,
                       TimePoint now) {
  const Grid old_grid = before ? rule_.grid_of(*before) : grid_;
  const Grid new_grid = after ? rule_.grid_of(*after) : grid_;
  for (const IndexRange& range : differing(before, after)) {
    const bool had = before && claim_on(*before, range.first);
    const bool has = after && claim_on(*after, range.first);
    const std::uint32_t end = grid_.cells_below(range.end);
    for (std::uint32_t position = grid_.cells_below(range.first); position < end; ++position) {
      const CellIndex cell = grid_.cell_at(position);
      const bool had_it = had && old_grid.contains(cell);
      restate(position, slot, had_it, has && new_grid.contains(cell), now);
      if (had_it && after && !after->leaving && owners_[position] == no_peer)
        vacated_.at(position).given_up_by = after->id;
    }
  }
}

void OwnerMap::restate(std::uint32_t position, PeerSlot slot, bool had, bool has, TimePoint now) {
  if (!had && !has) return;
  const bool owns = owners_[position] == slot;
  if (had && !has && owns) set_owner(position, no_peer, now);
  if (had && !has && !owns) losing_.erase({position, slot});
  if (!had && has) losing_.insert({position, slot});
  settle(position, now);
}

// The best of all claims on the cell becomes its owner.
void OwnerMap::settle(std::uint32_t position, TimePoint now) {
  const PeerSlot owner = owners_[position];
  PeerSlot best = owner;
  for (auto claim = losing_.lower_bound({position, 0});
       claim != losing_.end() && claim->first == position; ++claim) {
    const PeerSlot rival = claim->second;
    if (best == no_peer || ranks_before(peers_[rival].record->record, peers_[best].record->record,
                                        grid_.cell_at(position)))
      best = rival;
  }
  if (best == owner) return;
  losing_.erase({position, best});
  if (owner != no_peer) losing_.insert({position, owner});
  set_owner(position, best, now);
}

void OwnerMap::set_owner(std::uint32_t position, PeerSlot slot, TimePoint now) {
  const PeerSlot before = std::exchange(owners_[position], slot);
  const CellIndex cell = grid_.cell_at(position);
  if (!changes_.empty() && changes_.back().position == position)
    changes_.back().after = slot;
  else
    changes_.push_back({.position = position, .before = before, .after = slot});
  if (before != no_peer) {
    --peers_[before].wins;
    hash_ -= rendezvous_weight(cell, peers_.id(before));
  } else {
    --vacant_count_;
    vacated_.erase(position);
  }
  if (slot != no_peer) {
    ++peers_[slot].wins;
    hash_ += rendezvous_weight(cell, peers_.id(slot));
  } else {
    if (vacant_count_ == 0) oldest_ = now;
    ++vacant_count_;
    vacated_.emplace(position, Vacancy{.since = now, .given_up_by = std::nullopt});
  }
}

void OwnerMap::note_yielder(PeerSlot slot, bool yields) {
  const auto place = std::ranges::lower_bound(yielders_, slot);
  const bool is_noted = place != yielders_.end() && *place == slot;
  if (yields && !is_noted) yielders_.insert(place, slot);
  if (!yields && is_noted) yielders_.erase(place);
}

void OwnerMap::count_taker(const wire::PeerRecord& record, bool in) {
  if (!is_taker(record)) return;
  if (in) {
    ++taker_count_;
    capacity_ += record.capacity;
  } else {
    --taker_count_;
    capacity_ -= record.capacity;
  }
}

void OwnerMap::grow(const Grid& grid, TimePoint now) {
  CHECK(rule_.admits(grid.epoch), grid.epoch.epoch, grid.epoch.rows, grid.epoch.columns);
  const Grid old = std::exchange(grid_, grid);
  const auto moved = [&](std::uint32_t position) {
    return grid_.position_of(old.cell_at(position));
  };
  std::vector<PeerSlot> owners(grid_.cell_count(), no_peer);
  std::map<std::uint32_t, Vacancy> vacated;
  for (std::uint32_t position = 0; position < grid_.cell_count(); ++position)
    if (!old.contains(grid_.cell_at(position)))
      vacated.emplace(position, Vacancy{.since = now, .given_up_by = std::nullopt});
  for (std::uint32_t position = 0; position < old.cell_count(); ++position)
    owners[moved(position)] = owners_[position];
  for (const auto& [position, vacancy] : vacated_) vacated.emplace(moved(position), vacancy);
  decltype(losing_) losing;
  for (const auto& [position, slot] : losing_) losing.insert({moved(position), slot});
  if (vacant_count_ == 0) oldest_ = now;
  vacant_count_ += grid_.cell_count() - old.cell_count();
  owners_ = std::move(owners);
  vacated_ = std::move(vacated);
  losing_ = std::move(losing);
  changes_.clear();
  ++version_;
}

std::uint64_t OwnerMap::hash() const {
  return chain(hash_, grid_.epoch.epoch);
}

std::vector<std::uint32_t> OwnerMap::loads() const {
  std::vector<std::uint32_t> loads(peers_.slots_end());
  for (PeerSlot slot = 0; slot < peers_.slots_end(); ++slot) loads[slot] = peers_[slot].wins;
  for (const PeerSlot donor : yielders_) {
    for (const wire::CellYield& yield : peers_[donor].record->record.yields) {
      const PeerSlot target = peers_.find(yield.to);
      if (target == no_peer || target == donor) continue;
      const std::uint32_t end = grid_.cells_below(std::uint64_t{yield.first} + yield.count);
      std::uint32_t yielded = 0;
      for (std::uint32_t position = grid_.cells_below(yield.first); position < end; ++position)
        yielded += owners_[position] == donor ? 1 : 0;
      loads[donor] -= std::min(loads[donor], yielded);
      loads[target] += yielded;
    }
  }
  return loads;
}

TimePoint OwnerMap::vacant_since(std::uint32_t position) const {
  const auto vacated = vacated_.find(position);
  return vacated == vacated_.end() ? started_ : vacated->second.since;
}

std::optional<PeerId> OwnerMap::given_up_by(std::uint32_t position) const {
  const auto vacated = vacated_.find(position);
  return vacated == vacated_.end() ? std::nullopt : vacated->second.given_up_by;
}

void OwnerMap::tighten() {
  if (vacant_count_ == 0) return;
  if (vacant_count_ > vacated_.size()) {
    oldest_ = started_;
    return;
  }
  oldest_ = vacated_.begin()->second.since;
  for (const auto& [position, vacancy] : vacated_) oldest_ = std::min(oldest_, vacancy.since);
}

}  // namespace quadrille::peer
