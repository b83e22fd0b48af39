// What statements about members do to the view, and what follows from them: suspicions, tombstones,
// what is to be passed on. No messages here: the outcome tells the caller whom to answer.
//
//               Alive, larger incarnation          Suspect, no smaller incarnation
//      +----------------------------------+   +-----------------------------------+
//      v                                  |   |                                   v
//    Alive --- Dead, Left: no smaller --> Gone <--- the suspicion's time is over - Suspect
//      ^                                                                           |
//      +------------------- Alive, larger incarnation -----------------------------+
//
// The largest incarnation in any statement is kept for as long as the member is known, so that an
// older statement, whichever way it took, changes nothing. One that is absurdly far ahead is no
// statement: a forged one that nobody could go beyond would be the last word about its subject.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/broadcast_queue.hpp"
#include "peer/membership/departed.hpp"
#include "peer/membership/membership_options.hpp"
#include "peer/membership/membership_output.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/membership/suspicion.hpp"
#include "peer/membership/view.hpp"
#include "wire/limits.hpp"
#include "wire/update.hpp"

namespace quadrille::peer {

// Incarnations begin as the wall clock's milliseconds. How far one may be ahead of the own clock:
// so far in an accusation of somebody else, twice in one of this peer, three times in what a
// member says of itself. The limits rise with the clock, so that whatever was believed can be gone
// beyond, for ever; each leaves room for the answer to the one before it, as long as clocks differ
// by less than this. A century, since a clock that was never set begins in 1970.
inline constexpr std::chrono::milliseconds incarnation_lead_max = std::chrono::years(100);
// A dead member that lives this soon after a call lives because of the call.
inline constexpr Duration call_answer_time_max = std::chrono::seconds(5);
// Of what one anti-entropy exchange taught, gossip passes on so much (two at once share it).
inline constexpr std::size_t sync_passes_on_max = 32;
// Members that die and come back leave more than one.
inline constexpr std::size_t tombstones_max = 2 * wire::members_max;

class Roster {
 public:
  Roster(const MembershipOptions& options, const wire::PeerRecord& self, RecordPool& pool);

  void begin(TimePoint now, MembershipOutput& out);
  // The own record, to everybody, once more.
  void announce() { broadcasts_.add(Statement::alive(self_), Urgency::Own); }

  // Where a statement comes from: the gossip of a live member, that of somebody who is dead or
  // unknown here, or anti-entropy.
  enum class Source : std::uint8_t { Member, Stranger, Sync };
  enum class Outcome : std::uint8_t {
    Nothing,   // known, stale, or not understood
    News,      // for the view, and to be passed on
    Returned,  // it was dead, this peer called it lately, and it lives
    Outdated,  // it says that somebody lives of whom we know better: its author should hear so
    Doubted,   // somebody else holds a live member gone: it should hear so, and say that it is not
    Accused,   // of this peer: now refuted, or before
  };
  Outcome apply(const wire::Update& update, Source source, TimePoint now, MembershipOutput& out);
  // An anti-entropy exchange begins.
  void begin_sync() { passed_on_ = 0; }
  // What an Alive statement carries. Null, and the fault in `out`, when it is not what it says:
  // nobody could have passed that on.
  RecordRef record_of(const wire::Update& update, MembershipOutput& out);

  // This peer's own probe of it failed. False: so many are suspected already that the fault is more
  // likely this peer's; nothing changed.
  bool accuse(PeerId id, TimePoint now, MembershipOutput& out);
  // What this peer holds against the member, for it to refute.
  std::optional<wire::Update> accusation(PeerId id) const;
  std::optional<wire::Update> accusation(const Member& member) const;
  void postpone_suspicions(TimePoint until) { suspicions_.postpone_all(until); }

  // A new version of the own record: `change` edits a copy.
  template <class Change>
  void revise(Change change, TimePoint now, MembershipOutput& out) {
    wire::PeerRecord record = self_->record;
    change(record);
    ++record.version;
    publish(record, now, out);
  }
  void leave(TimePoint now, MembershipOutput& out);

  void on_time(TimePoint now, MembershipOutput& out);
  std::optional<TimePoint> wake_at() const;

  const View& view() const { return view_; }
  const RecordRef& self() const { return self_; }
  BroadcastQueue& broadcasts() { return broadcasts_; }
  DepartedList& departed() { return departed_; }
  std::uint64_t changes() const { return changes_; }  // how many there have been
  // How often it had to refute something.
  std::uint64_t refutations() const { return refutations_; }

 private:
  PeerId self_id() const { return self_->record.id; }
  bool is_plausible(const wire::Update& update, TimePoint now) const;
  bool passes_on(Source source);
  bool has_room();
  void add_tombstone(PeerId id, TimePoint now);
  void forget_oldest();

  Outcome apply_to_self(const wire::Update& update, TimePoint now, MembershipOutput& out);
  Outcome apply_alive(const wire::Update& update, Source source, TimePoint now,
                      MembershipOutput& out);
  void renew(Member member, const RecordRef& record, Source source, TimePoint now,
             MembershipOutput& out);
  Outcome admit(const RecordRef& record, Source source, TimePoint now, MembershipOutput& out);
  Outcome apply_suspect(const wire::Update& update, TimePoint now, MembershipOutput& out);
  Outcome apply_gone(const wire::Update& update, Source source, TimePoint now,
                     MembershipOutput& out);
  bool believes_death_of(const Member& member, Source source, TimePoint now) const;
  Outcome bury_unknown(const wire::Update& update, Source source, TimePoint now);

  struct Suspected {
    PeerId id;
    std::uint64_t incarnation = 0;
    PeerId accuser;
    // Others buried it after a full suspicion. Here it has the shortest, which is not passed on.
    bool is_doubt = false;
  };
  bool suspect(const Suspected& suspected, TimePoint now, MembershipOutput& out);
  void bury(const wire::Update& update, TimePoint now, MembershipOutput& out);
  // Of two processes at one address the older is a memory.
  std::optional<PeerId> older_at_address(const wire::PeerRecord& record) const;
  void publish(const wire::PeerRecord& record, TimePoint now, MembershipOutput& out);
  void refute(std::uint64_t accused, TimePoint now, MembershipOutput& out);
  void put(Member member, MembershipOutput& out);
  static void note(wire::EventKind kind, const Member& member, MembershipOutput& out);

  MembershipOptions options_;
  RecordPool& pool_;
  RecordRef self_;
  std::uint64_t first_incarnation_;  // the wall clock in milliseconds at begun_
  TimePoint begun_;
  bool left_ = false;
  View view_;
  Suspicions suspicions_;
  BroadcastQueue broadcasts_;
  DepartedList departed_;
  std::deque<std::pair<TimePoint, PeerId>> tombstones_;  // each with when it began; in that order
  std::size_t passed_on_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t refutations_ = 0;
};

}  // namespace quadrille::peer
