#include "peer/placement/holdings.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "peer/placement/claim.hpp"

namespace quadrille::peer {

namespace {}  // namespace

Holdings::Holdings(Options options, GrowthRule rule)
    : options_(options), capacity_(options.capacity), owners_(rule) {
  owners_.set(options_.self, own_record(), {});
  CHECK(owners_.peers().find(options_.self) == own_slot);
}

void Holdings::open(PlacementOutput& out) {
  open_ = true;
  take_offers(out);
}

void Holdings::count_from(std::uint64_t stamp) {
  clock_ = std::max(clock_, std::min(stamp, believable_stamp_max));
}

OwnerMap::Shift Holdings::hear(PeerId peer, const RecordRef& record, TimePoint now,
                               PlacementOutput& out) {
  CHECK(peer != options_.self);
  if (record) {
    CHECK(record->record.id == peer, record->record.id, peer);
    const Grid grid = owners_.rule().grid_of(record->record);
    if (grid.epoch > owners_.grid().epoch) grow(grid, now, out);
    hear_stamps(record->record);
  }
  const std::uint32_t capacity_before = capacity_of(peer);
  const OwnerMap::Shift shift = owners_.set(peer, record, now);
  if (shift == OwnerMap::Shift::None) return shift;
  absorb_changes(now, out);
  // A cell failed with a peer that has room for less than before. It may be one that waits here for
  // its claim, and must not wait until the yield expires.
  if (!record || !is_taker(record->record) || record->record.capacity < capacity_before)
    take_back(grants_.take_back_from(peer), out);
  if (!record) grants_.forget_declined(peer);
  const bool yields = record && yields_to(record->record, options_.self);
  if (yields || offers_.find(peer)) review_offers(peer, out);
  return shift;
}

std::uint32_t Holdings::capacity_of(PeerId peer) const {
  const PeerSlot slot = owners_.peers().find(peer);
  return slot == no_peer ? 0 : owners_.peers()[slot].record->record.capacity;
}

void Holdings::hear_stamps(const wire::PeerRecord& record) {
  for (const wire::ClaimRun& run : record.claims)
    if (run.stamp <= believable_stamp_max) clock_ = std::max(clock_, run.stamp);
}

// What the last record said of this peer's cells, and of those that it fetches.
void Holdings::absorb_changes(TimePoint now, PlacementOutput& out) {
  for (const OwnerMap::Change& change : owners_.changes()) {
    if (change.before == own_slot && claims_.contains(change.position))
      lose(change.position, owner_id(change.position), now, out);
    if (const auto giver = offers_.giver_of(change.position)) review_offers(*giver, out);
    if (std::ranges::binary_search(owners_.yielders(), change.after)) offer_next(change.after, out);
  }
}

void Holdings::lose(std::uint32_t position, std::optional<PeerId> winner, TimePoint now,
                    PlacementOutput& out) {
  claims_.remove(position);
  take_back(grants_.remove(position), out);
  if (winner) grants_.extend(*winner, now + options_.yield_deadline);
  out.actions.push_back(PlacementOutput::Dropped{.cell = cell(position), .winner = winner});
  changed_ = true;
}

bool Holdings::claim(std::uint32_t position, PlacementOutput& out) {
  CHECK(owners_.owner(position) == no_peer, position);
  CHECK(!avoids(position), position);
  if (!has_room() || !claims_.add(position, clock_ + 1)) return false;
  // Where it failed it is not taken again: whoever gave it up is offered something else.
  const std::optional<PeerId> by = owners_.given_up_by(position);
  if (by && owners_.peers().find(*by) != no_peer) grants_.note_declined(*by, position);
  out.actions.push_back(PlacementOutput::Gained{cell(position)});
  changed_ = true;
  return true;
}

void Holdings::give(const Grant& grant, PlacementOutput& out) {
  grants_.add(grant);
  for (std::uint32_t position = grant.first; position < grant.end(); ++position)
    out.actions.push_back(PlacementOutput::Yielding{.cell = cell(position), .to = grant.to});
  changed_ = true;
}

void Holdings::take_back_expired(TimePoint now, PlacementOutput& out) {
  take_back(grants_.take_back_expired(now), out);
}

void Holdings::take_back(const std::vector<std::uint32_t>& positions, PlacementOutput& out) {
  for (const std::uint32_t position : positions)
    out.actions.push_back(PlacementOutput::Returned{cell(position)});
  if (!positions.empty()) changed_ = true;
}

// None: it is not being fetched, or not any more.
std::optional<Holdings::Fetch> Holdings::end_fetch(CellIndex cell) {
  if (!owners_.grid().contains(cell)) return std::nullopt;
  const std::uint32_t position = owners_.grid().position_of(cell);
  const auto giver = offers_.giver_of(position);
  if (!giver) return std::nullopt;
  offers_.find(*giver)->fetching.reset();
  offers_wait_ = true;  // the next one
  return Fetch{.position = position, .giver = *giver};
}

void Holdings::acquired(CellIndex cell, TimePoint now, PlacementOutput& out) {
  const auto fetch = end_fetch(cell);
  if (!fetch) return;
  if (doubts_.give_back_room()) changed_ = true;
  Giver& offer = *offers_.find(fetch->giver);
  if (claims_.add(fetch->position, offer.stamp)) {
    changed_ = true;
  } else {
    offer.failed[fetch->position] = now + acquire_retry;
    out.actions.push_back(PlacementOutput::Dropped{.cell = cell, .winner = fetch->giver});
  }
}

void Holdings::acquire_failed(CellIndex cell, TimePoint now) {
  const auto fetch = end_fetch(cell);
  if (fetch) offers_.find(fetch->giver)->failed[fetch->position] = now + acquire_retry;
}

void Holdings::decline(CellIndex cell, TimePoint now) {
  const auto fetch = end_fetch(cell);
  if (!fetch) return;
  CHECK(capacity() > claims_.count(), capacity(), claims_.count());  // for it
  offers_.find(fetch->giver)->failed[fetch->position] = doubts_.add(fetch->giver, now);
  changed_ = true;
}

void Holdings::give_up(CellIndex cell, TimePoint now, PlacementOutput& out) {
  if (!owners_.grid().contains(cell)) return;
  const std::uint32_t position = owners_.grid().position_of(cell);
  const auto giver = offers_.giver_of(position);
  if (!giver && !claims_.contains(position)) return;
  avoided_.insert(cell);
  --capacity_;  // it counts among those that this peer holds
  changed_ = true;
  if (!giver) return lose(position, std::nullopt, now, out);
  offers_.find(*giver)->fetching.reset();
  offers_wait_ = true;  // the next one
  out.actions.push_back(PlacementOutput::Dropped{.cell = cell, .winner = giver});
}

void Holdings::retry(TimePoint now) {
  const auto due = retry_due();
  if (!due || now < *due) return;
  offers_.forget_failures(now);
  offers_wait_ = true;
  if (doubts_.end(now)) changed_ = true;
}

std::optional<TimePoint> Holdings::retry_due() const {
  const std::optional<TimePoint> failed = offers_.retry_due();
  const std::optional<TimePoint> doubted = doubts_.due();
  if (!failed || !doubted) return failed ? failed : doubted;
  return std::min(*failed, *doubted);
}

// Of what this giver yields: stops fetching what it does not any more, and fetches what it does.
void Holdings::review_offers(PeerId id, PlacementOutput& out) {
  const PeerSlot slot = owners_.peers().find(id);
  Giver* giver = offers_.find(id);
  if (giver && giver->fetching && !offers(slot, *giver->fetching)) {
    const std::uint32_t position = *std::exchange(giver->fetching, std::nullopt);
    out.actions.push_back(
        PlacementOutput::Dropped{.cell = cell(position), .winner = owner_id(position)});
  }
  if (slot != no_peer && yields_to(owners_.peers()[slot].record->record, options_.self))
    offer_next(slot, out);
  else
    offers_.forget(id);
}

void Holdings::take_offers(PlacementOutput& out) {
  offers_wait_ = false;
  for (const PeerSlot giver : owners_.yielders()) offer_next(giver, out);
}

void Holdings::offer_next(PeerSlot slot, PlacementOutput& out) {
  if (!open_ || leaving_) return;
  const Grid& grid = owners_.grid();
  const wire::PeerRecord& record = owners_.peers()[slot].record->record;
  Giver* giver = offers_.find(record.id);
  if (giver && (giver->fetching || giver->failed.size() >= failures_max)) return;
  for (const wire::CellYield& yield : record.yields) {
    if (yield.to != options_.self) continue;
    const std::uint32_t end = grid.cells_below(std::uint64_t{yield.first} + yield.count);
    for (std::uint32_t position = grid.cells_below(yield.first); position < end; ++position) {
      if (!offers(slot, position) || (giver && giver->failed.contains(position))) continue;
      if (!has_room()) {
        offers_wait_ = true;
        return;
      }
      if (!giver) giver = &offers_.meet(record.id, ++clock_);
      giver->fetching = position;
      out.actions.push_back(PlacementOutput::Offered{.cell = cell(position), .from = record.id});
      return;
    }
  }
}

// Does the peer own the cell, and yield it to this one, which has not failed with it?
bool Holdings::offers(PeerSlot giver, std::uint32_t position) const {
  if (giver == no_peer || owners_.owner(position) != giver || avoids(position)) return false;
  return yields_to(owners_.peers()[giver].record->record, cell(position), options_.self);
}

std::optional<PeerId> Holdings::owner_id(std::uint32_t position) const {
  const PeerSlot owner = owners_.owner(position);
  if (owner == no_peer) return std::nullopt;
  return owners_.peers().id(owner);
}

void Holdings::grow(const Grid& grid, TimePoint now, PlacementOutput& out) {
  take_back(grants_.take_back_all(), out);
  const Grid old = owners_.grid();
  offers_.renumber(old, grid);
  claims_.renumber(old, grid);
  owners_.grow(grid, now);
  out.actions.push_back(PlacementOutput::Grown{grid});
  changed_ = true;
}

void Holdings::leave(PlacementOutput& out) {
  leaving_ = true;
  changed_ = true;
  for (const auto& [id, giver] : offers_.givers())
    if (giver.fetching)
      out.actions.push_back(PlacementOutput::Dropped{.cell = cell(*giver.fetching), .winner = id});
  offers_ = {};
}

void Holdings::let_go(TimePoint now, PlacementOutput& out) {
  while (claims_.count() > 0) lose(claims_.runs().back().end() - 1, std::nullopt, now, out);
}

OwnerMap::Shift Holdings::commit(TimePoint now, PlacementOutput& out) {
  OwnerMap::Shift total = OwnerMap::Shift::None;
  // Again when a claim of this peer loses by what it says now: one that it yields, to a claim that
  // lost until then. Every time around there are fewer claims.
  while (std::exchange(changed_, false)) {
    for (const std::uint32_t position : claims_.fit()) {
      take_back(grants_.remove(position), out);
      out.actions.push_back(
          PlacementOutput::Dropped{.cell = cell(position), .winner = std::nullopt});
    }
    const RecordRef record = own_record();
    hear_stamps(record->record);
    const OwnerMap::Shift shift = owners_.set(options_.self, record, now);
    if (shift == OwnerMap::Shift::None) continue;
    out.claims_changed = true;
    total = std::max(total, shift);
    absorb_changes(now, out);
  }
  if (offers_wait_ && has_room()) take_offers(out);
  CHECK(owners_.peers()[own_slot].wins == claims_.count(), owners_.peers()[own_slot].wins,
        claims_.count());
  return total;
}

bool Holdings::has_room() const {
  return claims_.count() + offers_.fetching_count() < capacity();
}

RecordRef Holdings::own_record() const {
  StoredRecord stored;
  wire::PeerRecord& record = stored.record;
  record.id = options_.self;
  record.capacity = capacity();
  record.leaving = leaving_;
  record.grid = owners_.grid().epoch;
  record.claims = claims_.encode(owners_.grid());
  record.yields = grants_.encode(owners_.grid());
  return RecordRef(std::move(stored));
}

}  // namespace quadrille::peer
