#include "peer/membership/broadcast_queue.hpp"

#include <algorithm>
#include <iterator>
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

void BroadcastQueue::add(Statement statement, Urgency urgency) {
  const PeerId subject = statement.subject;
  if (const auto found = entries_.find(subject); found != entries_.end()) {
    ranks_.erase(found->second.rank);
    entries_.erase(found);
  }
  if (entries_.size() == broadcasts_max) {
    const auto last = std::prev(ranks_.end());
    entries_.erase(last->subject);
    ranks_.erase(last);
  }
  const Rank rank{.urgency = urgency, .sends = 0, .sequence = next_sequence_++, .subject = subject};
  const std::size_t bytes = encoded_bytes_bound(statement.update());
  ranks_.insert(rank);
  entries_.emplace(subject, Entry{std::move(statement), rank, bytes});
}

void BroadcastQueue::pick(std::size_t& room_bytes, std::uint32_t sends_max,
                          std::vector<wire::Update>& out) {
  std::vector<std::set<Rank>::node_type> picked;
  std::size_t misfits = 0;
  for (auto at = ranks_.begin();
       at != ranks_.end() && misfits < misfits_max && out.size() < wire::updates_max;) {
    Entry& entry = entries_.find(at->subject)->second;
    if (entry.bytes > room_bytes) {
      ++misfits;
      ++at;
      continue;
    }
    room_bytes -= entry.bytes;
    out.push_back(entry.statement.update());
    auto node = ranks_.extract(at++);
    entry.rank.sends = ++node.value().sends;
    if (entry.rank.sends < sends_max) {
      picked.push_back(std::move(node));
    } else {
      entries_.erase(node.value().subject);
    }
  }
  for (auto& node : picked) ranks_.insert(std::move(node));
}

std::uint32_t sends_for(std::size_t live_count, std::uint32_t multiplier, std::uint32_t least) {
  std::uint32_t digits = 0;  // ceil(log10(live_count + 1))
  for (std::size_t count = live_count; count > 0; count /= 10) ++digits;
  return std::max(least, multiplier * digits);
}

}  // namespace quadrille::peer
