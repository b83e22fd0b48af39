#include "peer/status/status_board.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

constexpr std::uint16_t age_seconds_max = 65535;

std::uint16_t age_seconds(Duration age) {
  const auto seconds = (age + std::chrono::milliseconds(500)) / std::chrono::seconds(1);
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(seconds, 0, age_seconds_max));
}

// Sequences go round (RFC 1982): none is the last, so that of a forged one its owner can go on.
bool is_later(std::uint32_t sequence, std::uint32_t than) {
  return static_cast<std::int32_t>(sequence - than) > 0;
}

// Equal for everybody who looks at it, whatever its age.
bool shows_the_same(wire::CellStatus a, const wire::CellStatus& b) {
  const bool both_unscored = a.score != a.score && b.score != b.score;  // NaN equals nothing
  if (both_unscored) a.score = 0;
  a.age_seconds = b.age_seconds;
  a.sequence = b.sequence;
  wire::CellStatus other = b;
  if (both_unscored) other.score = 0;
  return a == other;
}

}  // namespace

StatusBoard::StatusBoard(PeerId self) : self_(self) {}

StatusBoard::Entry* StatusBoard::entry(CellIndex cell) {
  if (cell.value >= places_.size() || places_[cell.value] == 0) return nullptr;
  return &entries_[places_[cell.value] - 1];
}

const StatusBoard::Entry* StatusBoard::entry(CellIndex cell) const {
  return const_cast<StatusBoard*>(this)->entry(cell);
}

StatusBoard::Entry& StatusBoard::entry_or_new(CellIndex cell) {
  CHECK(cell.value < wire::cells_max, cell.value);
  if (Entry* known = entry(cell)) return *known;
  if (cell.value >= places_.size())
    places_.resize(std::max<std::size_t>(cell.value + std::size_t{1}, cells_));
  entries_.emplace_back();
  places_[cell.value] = static_cast<std::uint32_t>(entries_.size());
  return entries_.back();
}

wire::CellStatus StatusBoard::status_of(CellIndex cell, const Entry& entry, TimePoint now) const {
  return {.cell = cell,
          .owner = entry.owner,
          .sequence = entry.sequence,
          .round = entry.round,
          .generator_fitness = entry.generator_fitness,
          .discriminator_fitness = entry.discriminator_fitness,
          .score = entry.score,
          .sent_bytes_per_second = entry.sent_bytes_per_second,
          .age_seconds = age_seconds(now - entry.said),
          .device = entry.device,
          .phase = entry.phase};
}

void StatusBoard::store(const wire::CellStatus& status, TimePoint said, Entry& entry) {
  entry.owner = status.owner;
  entry.round = status.round;
  entry.said = said;
  entry.sequence = status.sequence;
  entry.generator_fitness = status.generator_fitness;
  entry.discriminator_fitness = status.discriminator_fitness;
  entry.score = status.score;
  entry.sent_bytes_per_second = status.sent_bytes_per_second;
  entry.device = status.device;
  entry.phase = status.phase;
}

void StatusBoard::set_scale(std::size_t live_peers, std::size_t cells) {
  cells_ = std::clamp<std::size_t>(cells, 1, wire::cells_max);
  // To each peer once and one more against loss: a small fleet needs no more.
  sends_ = static_cast<std::uint8_t>(std::clamp<std::size_t>(live_peers, 1, sends_max));
  entries_.reserve(cells_);  // exactly: a vector that doubles would waste up to half
}

Duration StatusBoard::interval() const {
  const auto seconds = std::chrono::seconds(cells_ * sends_max / sends_per_second);
  return std::max<Duration>(interval_min, seconds);
}

void StatusBoard::set_own(wire::CellStatus status, TimePoint now) {
  Entry& known = entry_or_new(status.cell);
  const auto [own, is_new] = own_.try_emplace(status.cell, now);
  if (is_new || known.phase != status.phase) {
    due_.erase({own->second, status.cell});
    own->second = status.phase == wire::CellPhase::Acquiring ? now + acquiring_pause : now;
    due_.emplace(own->second, status.cell);
  }
  if (known.owner != self_) drop_news(status.cell, known);
  status.owner = self_;
  status.sequence = known.owner == self_ ? known.sequence : 0;
  const bool same = shows_the_same(status_of(status.cell, known, now), status);
  store(status, now, known);
  if (!same) note_change(status.cell, known);
}

void StatusBoard::drop_own(CellIndex cell) {
  const auto own = own_.find(cell);
  if (own == own_.end()) return;
  Entry& known = *entry(cell);
  if (known.phase == wire::CellPhase::Failed && own->second <= known.said) announce(cell, known);
  due_.erase({own->second, cell});
  own_.erase(own);
}

