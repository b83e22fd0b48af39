#include "peer/exchange/inbox.hpp"

#include <algorithm>
#include <utility>

namespace quadrille::peer {
namespace {

// The longest patience that is told from waiting for ever; it keeps sums of times in range.
constexpr Duration patience_max = std::chrono::hours(24 * 365);

// The round itself, or the oldest later one.
std::optional<Round> first_from(Round round, const RoundsHeld& held) {
  std::optional<Round> found;
  for (const auto& each : {held.previous, held.newest})
    if (each && *each >= round && (!found || *each < *found)) found = each;
  return found;
}

}  // namespace

void Inbox::set_sources(std::vector<CellIndex> sources) {
  sources_ = std::move(sources);
  const auto gone = [&](const auto& entry) {
    return std::ranges::find(sources_, entry.first) == sources_.end();
  };
  std::erase_if(given_, gone);
  std::erase_if(newest_chunk_, gone);
}

void Inbox::set_need(Need need, TimePoint now) {
  deadline_.reset();
  if (need.patience && !need.newest) deadline_ = now + std::min(*need.patience, patience_max);
  need_ = std::move(need);
}

void Inbox::add_chunk(Chunk chunk) {
  const auto [newest, first] = newest_chunk_.try_emplace(chunk.from, chunk.round);
  if (!first && chunk.round <= newest->second) return;
  newest->second = chunk.round;
  const auto of_sender = [&](const Chunk& each) { return each.from == chunk.from; };
  if (std::ranges::count_if(chunks_, of_sender) >= std::ptrdiff_t{chunks_max})
    chunks_.erase(std::ranges::find_if(chunks_, of_sender));
  chunks_.push_back(std::move(chunk));
}

std::optional<AdvanceCell> Inbox::take(const Held& held, TimePoint now) {
  if (!need_) return std::nullopt;
  AdvanceCell advance{.cell = cell_, .snapshots = {}, .chunks = {}};
  const bool is_met = gather(held, advance.snapshots) && has_chunks();
  if (!is_met && !(deadline_ && now >= *deadline_)) return std::nullopt;
  advance.deadline_passed = !is_met;
  advance.chunks = std::exchange(chunks_, {});
  for (const AdvanceCell::Input& input : advance.snapshots) given_[input.edge.source] = input.round;
  need_.reset();
  deadline_.reset();
  return advance;
}

// False when something that the need lists is missing; what is there is gathered all the same.
bool Inbox::gather(const Held& held, std::vector<AdvanceCell::Input>& inputs) const {
  const auto held_of = [&](CellIndex source) {
    const auto found = held.find(source);
    return found == held.end() ? RoundsHeld{} : found->second;
  };
  const auto add = [&](CellIndex source, std::optional<Round> round) {
    if (round) inputs.push_back({.edge = {.source = source, .reader = cell_}, .round = *round});
    return round.has_value();
  };
  if (need_->newest) {
    for (const CellIndex source : sources_) add(source, held_of(source).newest);
    return true;
  }
  bool all = true;
  for (const Need::Item& item : need_->snapshots)
    all &= add(item.source, first_from(item.round, held_of(item.source)));
  return all;
}

bool Inbox::has_chunks() const {
  return std::ranges::all_of(need_->chunks, [&](const Need::Item& item) {
    return std::ranges::any_of(chunks_, [&](const Chunk& chunk) {
      return chunk.from == item.source && chunk.round == item.round;
    });
  });
}

bool Inbox::may_want(CellIndex source, Round round) const {
  if (const auto given = given_.find(source); given != given_.end() && round <= given->second)
    return false;
  if (!need_) return true;
  return std::ranges::none_of(need_->snapshots, [&](const Need::Item& item) {
    return item.source == source && item.round > round;
  });
}

}  // namespace quadrille::peer
