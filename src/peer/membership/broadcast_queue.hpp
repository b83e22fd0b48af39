// What this peer has to tell others about members. It rides on every datagram that leaves: the most
// urgent first, of one urgency what was told least often, and each so many times and no more.
//
// One statement a subject: a newer one takes the place of the older. The queue is short on purpose.
// What a datagram cannot carry soon (hundreds of peers that join at once) travels by anti-entropy;
// that somebody lives is no news after a while, and is told no more, however seldom it was told.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/update.hpp"

namespace quadrille::peer {

inline constexpr std::size_t broadcasts_max = 512;
// By then anti-entropy has told everybody who lives.
inline constexpr Duration alive_news_life = std::chrono::seconds(30);

// Of this peer itself (a refutation above all); that somebody is gone; that somebody is suspected,
// or is not any more; that somebody lives.
enum class Urgency : std::uint8_t { Own, Gone, Suspicion, Alive };
inline constexpr std::size_t urgencies = 4;

// An update whose record is shared until it is sent.
struct Statement {
  wire::UpdateKind kind = wire::UpdateKind::Unknown;
  PeerId subject;
  std::uint64_t incarnation = 0;
  PeerId accuser;
  RecordRef record;  // Alive only

  static Statement alive(RecordRef record);
  static Statement without_record(const wire::Update& update);
  wire::Update update() const;
  std::size_t bytes_bound() const;  // no less than what it takes of a datagram
};

class BroadcastQueue {
 public:
  // A full queue drops what is least urgent and was told most often.
  void add(Statement statement, Urgency urgency);
  // What is queued ages until then.
  void advance(TimePoint now) { now_ = now; }
  // Appends what fits into `room_bytes`, and takes that off; each counts as one of its `sends_max`.
  void pick(std::size_t& room_bytes, std::uint32_t sends_max, std::vector<wire::Update>& out);

  std::size_t size() const { return by_subject_.size(); }

 private:
  struct Entry {
    Statement statement;
    std::size_t bytes = 0;
    TimePoint since;  // when it was added
    Urgency urgency = Urgency::Alive;
    std::uint32_t sends = 0;
  };
  using Entries = std::list<Entry>;  // the longest there first; who moves keeps its iterator
  Entries& like(const Entry& entry);
  bool is_old(const Entry& entry) const;
  void give_one_up();

  std::array<std::vector<Entries>, urgencies> waiting_;       // by urgency, then by sends
  std::unordered_map<PeerId, Entries::iterator> by_subject_;  // looked up only
  TimePoint now_;
};

// How often each peer passes one statement on: enough that it reaches n peers, loss included.
std::uint32_t sends_for(std::size_t live_count, std::uint32_t multiplier, std::uint32_t least);

}  // namespace quadrille::peer
