// What this peer yields to others: a few stretches of its own cells, each to one peer and for a
// while. A taker claims a stretch from its front, so that neither the giver's runs nor the taker's
// break up; each cell that it claims gives it the whole time again.
//
// A cell that leaves a stretch's middle all the same cuts it in two. When that is one too many, the
// rear is taken back.
//
// The front of a stretch that is taken back was declined: whom it was yielded to may avoid it
// (Holdings), which it does not say, and would leave it where it is for ever. So it is offered
// something else.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/placement/grid.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

struct Grant {
  std::uint32_t first = 0;  // a position
  std::uint32_t count = 0;
  PeerId to;
  TimePoint deadline;

  std::uint32_t end() const { return first + count; }
};

class Grants {
 public:
  static constexpr std::size_t grants_max = wire::yields_max;

  bool empty() const { return grants_.empty(); }
  bool full() const { return grants_.size() >= grants_max; }
  bool contains(std::uint32_t position) const;
  // Within one own run, none of it granted before.
  void add(const Grant& grant);

  // The cell is not this peer's any more. The positions that are taken back for it.
  std::vector<std::uint32_t> remove(std::uint32_t position);
  // The peer took a cell: what else it was granted may last until then.
  void extend(PeerId to, TimePoint deadline);
  // Taken back, as positions.
  std::vector<std::uint32_t> take_back_from(PeerId to);
  std::vector<std::uint32_t> take_back_expired(TimePoint now);
  std::vector<std::uint32_t> take_back_all();  // positions mean other cells from now on

  bool declined(PeerId by, std::uint32_t position) const;
  // As if it had been taken back from that peer.
  void note_declined(PeerId by, std::uint32_t position) { declined_[by].insert(position); }
  // It is gone, or declined all there is: it may be offered the same again.
  void forget_declined(PeerId by) { declined_.erase(by); }

  TimePoint next_deadline() const;  // the largest there is when empty
  std::vector<wire::CellYield> encode(const Grid& grid) const;

 private:
  template <class Predicate>
  std::vector<std::uint32_t> take_back(Predicate predicate);

  std::vector<Grant> grants_;                           // ascending
  std::map<PeerId, std::set<std::uint32_t>> declined_;  // by live peers: few, one for each failure
};

}  // namespace quadrille::peer