bool StatusBoard::merge(const wire::CellStatus& status, TimePoint now) {
  if (status.cell.value >= wire::cells_max) return false;
  // Of its own cells a peer knows best, and what it said itself comes back to it often. What it did
  // not say, but might later, it must go beyond.
  if (status.owner == self_ && is_later(status.sequence, own_sequence_))
    own_sequence_ = status.sequence;
  if (status.owner == self_ || own_.contains(status.cell)) return false;
  const TimePoint said = now + -std::chrono::seconds(status.age_seconds);
  if (const Entry* known = entry(status.cell)) {
    const bool is_counted = known->owner == status.owner;
    const bool is_younger = said > known->said + (is_counted ? count_life : age_error);
    if (!is_younger && !(is_counted && is_later(status.sequence, known->sequence))) return false;
  }
  Entry& target = entry_or_new(status.cell);
  store(status, said, target);
  make_news(status.cell, target);
  note_change(status.cell, target);
  return true;
}

void StatusBoard::make_news(CellIndex cell, Entry& entry) {
  entry.sends_left = sends_;
  if (entry.is_fresh) return;
  entry.is_fresh = true;
  fresh_.push_back(cell);
}

// What its former owner said is passed on no more: it would go out under the new one's name.
void StatusBoard::drop_news(CellIndex cell, Entry& entry) {
  if (entry.is_fresh) std::erase(fresh_, cell);
  if (entry.is_repeat) std::erase(repeats_, cell);
  entry.is_fresh = entry.is_repeat = false;
  entry.sends_left = 0;
}

void StatusBoard::announce(CellIndex cell, Entry& own) {
  own.sequence = ++own_sequence_;
  make_news(cell, own);
}

void StatusBoard::announce_own(TimePoint now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const CellIndex cell = due_.begin()->second;
    due_.erase(due_.begin());
    Entry& own = *entry(cell);
    announce(cell, own);
    // Three to five quarters of the interval.
    const std::uint64_t dice = chain(mix64(self_.low ^ cell.value), own.sequence);
    const auto permille = static_cast<std::int64_t>(dice % 501 + 750);
    const TimePoint next = now + interval() / 1000 * permille;
    own_[cell] = next;
    due_.emplace(next, cell);
  }
}

CellIndex StatusBoard::take_fresh() {
  const CellIndex cell = fresh_.front();
  fresh_.pop_front();
  Entry& news = *entry(cell);
  news.is_fresh = false;
  --news.sends_left;
  if (news.sends_left > 0 && !news.is_repeat) {
    news.is_repeat = true;
    repeats_.push_back(cell);
  }
  return cell;
}

std::optional<CellIndex> StatusBoard::take_repeat(const std::vector<wire::CellStatus>& picked) {
  const CellIndex cell = repeats_.front();
  repeats_.pop_front();
  Entry& known = *entry(cell);
  known.is_repeat = false;
  // News of it came since, and goes with the fresh ones; or that was sent, and was all.
  if (known.is_fresh || known.sends_left == 0) return std::nullopt;
  const bool in_this_datagram = std::ranges::any_of(
      picked, [&](const wire::CellStatus& status) { return status.cell == cell; });
  if (!in_this_datagram) --known.sends_left;
  if (known.sends_left > 0) {
    known.is_repeat = true;
    repeats_.push_back(cell);
  }
  return in_this_datagram ? std::nullopt : std::optional(cell);
}

std::vector<wire::CellStatus> StatusBoard::pick(std::size_t bytes, TimePoint now) {
  announce_own(now);
  const std::size_t count_max = bytes / wire::cell_status_bytes;
  // What joins the end of the queue meanwhile is not reached: none goes twice in one datagram.
  std::size_t repeats_left = repeats_.size();
  std::vector<wire::CellStatus> picked;
  while (picked.size() < count_max && (!fresh_.empty() || repeats_left > 0)) {
    std::optional<CellIndex> cell;
    if (!fresh_.empty()) {
      cell = take_fresh();
    } else {
      --repeats_left;
      cell = take_repeat(picked);
    }
    if (cell) picked.push_back(status_of(*cell, *entry(*cell), now));
  }
  return picked;
}

std::optional<wire::CellStatus> StatusBoard::find(CellIndex cell, TimePoint now) const {
  const Entry* known = entry(cell);
  if (known == nullptr) return std::nullopt;
  return status_of(cell, *known, now);
}

std::vector<wire::CellStatus> StatusBoard::all(TimePoint now) const {
  std::vector<wire::CellStatus> statuses;
  statuses.reserve(entries_.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i)
    if (places_[i] != 0) statuses.push_back(status_of({i}, entries_[places_[i] - 1], now));
  return statuses;
}

void StatusBoard::note_change(CellIndex cell, Entry& entry) {
  if (!watched_ || entry.is_changed) return;
  entry.is_changed = true;
  changed_.push_back(cell);
}

void StatusBoard::set_watched(bool watched) {
  watched_ = watched;
  if (!watched) take_changed();
}

std::vector<CellIndex> StatusBoard::take_changed() {
  std::vector<CellIndex> cells = std::exchange(changed_, {});
  for (const CellIndex cell : cells) entry(cell)->is_changed = false;
  std::ranges::sort(cells);
  return cells;
}

}  // namespace quadrille::peer
