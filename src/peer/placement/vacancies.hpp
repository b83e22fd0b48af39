// When this peer claims vacant cells. What the plan gives it, once the view was quiet for a while
// or a cell is vacant for too long; and, should whoever the plan means not come, any cell that
// nobody took, by lot.
//
// Two peers whose views differ may claim the same cell: seniority settles that. Two that each wait
// for the other may not leave it vacant: hence the lot.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/placement/holdings.hpp"
#include "peer/placement/owner_map.hpp"
#include "peer/placement/placement_output.hpp"

namespace quadrille::peer {

class Vacancies {
 public:
  // Between two draws. As many are drawn as can take cells, so that about one wins each time.
  static constexpr Duration lot_interval = std::chrono::seconds(1);

  struct Options {
    Duration plan_quiet{};
    Duration vacancy_max{};         // until the plan is followed in any case
    std::vector<CellIndex> stored;  // cells to prefer: their state lies here
  };
  Vacancies(Options options, RandomStream random);

  void note(OwnerMap::Shift shift, TimePoint now);
  // The view was quiet already: for it as it is now, the plan need not wait. What falls vacant
  // later may be on its way from one peer to another.
  void hurry() { at_once_ = true; }

  // When act() will do something; nothing while nothing is vacant, or nothing to be had.
  std::optional<TimePoint> due(const Holdings& holdings) const;
  void act(Holdings& holdings, TimePoint now, PlacementOutput& out);

 private:
  std::optional<TimePoint> plan_due(const OwnerMap& owners) const;
  TimePoint lot_due(const OwnerMap& owners) const;
  void follow_plan(Holdings& holdings, PlacementOutput& out) const;
  void draw_lot(Holdings& holdings, TimePoint now, PlacementOutput& out);

  Options options_;
  RandomStream random_;
  TimePoint changed_at_;  // the view
  bool at_once_ = false;
  bool planned_ = false;  // for the view as it is
  std::optional<TimePoint> planned_at_;
  TimePoint drawn_at_;
};

}  // namespace quadrille::peer
