#include "peer/membership/roster.hpp"

#include <algorithm>
#include <tuple>

#include "base/check.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

using wire::EventKind;
using wire::Update;
using wire::UpdateKind;

bool is_newer(const Update& update, const wire::PeerRecord& record) {
  return std::tie(update.incarnation, update.version) >
         std::tie(record.incarnation, record.version);
}

}  // namespace

Roster::Roster(const MembershipOptions& options, const wire::PeerRecord& self, RecordPool& pool)
    : options_(options),
      pool_(pool),
      first_incarnation_(self.incarnation),
      view_(std::min(std::size_t{self.grid.rows} * self.grid.columns, wire::members_max)) {
  Result<RecordRef> record = pool_.intern(encode(self));
  CHECK(record.has_value(), self.id);
  self_ = *std::move(record);
}

void Roster::begin(TimePoint now, MembershipOutput& out) {
  begun_ = now;
  broadcasts_.advance(now);
  publish(self_->record, now, out);
}

Roster::Outcome Roster::apply(const Update& update, Source source, TimePoint now,
                              MembershipOutput& out) {
  if (!is_plausible(update, now)) return Outcome::Nothing;
  if (update.subject == self_id()) return apply_to_self(update, now, out);
  switch (update.kind) {
    case UpdateKind::Alive:
      return apply_alive(update, source, now, out);
    case UpdateKind::Suspect:
      return apply_suspect(update, now, out);
    case UpdateKind::Dead:
    case UpdateKind::Left:
      return apply_gone(update, source, now, out);
    case UpdateKind::Unknown:
      break;
  }
  return Outcome::Nothing;
}

// An accusation may also be of the incarnation in which its subject is known: that one can be gone
// beyond, since what its subject says next may be further ahead than any accusation.
bool Roster::is_plausible(const Update& update, TimePoint now) const {
  using std::chrono::milliseconds;
  const auto lived = std::chrono::duration_cast<milliseconds>(now - begun_).count();
  const std::uint64_t clock = first_incarnation_ + static_cast<std::uint64_t>(lived);
  constexpr auto lead = static_cast<std::uint64_t>(incarnation_lead_max.count());
  if (update.kind == UpdateKind::Alive) return update.incarnation <= clock + 3 * lead;
  const Member* known = view_.find(update.subject);
  const std::uint64_t known_incarnation = known != nullptr ? known->incarnation : 0;
  const std::uint64_t limit = clock + (update.subject == self_id() ? 2 : 1) * lead;
  return update.incarnation <= std::max(limit, known_incarnation);
}

// --- About this peer ---

Roster::Outcome Roster::apply_to_self(const Update& update, TimePoint now, MembershipOutput& out) {
  if (left_ || update.kind == UpdateKind::Unknown) return Outcome::Nothing;
  const wire::PeerRecord& own = self_->record;
  if (update.kind == UpdateKind::Alive) {
    // Nobody else writes this record: a newer one is damage, and is written over.
    if (is_newer(update, own)) refute(update.incarnation, now, out);
    return Outcome::Nothing;
  }
  if (update.incarnation >= own.incarnation) refute(update.incarnation, now, out);
  return Outcome::Accused;
}

void Roster::refute(std::uint64_t accused, TimePoint now, MembershipOutput& out) {
  wire::PeerRecord record = self_->record;
  record.incarnation = std::max(record.incarnation, accused) + 1;
  record.version = 0;
  ++refutations_;
  publish(record, now, out);
}

void Roster::publish(const wire::PeerRecord& record, TimePoint now, MembershipOutput& out) {
  Result<RecordRef> stored = pool_.intern(encode(record));
  CHECK(stored.has_value(), record.id);
  self_ = *std::move(stored);
  put({.id = record.id,
       .incarnation = record.incarnation,
       .record = self_,
       .standing = {MemberState::Alive, now}},
      out);
  announce();
}

void Roster::leave(TimePoint now, MembershipOutput& out) {
  if (left_) return;
  left_ = true;
  const std::uint64_t incarnation = self_->record.incarnation;
  put({.id = self_id(),
       .incarnation = incarnation,
       .record = nullptr,
       .standing = {MemberState::Left, now}},
      out);
  broadcasts_.add({.kind = UpdateKind::Left,
                   .subject = self_id(),
                   .incarnation = incarnation,
                   .accuser = {},
                   .record = nullptr},
                  Urgency::Own);
}

// --- That somebody lives ---

Roster::Outcome Roster::apply_alive(const Update& update, Source source, TimePoint now,
                                    MembershipOutput& out) {
  const Member* known = view_.find(update.subject);
  const bool was_live = known != nullptr && is_live(known->state());
  if (was_live && !is_newer(update, known->record->record)) return Outcome::Nothing;
  if (known != nullptr && !was_live && update.incarnation <= known->incarnation)
    return Outcome::Outdated;
  const RecordRef record = record_of(update, out);
  if (!record) return Outcome::Nothing;
  if (!was_live) return admit(record, source, now, out);
  renew(*known, record, source, now, out);
  return Outcome::News;
}

