// How all cells are doing, as their owners last said: the soft state that travels beside the
// digested records. The latest wins; nothing is repaired; every entry has an age.
//
// A status that is news here is passed on a few times and then rests (infect and die). Owners speak
// the less often the more cells there are, so that the traffic of one peer does not grow with the
// run, and what one datagram carries is bounded (wire::status_bytes_max).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "wire/cell_status.hpp"

namespace quadrille::peer {

class StatusBoard {
 public:
  // How often each peer passes a status on. Four random others each reach 1 - e^-4 of all: 98 %.
  static constexpr std::uint8_t sends_max = 4;
  // What one peer's datagrams carry at most: 15 to 20 a second with 3 statuses each.
  static constexpr std::size_t sends_per_second = 50;
  static constexpr Duration interval_min = std::chrono::seconds(2);
  // Of two that claim a cell at the same time one lets go soon, and has nothing to say of it.
  static constexpr Duration acquiring_pause = std::chrono::seconds(2);
  // Ages travel in whole seconds and err by half of one at each hop: of two owners' statuses only
  // one that is younger by more than this is certainly the later one. Without it, two of one age
  // would chase each other through the fleet for ever.
  static constexpr Duration age_error = std::chrono::seconds(2);

  // A count that is far ahead of its owner's was forged: whoever is certainly that much younger is
  // believed whatever its count.
  static constexpr Duration count_life = std::chrono::seconds(30);

  explicit StatusBoard(PeerId self);

  // What an own cell reports; said to others when its turn comes, and at once where its phase has
  // changed. The board sets owner, sequence and age.
  void set_own(wire::CellStatus status, TimePoint now);
  // What is known of it stays, and grows old; that it failed is said still.
  void drop_own(CellIndex cell);
  void set_scale(std::size_t live_peers, std::size_t cells);
  // How often an own cell's status is said to others; each time is up to a quarter off, so that
  // cells which began together do not speak together.
  Duration interval() const;

  // From a datagram. False: no news (older than what is known, an own cell, no cell that can be),
  // and nothing changed.
  bool merge(const wire::CellStatus& status, TimePoint now);
  // What the next datagram carries, of `bytes` at most; ages are as of now.
  std::vector<wire::CellStatus> pick(std::size_t bytes, TimePoint now);

  std::optional<wire::CellStatus> find(CellIndex cell, TimePoint now) const;
  std::vector<wire::CellStatus> all(TimePoint now) const;  // ascending by cell

  // Changes are noted only while somebody watches.
  void set_watched(bool watched);
  // Cells whose status changed since the last call, ascending; for watchers.
  std::vector<CellIndex> take_changed();

 private:
  // Ten thousand simulated peers may hold ten thousand of these each: with its 4 bytes of the index
  // an entry takes 60.
  struct Entry {
    PeerId owner;
    std::uint64_t round = 0;
    TimePoint said;  // by the owner, reckoned from the age that it came with
    std::uint32_t sequence = 0;
    float generator_fitness = 0;
    float discriminator_fitness = 0;
    float score = 0;
    std::uint32_t sent_bytes_per_second = 0;
    wire::DeviceKind device = wire::DeviceKind::Unknown;
    wire::CellPhase phase = wire::CellPhase::Unknown;
    std::uint8_t sends_left = 0;
    bool is_fresh : 1 = false;    // stands in fresh_: not sent since it was learnt
    bool is_repeat : 1 = false;   // stands in repeats_
    bool is_changed : 1 = false;  // stands in changed_
  };
  static_assert(sizeof(Entry) <= 56);

  Entry* entry(CellIndex cell);
  const Entry* entry(CellIndex cell) const;
  Entry& entry_or_new(CellIndex cell);
  wire::CellStatus status_of(CellIndex cell, const Entry& entry, TimePoint now) const;
  static void store(const wire::CellStatus& status, TimePoint said, Entry& entry);
  void note_change(CellIndex cell, Entry& entry);
  void make_news(CellIndex cell, Entry& entry);
  void drop_news(CellIndex cell, Entry& entry);
  void announce(CellIndex cell, Entry& own);
  void announce_own(TimePoint now);
  // The queue's first cell, which is counted as sent. Nothing: it is not to be sent after all.
  CellIndex take_fresh();
  std::optional<CellIndex> take_repeat(const std::vector<wire::CellStatus>& picked);

  PeerId self_;
  std::size_t cells_ = 1;
  std::uint8_t sends_ = sends_max;
  std::uint32_t own_sequence_ = 0;      // of all own cells, so that it never begins again
  std::vector<std::uint32_t> places_;   // by cell: its place in entries_ and 1, or 0
  std::vector<Entry> entries_;          // in the order in which they were learnt
  std::deque<CellIndex> fresh_;         // each cell once at most
  std::deque<CellIndex> repeats_;       // the same
  std::map<CellIndex, TimePoint> own_;  // when each is announced next
  std::set<std::pair<TimePoint, CellIndex>> due_;  // the same, soonest first
  bool watched_ = false;
  std::vector<CellIndex> changed_;
};

}  // namespace quadrille::peer
