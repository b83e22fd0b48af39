// Cells move from those who have many to those who have few: who has two fewer than somebody else
// asks for some, directly, and the donor alone decides. One writer for each fact: nothing is given
// twice, whatever the two know of each other.
//
// Only when it is quiet: while peers come and go and a split heals, loads look uneven that are not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/placement/grants.hpp"
#include "peer/placement/holdings.hpp"
#include "peer/placement/owner_map.hpp"
#include "peer/placement/placement_output.hpp"
#include "peer/placement/plan.hpp"
#include "wire/datagram.hpp"

namespace quadrille::peer {

class Rebalance {
 public:
  struct Options {
    Duration members_quiet{};  // nobody came or went for so long
    Duration patience{};       // but after this long it goes on in any case
    Duration interval{};       // between two requests
    Duration interval_max{};   // doubled to, while they are refused
    Duration yield_deadline{};
  };
  Rebalance(Options options, RandomStream random);

  void note(OwnerMap::Shift shift, TimePoint now);

  // The asker's side. When act() will do something.
  std::optional<TimePoint> due(const Holdings& holdings) const;
  void act(Holdings& holdings, TimePoint now, PlacementOutput& out);
  void on_reply(PeerId from, const wire::YieldReply& reply);

  // The donor's side: grants what it should and answers.
  void on_request(PeerId from, const wire::YieldRequest& request, Holdings& holdings, TimePoint now,
                  PlacementOutput& out);

 private:
  std::optional<PeerId> choose_donor(const Holdings& holdings, std::span<const std::uint32_t> loads,
                                     std::uint32_t own_load);
  const WaterLevel& fair(const OwnerMap& owners);

  Options options_;
  RandomStream random_;
  std::optional<WaterLevel> fair_;  // until the members or the grid change
  std::uint32_t fair_epoch_ = 0;
  TimePoint members_changed_at_;
  bool balanced_ = true;        // nobody to ask, in the view as it is
  TimePoint unbalanced_since_;  // so it may be, at least
  struct Asked {
    PeerId donor;
    std::uint32_t sequence = 0;
  };
  std::optional<Asked> asked_;  // and not answered
  std::uint32_t sequence_ = 0;
  TimePoint next_request_;
  Duration interval_;
};

}  // namespace quadrille::peer