// A newer record of a live member. A suspicion it ends only if its incarnation is larger.
void Roster::renew(Member member, const RecordRef& record, Source source, TimePoint now,
                   MembershipOutput& out) {
  const std::uint64_t incarnation = record->record.incarnation;
  const bool refuted = member.state() == MemberState::Suspect && incarnation > member.incarnation;
  member.record = record;
  member.incarnation = std::max(member.incarnation, incarnation);
  if (refuted) {
    suspicions_.end(member.id);
    member.standing = {MemberState::Alive, now};
    note(EventKind::Refuted, member, out);
  }
  if (passes_on(source))
    broadcasts_.add(Statement::alive(record), refuted ? Urgency::Suspicion : Urgency::Alive);
  put(std::move(member), out);
}

// Somebody new, or back from the dead.
Roster::Outcome Roster::admit(const RecordRef& record, Source source, TimePoint now,
                              MembershipOutput& out) {
  const Member member{.id = record->record.id,
                      .incarnation = record->record.incarnation,
                      .record = record,
                      .standing = {MemberState::Alive, now}};
  if (view_.find(member.id) == nullptr && !has_room()) return Outcome::Nothing;
  note(EventKind::Joined, member, out);
  const std::optional<Departed> departed = departed_.remove(member.id);
  if (departed || passes_on(source)) broadcasts_.add(Statement::alive(record), Urgency::Alive);
  const std::optional<PeerId> older = older_at_address(record->record);
  put(member, out);
  if (older) {
    const std::uint64_t incarnation = view_.find(*older)->incarnation;
    suspect({.id = *older, .incarnation = incarnation, .accuser = self_id()}, now, out);
  }
  const bool was_called =
      departed && departed->called && now - *departed->called < call_answer_time_max;
  return was_called ? Outcome::Returned : Outcome::News;
}

std::optional<PeerId> Roster::older_at_address(const wire::PeerRecord& record) const {
  const Member* other = view_.find_live(record.endpoints.front());
  if (other == nullptr) return std::nullopt;
  const wire::PeerRecord& held = other->record->record;
  if (std::tie(record.incarnation, record.id) < std::tie(held.incarnation, held.id))
    return record.id;
  if (other->id == self_id()) return std::nullopt;
  return other->id;
}

RecordRef Roster::record_of(const Update& update, MembershipOutput& out) {
  Result<RecordRef> record = pool_.intern(update.record);
  if (!record) {
    out.unreadable = record.error().detail;
    return nullptr;
  }
  const wire::PeerRecord& said = (*record)->record;
  const bool matches = said.id == update.subject && said.incarnation == update.incarnation &&
                       said.version == update.version;
  if (matches) return *std::move(record);
  out.unreadable = "an update with the record of another peer or edition";
  return nullptr;
}

bool Roster::passes_on(Source source) {
  return source != Source::Sync || passed_on_++ < sync_passes_on_max;
}

// Tombstones make room for the living, the oldest first.
bool Roster::has_room() {
  while (view_.members().size() >= wire::members_max) {
    if (tombstones_.empty()) return false;
    forget_oldest();
  }
  return true;
}

// --- Time, and the view ---

void Roster::on_time(TimePoint now, MembershipOutput& out) {
  while (const std::optional<PeerId> suspect = suspicions_.take_due(now)) {
    bury({.kind = UpdateKind::Dead,
          .subject = *suspect,
          .incarnation = view_.find(*suspect)->incarnation,
          .version = 0,
          .accuser = self_id(),
          .record = {}},
         now, out);
  }
  while (!tombstones_.empty() && tombstones_.front().first + options_.tombstone_life <= now)
    forget_oldest();
}

std::optional<TimePoint> Roster::wake_at() const {
  std::optional<TimePoint> at = suspicions_.next_deadline();
  if (!tombstones_.empty()) {
    const TimePoint end = tombstones_.front().first + options_.tombstone_life;
    at = at ? std::min(*at, end) : end;
  }
  return at;
}

void Roster::note(EventKind kind, const Member& member, MembershipOutput& out) {
  out.notes.push_back(
      {.kind = kind, .peer = member.id, .text = member.record ? member.record->record.name : ""});
}

void Roster::put(Member member, MembershipOutput& out) {
  const Member* known = view_.find(member.id);
  const RecordRef before = known != nullptr ? known->record : nullptr;
  if (before != member.record) {
    ++changes_;
    out.changes.push_back({.id = member.id, .before = before, .after = member.record});
  }
  view_.put(std::move(member));
}

}  // namespace quadrille::peer
