#include "peer/objects/wards.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quadrille::peer {

void Wards::set(const std::vector<Ward>& wards, TimePoint now, Objects& objects,
                ObjectsOutput& fetches, std::vector<WorkerCommand>& commands) {
  std::map<CellIndex, Copy> before = std::exchange(copies_, {});
  for (const Ward& ward : wards) {
    if (copies_.size() >= copies_max) break;
    Copy& copy = copies_[ward.cell];
    if (auto known = before.extract(ward.cell)) copy = std::move(known.mapped());
    copy.ward = ward;
  }
  for (auto& [cell, copy] : before) {
    if (!copy.round) continue;
    if (copy.ward) copy.drop_at = now + keep_after;
    copy.ward.reset();
    copies_.emplace(cell, copy);
  }
  on_time(now, objects, fetches, commands);
}

bool Wards::is_due(const Copy& copy) const {
  if (!copy.ward) return false;
  const std::uint64_t have = copy.round ? copy.round->index : 0;
  return copy.ward->round.index >= have + copy_every_rounds_;
}

void Wards::fetch_next(TimePoint now, Objects& objects, ObjectsOutput& fetches) {
  if (fetching_ || copies_.empty()) return;
  auto next = copies_.upper_bound(last_);
  for (std::size_t i = 0; i < copies_.size(); ++i, ++next) {
    if (next == copies_.end()) next = copies_.begin();
    Copy& copy = next->second;
    if (!is_due(copy) || copy.not_before > now) continue;
    const CellIndex cell = next->first;
    const wire::ObjectRequest what{.kind = wire::ObjectKind::State, .cell = cell};
    copy.not_before = now + retry_after;
    last_ = cell;
    fetching_ = Fetch{.id = objects.fetch(copy.ward->owner, what, now, fetches), .cell = cell};
    return;
  }
}

bool Wards::on_answer(const ObjectsOutput::Answer& answer, TimePoint now, Objects& objects,
                      ObjectsOutput& fetches, std::vector<WorkerCommand>& commands) {
  if (!fetching_ || fetching_->id != answer.fetch) return false;
  const auto found = copies_.find(fetching_->cell);
  fetching_.reset();
  if (answer.found && found != copies_.end() && answer.round > found->second.round) {
    found->second.round = answer.round;
    found->second.not_before = now;
    commands.push_back(
        KeepState{.cell = answer.cell, .round = answer.round, .state = answer.payload});
    objects.on_kept(answer.cell, answer.round);
  }
  fetch_next(now, objects, fetches);
  return true;
}

void Wards::on_time(TimePoint now, Objects& objects, ObjectsOutput& fetches,
                    std::vector<WorkerCommand>& commands) {
  for (auto place = copies_.begin(); place != copies_.end();) {
    const auto& [cell, copy] = *place;
    const bool is_over = !copy.ward && copy.drop_at <= now;
    if (is_over) {
      commands.push_back(KeepState{.cell = cell, .round = {}, .state = nullptr});
      objects.on_kept(cell, std::nullopt);
    }
    place = is_over ? copies_.erase(place) : std::next(place);
  }
  fetch_next(now, objects, fetches);
}

TimePoint Wards::wake_at() const {
  TimePoint soonest = TimePoint::never();
  for (const auto& [cell, copy] : copies_) {
    if (!copy.ward) soonest = std::min(soonest, copy.drop_at);
    if (!fetching_ && is_due(copy)) soonest = std::min(soonest, copy.not_before);
  }
  return soonest;
}

}  // namespace quadrille::peer
