#include "peer/placement/vacancies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "peer/placement/takers.hpp"

namespace quadrille::peer {

namespace {

// Each costs a plan of its own: what further peers gave up is planned for as if nobody had.
constexpr std::size_t planned_without_max = 16;

std::vector<std::uint32_t> vacant_positions(const OwnerMap& owners) {
  std::vector<std::uint32_t> positions;
  for (std::uint32_t position = 0; position < owners.grid().cell_count(); ++position)
    if (owners.owner(position) == no_peer) positions.push_back(position);
  return positions;
}

// The vacant cells by whom they must not be given to, since they failed there; of most, nobody.
std::map<std::optional<PeerId>, std::vector<std::uint32_t>> vacant_by_failure(
    const OwnerMap& owners) {
  std::map<std::optional<PeerId>, std::vector<std::uint32_t>> groups{{std::nullopt, {}}};
  for (const std::uint32_t position : vacant_positions(owners)) {
    std::optional<PeerId> without = owners.given_up_by(position);
    if (groups.size() > planned_without_max && !groups.contains(without)) without.reset();
    groups[without].push_back(position);
  }
  return groups;
}

// What the plan gives the peer. Who has just given a cell up has the least, and would be given it
// again by everybody's plan: so each plans for what it gave up as if it were not there.
std::vector<std::uint32_t> share_of(PeerId peer, const OwnerMap& owners) {
  std::vector<Taker> takers = takers_of(owners);
  std::vector<std::uint32_t> share;
  for (const auto& [without, vacant] : vacant_by_failure(owners)) {
    if (vacant.empty()) continue;
    const auto excluded =
        without ? std::ranges::find(takers, *without, &Taker::peer) : takers.end();
    const auto excluded_place = static_cast<std::size_t>(excluded - takers.begin());
    std::vector<Taker> able = takers;
    if (excluded_place < able.size())
      able.erase(able.begin() + static_cast<std::ptrdiff_t>(excluded_place));
    const std::vector<std::uint32_t> given = plan(vacant, owners.grid().cell_count(), able);
    for (std::size_t i = 0; i < vacant.size(); ++i) {
      if (given[i] == nobody) continue;
      Taker& taker = takers[given[i] + (given[i] >= excluded_place ? 1 : 0)];
      ++taker.load;
      if (taker.peer == peer) share.push_back(vacant[i]);
    }
  }
  return share;
}

bool may_take(std::uint32_t position, const Holdings& holdings) {
  return holdings.owners().owner(position) == no_peer && !holdings.avoids(position);
}

bool has_only_avoided(const Holdings& holdings) {
  const OwnerMap& owners = holdings.owners();
  const auto vacant = std::ranges::count_if(holdings.avoided(), [&](CellIndex cell) {
    return owners.owner(owners.grid().position_of(cell)) == no_peer;
  });
  return static_cast<std::uint32_t>(vacant) == owners.vacant_count();
}

}  // namespace

Vacancies::Vacancies(Options options, RandomStream random)
    : options_(std::move(options)), random_(random) {}

void Vacancies::note(OwnerMap::Shift shift, TimePoint now) {
  if (shift == OwnerMap::Shift::None) return;
  changed_at_ = now;
  planned_ = at_once_ = false;
}

std::optional<TimePoint> Vacancies::due(const Holdings& holdings) const {
  const OwnerMap& owners = holdings.owners();
  if (owners.vacant_count() == 0 || !holdings.has_room()) return std::nullopt;
  if (has_only_avoided(holdings)) return std::nullopt;
  const TimePoint lot = lot_due(owners);
  return std::min(plan_due(owners).value_or(lot), lot);
}

std::optional<TimePoint> Vacancies::plan_due(const OwnerMap& owners) const {
  if (at_once_) return changed_at_;
  if (planned_) return std::nullopt;
  TimePoint too_long = owners.oldest_vacancy() + options_.vacancy_max;
  // A view that never comes to rest is planned for now and then.
  if (planned_at_) too_long = std::max(too_long, *planned_at_ + options_.plan_quiet);
  return std::min(changed_at_ + options_.plan_quiet, too_long);
}

TimePoint Vacancies::lot_due(const OwnerMap& owners) const {
  return std::max(owners.oldest_vacancy() + 2 * options_.vacancy_max, drawn_at_ + lot_interval);
}

void Vacancies::act(Holdings& holdings, TimePoint now, PlacementOutput& out) {
  const auto roughly = due(holdings);
  if (!roughly || now < *roughly) return;
  holdings.owners().tighten();
  if (const auto planning = plan_due(holdings.owners()); planning && now >= *planning) {
    at_once_ = false;
    planned_ = true;
    planned_at_ = now;
    follow_plan(holdings, out);
  } else if (now >= lot_due(holdings.owners())) {
    drawn_at_ = now;
    draw_lot(holdings, now, out);
  }
}

// Takes as many as the plan says; first those whose state lies here.
void Vacancies::follow_plan(Holdings& holdings, PlacementOutput& out) const {
  const OwnerMap& owners = holdings.owners();
  std::vector<std::uint32_t> wanted;
  for (const CellIndex cell : options_.stored)
    if (owners.grid().contains(cell)) wanted.push_back(owners.grid().position_of(cell));
  const std::vector<std::uint32_t> share = share_of(holdings.self(), owners);
  wanted.insert(wanted.end(), share.begin(), share.end());
  std::size_t left = share.size();
  for (const std::uint32_t position : wanted) {
    if (left == 0) return;
    if (!may_take(position, holdings) || holdings.claims().contains(position)) continue;
    if (holdings.claim(position, out)) --left;
  }
}

void Vacancies::draw_lot(Holdings& holdings, TimePoint now, PlacementOutput& out) {
  const OwnerMap& owners = holdings.owners();
  std::vector<std::uint32_t> stale;
  for (const std::uint32_t position : vacant_positions(owners))
    if (may_take(position, holdings) &&
        owners.vacant_since(position) + 2 * options_.vacancy_max <= now)
      stale.push_back(position);
  if (stale.empty()) return;
  // This peer is able, though it may have no run to spare: the cell may join one that it has.
  const std::uint32_t able = std::max(1U, takers_with_room(owners));
  if (random_.below(able) != 0) return;
  const auto count = static_cast<std::uint32_t>(stale.size());
  const std::uint32_t first = random_.below(count);
  const std::uint32_t share = (count + able - 1) / able;
  for (std::uint32_t i = 0; i < share; ++i)
    if (!holdings.claim(stale[(first + i) % count], out)) return;
}

}  // namespace quadrille::peer
