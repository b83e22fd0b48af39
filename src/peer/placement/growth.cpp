#include "peer/placement/growth.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::peer {

namespace {

// The genesis after so many steps, whether or not the run allows it.
wire::GridEpoch grown(const GrowthRule& rule, std::uint32_t steps) {
  wire::GridEpoch epoch = rule.genesis.epoch;
  epoch.epoch += steps;
  auto& side = rule.growth == Growth::Rows ? epoch.rows : epoch.columns;
  side = static_cast<std::uint16_t>(side + steps);
  return epoch;
}

std::uint32_t steps_max(const GrowthRule& rule) {
  const wire::GridEpoch& first = rule.genesis.epoch;
  const wire::GridEpoch& last = rule.largest.epoch;
  switch (rule.growth) {
    case Growth::Fixed:
      break;
    case Growth::Rows:
      return last.rows > first.rows ? last.rows - first.rows : 0;
    case Growth::Columns:  // within the stride, or cells would share an index
      if (std::min(last.columns, rule.genesis.stride) > first.columns)
        return std::min(last.columns, rule.genesis.stride) - first.columns;
      break;
  }
  return 0;
}

}  // namespace

bool GrowthRule::admits(const wire::GridEpoch& epoch) const {
  if (epoch.epoch < genesis.epoch.epoch) return false;
  const std::uint32_t steps = epoch.epoch - genesis.epoch.epoch;
  return steps <= steps_max(*this) && epoch == grown(*this, steps);
}

std::optional<Grid> GrowthRule::next(const Grid& grid) const {
  CHECK(admits(grid.epoch), grid.epoch.epoch, grid.epoch.rows, grid.epoch.columns);
  const std::uint32_t steps = grid.epoch.epoch - genesis.epoch.epoch + 1;
  if (steps > steps_max(*this)) return std::nullopt;
  return Grid{.epoch = grown(*this, steps), .stride = genesis.stride};
}

Grid GrowthRule::grid_of(const wire::PeerRecord& record) const {
  if (!admits(record.grid)) return genesis;
  return {.epoch = record.grid, .stride = genesis.stride};
}

std::uint32_t peers_to_grow(const Grid& grid) {
  return grid.cell_count() + std::max(grid.epoch.rows, grid.epoch.columns);
}

void GrowthPatience::note(const Grid& grid, bool enough, TimePoint now) {
  if (!enough || grid.epoch.epoch != epoch_) {
    due_.reset();
    ranked_ = false;
  }
  epoch_ = grid.epoch.epoch;
  if (enough && !due_) due_ = now + patience_;
}

void GrowthPatience::rank(std::uint32_t rank) {
  CHECK(due_.has_value() && !ranked_);
  due_ = *due_ + stagger * rank;
  ranked_ = true;
}

}  // namespace quadrille::peer
