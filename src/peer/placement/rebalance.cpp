#include "peer/placement/rebalance.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/check.hpp"
#include "peer/placement/takers.hpp"

namespace quadrille::peer {

namespace {

// How many cells the donor should let the asker have: half of what they differ by, but so that the
// one does not come under its share, nor the other over it; or what was moved must move on.
std::uint32_t donation(std::uint32_t donor_load, std::uint32_t asker_load, const WaterLevel& fair) {
  if (donor_load < asker_load + 2) return 0;
  if (asker_load >= fair.ceiling() || donor_load <= fair.floor) return 0;
  return std::min(
      {(donor_load - asker_load) / 2, fair.ceiling() - asker_load, donor_load - fair.floor});
}

// The front of the youngest run that is not yielded already, nor was declined by the asker.
std::optional<Grant> youngest(const Holdings& holdings, PeerId asker, std::uint32_t count_max) {
  const Grants& grants = holdings.grants();
  const auto is_free = [&](std::uint32_t position) {
    return !grants.contains(position) && !grants.declined(asker, position);
  };
  std::optional<Grant> best;
  std::uint64_t best_stamp = 0;
  for (const OwnClaims::Run& run : holdings.claims().runs()) {
    std::uint32_t first = run.first;
    while (first < run.end() && !is_free(first)) ++first;
    std::uint32_t end = first;
    while (end < run.end() && end - first < count_max && is_free(end)) ++end;
    if (end == first || (best && run.stamp < best_stamp)) continue;
    best = Grant{.first = first, .count = end - first, .to = asker, .deadline = {}};
    best_stamp = run.stamp;
  }
  return best;
}

// By slot, how many of a peer's cells this one would not take: it would be offered them for ever.
std::map<PeerSlot, std::uint32_t> avoided_by_owner(const Holdings& holdings) {
  const OwnerMap& owners = holdings.owners();
  std::map<PeerSlot, std::uint32_t> counts;
  for (const CellIndex cell : holdings.avoided())
    if (owners.grid().contains(cell)) ++counts[owners.owner(owners.grid().position_of(cell))];
  return counts;
}

}  // namespace

Rebalance::Rebalance(Options options, RandomStream random)
    : options_(options), random_(random), interval_(options.interval) {}

void Rebalance::note(OwnerMap::Shift shift, TimePoint now) {
  if (shift == OwnerMap::Shift::None) return;
  if (shift == OwnerMap::Shift::Members) {
    members_changed_at_ = now;
    fair_.reset();
  }
  if (balanced_) unbalanced_since_ = now;
  balanced_ = false;
}

std::optional<TimePoint> Rebalance::due(const Holdings& holdings) const {
  if (balanced_ || !holdings.has_room()) return std::nullopt;
  TimePoint at =
      std::min(members_changed_at_ + options_.members_quiet, unbalanced_since_ + options_.patience);
  // Vacant cells go first to those who have few.
  const OwnerMap& owners = holdings.owners();
  if (owners.vacant_count() > 0) at = std::max(at, owners.oldest_vacancy() + options_.patience);
  return std::max(at, next_request_);
}

void Rebalance::act(Holdings& holdings, TimePoint now, PlacementOutput& out) {
  const auto at = due(holdings);
  if (!at || now < *at) return;
  const std::vector<std::uint32_t> loads = holdings.owners().loads();
  const std::uint32_t own_load = loads[Holdings::own_slot];
  const auto donor = choose_donor(holdings, loads, own_load);
  if (!donor) {
    balanced_ = true;
    return;
  }
  if (asked_) interval_ = std::min(interval_ * 2, options_.interval_max);  // no answer came
  asked_ = {.donor = *donor, .sequence = ++sequence_};
  next_request_ = now + interval_;
  out.messages.push_back(
      {.to = *donor, .message = wire::YieldRequest{.sequence = sequence_, .cells_held = own_load}});
}

// Somebody who has more than its share, or else somebody of those who have most.
std::optional<PeerId> Rebalance::choose_donor(const Holdings& holdings,
                                              std::span<const std::uint32_t> loads,
                                              std::uint32_t own_load) {
  const OwnerMap& owners = holdings.owners();
  const std::uint32_t ceiling = fair(owners).ceiling();
  if (own_load >= ceiling) return std::nullopt;
  const std::map<PeerSlot, std::uint32_t> avoided = avoided_by_owner(holdings);
  std::vector<PeerSlot> donors;
  std::uint32_t least = own_load + 2;
  for (PeerSlot slot = 0; slot < loads.size(); ++slot) {
    const std::uint32_t load = std::min(loads[slot], ceiling + 1);
    if (load < least || owners.peers()[slot].record->record.leaving) continue;
    if (holdings.doubts().contains(owners.peers().id(slot))) continue;
    const auto useless = avoided.find(slot);
    if (useless != avoided.end() && useless->second >= loads[slot]) continue;
    if (load > least) donors.clear();
    least = load;
    donors.push_back(slot);
  }
  if (donors.empty()) return std::nullopt;
  const auto drawn = random_.below(static_cast<std::uint32_t>(donors.size()));
  return owners.peers().id(donors[drawn]);
}

const WaterLevel& Rebalance::fair(const OwnerMap& owners) {
  const std::uint32_t epoch = owners.grid().epoch.epoch;
  if (!fair_ || fair_epoch_ != epoch) fair_ = fair_level(owners);
  fair_epoch_ = epoch;
  return *fair_;
}

void Rebalance::on_reply(PeerId from, const wire::YieldReply& reply) {
  if (!asked_ || asked_->donor != from || asked_->sequence != reply.sequence) return;
  asked_.reset();
  interval_ = reply.granted ? options_.interval : std::min(interval_ * 2, options_.interval_max);
}

void Rebalance::on_request(PeerId from, const wire::YieldRequest& request, Holdings& holdings,
                           TimePoint now, PlacementOutput& out) {
  const OwnerMap& owners = holdings.owners();
  const PeerSlot asker = owners.peers().find(from);
  std::optional<Grant> grant;
  if (asker != no_peer && from != holdings.self() && !holdings.leaving() &&
      !holdings.grants().full() && is_taker(owners.peers()[asker].record->record)) {
    const std::vector<std::uint32_t> loads = owners.loads();
    const std::uint32_t asker_load = std::max(loads[asker], request.cells_held);
    const std::uint32_t capacity = owners.peers()[asker].record->record.capacity;
    const std::uint32_t room = capacity > asker_load ? capacity - asker_load : 0;
    const std::uint32_t count =
        std::min(room, donation(loads[Holdings::own_slot], asker_load, fair(owners)));
    if (count > 0) grant = youngest(holdings, from, count);
    if (count > 0 && !grant) holdings.forget_declined(from);
  }
  if (grant) {
    grant->deadline = now + options_.yield_deadline;
    holdings.give(*grant, out);
  }
  out.messages.push_back(
      {.to = from,
       .message = wire::YieldReply{.sequence = request.sequence, .granted = grant.has_value()}});
}

}  // namespace quadrille::peer
