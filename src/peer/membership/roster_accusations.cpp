// What the Roster does when somebody is said not to live: suspicions, doubts, tombstones.
#include <algorithm>
#include <utility>

#include "peer/membership/roster.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

using wire::EventKind;
using wire::Update;
using wire::UpdateKind;

// More than these at once, and more than a quarter of all: the fault is one's own.
constexpr std::size_t suspects_at_least = 3;
constexpr std::size_t suspects_share = 4;

}  // namespace

// --- That somebody may not ---

Roster::Outcome Roster::apply_suspect(const Update& update, TimePoint now, MembershipOutput& out) {
  const Member* known = view_.find(update.subject);
  if (known == nullptr || !is_live(known->state())) return Outcome::Nothing;
  if (update.incarnation < known->incarnation) return Outcome::Nothing;
  const bool is_news =
      suspect({.id = update.subject, .incarnation = update.incarnation, .accuser = update.accuser},
              now, out);
  return is_news ? Outcome::News : Outcome::Nothing;
}

bool Roster::accuse(PeerId id, TimePoint now, MembershipOutput& out) {
  const Member* known = view_.find(id);
  if (known == nullptr || !is_live(known->state())) return true;
  const std::size_t suspects_max = std::max(suspects_at_least, view_.live_count() / suspects_share);
  if (known->state() == MemberState::Alive && suspicions_.size() >= suspects_max) return false;
  suspect({.id = id, .incarnation = known->incarnation, .accuser = self_id()}, now, out);
  return true;
}

// True: it is news. The member is live, and no newer than that incarnation.
bool Roster::suspect(const Suspected& suspected, TimePoint now, MembershipOutput& out) {
  Member member = *view_.find(suspected.id);
  member.incarnation = suspected.incarnation;
  bool is_news = true;
  if (member.state() == MemberState::Suspect) {
    is_news = suspicions_.confirm(member.id, suspected.accuser);
  } else {
    member.standing = {MemberState::Suspect, now};
    SuspicionTerms terms = suspicion_terms(options_, view_.live_count());
    if (suspected.is_doubt) terms.confirmations = 0;
    suspicions_.begin(member.id, Suspicion(terms, suspected.accuser, now));
    note(EventKind::Suspected, member, out);
  }
  put(std::move(member), out);
  if (is_news && !suspected.is_doubt) {
    broadcasts_.add({.kind = UpdateKind::Suspect,
                     .subject = suspected.id,
                     .incarnation = suspected.incarnation,
                     .accuser = suspected.accuser,
                     .record = nullptr},
                    Urgency::Suspicion);
  }
  return is_news;
}

std::optional<Update> Roster::accusation(PeerId id) const {
  const Member* known = view_.find(id);
  return known != nullptr ? accusation(*known) : std::nullopt;
}

std::optional<Update> Roster::accusation(const Member& member) const {
  Update update{.kind = UpdateKind::Left,
                .subject = member.id,
                .incarnation = member.incarnation,
                .version = 0,
                .accuser = {},
                .record = {}};
  switch (member.state()) {
    case MemberState::Alive:
      return std::nullopt;
    case MemberState::Suspect:
      update.kind = UpdateKind::Suspect;
      update.accuser = *suspicions_.first_accuser(member.id);
      break;
    case MemberState::Dead:
      update.kind = UpdateKind::Dead;
      update.accuser = self_id();
      break;
    case MemberState::Left:
      break;
  }
  return update;
}

// --- That somebody is gone ---

Roster::Outcome Roster::apply_gone(const Update& update, Source source, TimePoint now,
                                   MembershipOutput& out) {
  const Member* known = view_.find(update.subject);
  if (known == nullptr) return bury_unknown(update, source, now);
  if (update.incarnation < known->incarnation) return Outcome::Nothing;
  if (!is_live(known->state())) {
    Member raised = *known;
    raised.incarnation = update.incarnation;
    view_.put(std::move(raised));
    return Outcome::Nothing;
  }
  const bool is_left = update.kind == UpdateKind::Left;
  if (is_left ? source == Source::Stranger : !believes_death_of(*known, source, now)) {
    suspect({.id = update.subject,
             .incarnation = update.incarnation,
             .accuser = is_left ? self_id() : update.accuser,
             .is_doubt = true},
            now, out);
    return Outcome::Doubted;
  }
  bury(update, now, out);
  return Outcome::News;
}

// Nobody dies here who has not been suspected here for a while: when a split heals, the far side's
// suspicions and verdicts run ahead of the refutations. And a whole view that is handed over, or a
// stranger, speaks of what it held while it was out of reach.
bool Roster::believes_death_of(const Member& member, Source source, TimePoint now) const {
  if (member.state() != MemberState::Suspect || source != Source::Member) return false;
  return now - member.since() >= suspicion_terms(options_, view_.live_count()).shortest / 2;
}

// Without the tombstone, a late word that it lives would be believed. A stranger can make up as
// many as it likes, and news of the gone goes before all other.
Roster::Outcome Roster::bury_unknown(const Update& update, Source source, TimePoint now) {
  if (source == Source::Stranger || view_.members().size() >= wire::members_max)
    return Outcome::Nothing;
  const bool is_left = update.kind == UpdateKind::Left;
  view_.put({.id = update.subject,
             .incarnation = update.incarnation,
             .record = nullptr,
             .standing = {is_left ? MemberState::Left : MemberState::Dead, now}});
  add_tombstone(update.subject, now);
  if (source == Source::Sync) return Outcome::Nothing;
  broadcasts_.add(Statement::without_record(update), Urgency::Gone);
  return Outcome::News;
}

void Roster::bury(const Update& update, TimePoint now, MembershipOutput& out) {
  Member member = *view_.find(update.subject);
  const bool is_dead = update.kind == UpdateKind::Dead;
  note(is_dead ? EventKind::Died : EventKind::Left, member, out);
  suspicions_.end(member.id);
  if (is_dead) {
    departed_.add({.id = member.id,
                   .endpoint = member.record->record.endpoints.front(),
                   .since = now,
                   .called = std::nullopt});
  }
  add_tombstone(member.id, now);
  broadcasts_.add(Statement::without_record(update), Urgency::Gone);
  member.incarnation = update.incarnation;
  member.record = nullptr;
  member.standing = {is_dead ? MemberState::Dead : MemberState::Left, now};
  put(std::move(member), out);
}

// --- Tombstones ---

void Roster::add_tombstone(PeerId id, TimePoint now) {
  if (tombstones_.size() == tombstones_max) forget_oldest();
  tombstones_.emplace_back(now, id);
}

// A member that has come back since, or died anew, keeps its place.
void Roster::forget_oldest() {
  const auto [since, id] = tombstones_.front();
  tombstones_.pop_front();
  const Member* member = view_.find(id);
  if (member == nullptr || is_live(member->state()) || member->since() != since) return;
  view_.forget(id);  // it is called on, for as long as its place among the departed lasts
}

}  // namespace quadrille::peer
