#include "sim/view_history.hpp"

#include <utility>

#include "base/hash.hpp"

namespace quadrille::sim {

void ViewHistory::on_started(NodeIndex node, RunId run, PeerId self) {
  memories_[node] = Memory{};
  memories_[node].run = run;
  memories_[node].self = self;
  owners_[self].run = run;
}

std::optional<Violation> ViewHistory::on_own_record(NodeIndex node, PeerId self, Edition edition,
                                                    Bytes bytes) {
  Owner& owner = owners_[self];
  if (edition < owner.newest)
    return broken("I1", node, "its own record went back from ", owner.newest, " to ", edition);
  owner.newest = edition;
  owner.sent[edition] = hash_of(bytes);
  return std::nullopt;
}

// The hash tells whether anything changed among live members, the count whether a tombstone came or
// was forgotten. What else is said of the gone is seen with the next of these.
std::optional<Violation> ViewHistory::look(NodeIndex node, const peer::View& view,
                                           std::uint64_t owners_hash) {
  Memory& memory = memories_[node];
  if (view.hash() == memory.hash && view.members().size() == memory.seen.size())
    return std::nullopt;
  memory.hash = view.hash();
  const std::uint64_t run_and_view = chain(chain(memory.run.high, memory.run.low), view.hash());
  const auto first = first_owners_.try_emplace(run_and_view, OwnersSeen{owners_hash, node}).first;
  if (first->second.hash != owners_hash)
    return broken("I2", node, "with the view that host ", first->second.node,
                  " had, it has other owners");
  for (const peer::Member& member : view.members())
    if (auto found = look_at(node, member)) return found;
  // Once a tombstone is forgotten (after 24 hours, or for want of room), anything may be believed
  // of its member again.
  if (memory.seen.size() > view.members().size())
    std::erase_if(memory.seen, [&](const auto& seen) { return view.find(seen.first) == nullptr; });
  return std::nullopt;
}

std::optional<Violation> ViewHistory::look_at(NodeIndex node, const peer::Member& member) {
  Memory& memory = memories_[node];
  const auto owner = owners_.find(member.id);
  if (owner == owners_.end())
    return broken("I9", node, "it knows ", member.id, ", which never was");
  if (owner->second.run != memory.run)
    return broken("I9", node, "it knows ", member.id, ", which is of another run");
  const Edition& newest = owner->second.newest;
  if (member.incarnation > newest.incarnation)
    return broken("I1", node, "it knows incarnation ", member.incarnation, " of ", member.id,
                  ", whose owner is at ", newest.incarnation);
  Seen& seen = memory.seen[member.id];
  const Seen before =
      std::exchange(seen, {.incarnation = member.incarnation,
                           .edition = {.incarnation = member.incarnation, .version = 0},
                           .is_live = peer::is_live(member.state())});
  const bool was_gone = !before.is_live && before.incarnation > 0;
  if (seen.is_live && was_gone && member.record->record.incarnation <= before.incarnation)
    return broken("I5", node, member.id, " was gone at incarnation ", before.incarnation,
                  " and is back with ", member.record->record.incarnation);
  if (seen.incarnation < before.incarnation)
    return broken("I1", node, "the incarnation that it holds of ", member.id, " went back from ",
                  before.incarnation, " to ", seen.incarnation);
  if (!seen.is_live) return std::nullopt;
  seen.edition = {.incarnation = member.record->record.incarnation,
                  .version = member.record->record.version};
  if (seen.edition > newest)
    return broken("I1", node, "it holds edition ", seen.edition, " of ", member.id,
                  ", whose owner is at ", newest);
  if (before.is_live && seen.edition < before.edition)
    return broken("I1", node, "its record of ", member.id, " went back from ", before.edition,
                  " to ", seen.edition);
  // Of itself it keeps what today's code writes, whatever it sends. And an edition that lasted for
  // less than an event was never shown.
  const auto sent = owner->second.sent.find(seen.edition);
  if (seen.edition != before.edition && member.id != memory.self &&
      sent != owner->second.sent.end() && sent->second != hash_of(member.record->bytes))
    return broken("I10", node, "its record of ", member.id, ", edition ", seen.edition,
                  ", is not the bytes that its owner sent");
  return std::nullopt;
}

}  // namespace quadrille::sim
