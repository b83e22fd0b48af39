#include "peer/membership/broadcast_queue.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

// Statements that are passed over for smaller ones behind them, in one datagram.
constexpr std::size_t misfits_max = 8;

}  // namespace

Statement Statement::alive(RecordRef record) {
  return {.kind = wire::UpdateKind::Alive,
          .subject = record->record.id,
          .incarnation = record->record.incarnation,
          .accuser = {},
          .record = std::move(record)};
}

Statement Statement::without_record(const wire::Update& update) {
  return {.kind = update.kind,
          .subject = update.subject,
          .incarnation = update.incarnation,
          .accuser = update.accuser,
          .record = nullptr};
}

wire::Update Statement::update() const {
  wire::Update update{.kind = kind,
                      .subject = subject,
                      .incarnation = incarnation,
                      .version = 0,
                      .accuser = accuser,
                      .record = {}};
  if (record) {
    update.version = record->record.version;
    update.record = record->bytes;
  }
  return update;
}

std::size_t Statement::bytes_bound() const {
  return wire::encoded_update_bytes_bound(accuser != PeerId{}, record ? record->bytes.size() : 0);
}

void BroadcastQueue::add(Statement statement, Urgency urgency) {
  const PeerId subject = statement.subject;
  if (const auto found = by_subject_.find(subject); found != by_subject_.end()) {
    like(*found->second).erase(found->second);
    by_subject_.erase(found);
  }
  if (by_subject_.size() == broadcasts_max) give_one_up();
  const std::size_t bytes = statement.bytes_bound();
  Entry entry{.statement = std::move(statement),
              .bytes = bytes,
              .since = now_,
              .urgency = urgency,
              .sends = 0};
  Entries& entries = like(entry);
  by_subject_.emplace(subject, entries.insert(entries.end(), std::move(entry)));
}

BroadcastQueue::Entries& BroadcastQueue::like(const Entry& entry) {
  std::vector<Entries>& by_sends = waiting_[static_cast<std::size_t>(entry.urgency)];
  if (by_sends.size() <= entry.sends) by_sends.resize(entry.sends + 1);
  return by_sends[entry.sends];
}

bool BroadcastQueue::is_old(const Entry& entry) const {
  return entry.urgency == Urgency::Alive && entry.since + alive_news_life < now_;
}

void BroadcastQueue::give_one_up() {
  for (auto& by_sends : std::views::reverse(waiting_)) {
    for (Entries& entries : std::views::reverse(by_sends)) {
      if (entries.empty()) continue;
      by_subject_.erase(entries.front().statement.subject);
      entries.pop_front();
      return;
    }
  }
}

void BroadcastQueue::pick(std::size_t& room_bytes, std::uint32_t sends_max,
                          std::vector<wire::Update>& out) {
  Entries picked;
  std::size_t misfits = 0;
  const auto has_room = [&] { return misfits < misfits_max && out.size() < wire::updates_max; };
  for (Entries& entries : waiting_ | std::views::join) {
    for (auto at = entries.begin(); at != entries.end() && has_room();) {
      const auto entry = at++;
      if (is_old(*entry)) {
        by_subject_.erase(entry->statement.subject);
        entries.erase(entry);
        continue;
      }
      if (entry->bytes > room_bytes) {
        ++misfits;
        continue;
      }
      room_bytes -= entry->bytes;
      out.push_back(entry->statement.update());
      picked.splice(picked.end(), entries, entry);
    }
  }
  while (!picked.empty()) {
    Entry& entry = picked.front();
    if (++entry.sends < sends_max) {
      Entries& entries = like(entry);
      entries.splice(entries.end(), picked, picked.begin());
    } else {
      by_subject_.erase(entry.statement.subject);
      picked.pop_front();
    }
  }
}

std::uint32_t sends_for(std::size_t live_count, std::uint32_t multiplier, std::uint32_t least) {
  std::uint32_t digits = 0;  // ceil(log10(live_count + 1))
  for (std::size_t count = live_count; count > 0; count /= 10) ++digits;
  return std::max(least, multiplier * digits);
}

}  // namespace quadrille::peer
