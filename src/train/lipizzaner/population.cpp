#include "train/lipizzaner/population.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::train {
namespace {

// A slot begins where a vector instruction likes it.
constexpr std::size_t alignment_floats = 16;

std::size_t aligned(std::size_t count) {
  return (count + alignment_floats - 1) / alignment_floats * alignment_floats;
}

void mend(std::span<float> values, const NetworkRanges& ranges,
          const nn::OptimizerOptions& optimizer) {
  mend_moments(ranges.first_moment.of(values), ranges.second_moment.of(values), optimizer);
}

}  // namespace

void clip_discriminator(compute::Queue& queue, const LipizzanerOptions& options,
                        compute::Floats parameters) {
  if (options.weight_clip > 0)
    queue.submit(compute::Clip{.values = parameters, .limit = options.weight_clip});
}

Population::Population(compute::Arena& arena, const Setup& setup)
    : setup_(setup),
      stride_(aligned(setup.layout.float_count())),
      slots_(arena.floats(stride_ * (setup.members_max() + 1))) {
  if (setup.options.moments) mended_.resize(setup.layout.float_count());
}

std::optional<std::size_t> Population::slot_of(CellIndex source) const {
  const auto found = std::ranges::find(neighbours_, source, &Neighbour::source);
  if (found == neighbours_.end()) return std::nullopt;
  return 1 + static_cast<std::size_t>(found - neighbours_.begin());
}

compute::Floats Population::slot(std::size_t slot) const {
  CHECK(slot <= count(), slot, count());
  return slots_.part(slot * stride_, setup_.layout.float_count());
}

Genome Population::genome(Role role, std::size_t slot) const {
  const compute::Floats values = this->slot(slot);
  const NetworkRanges& ranges = setup_.layout.of(role);
  return {.parameters = ranges.parameters.of(values),
          .first_moment = ranges.first_moment.of(values),
          .second_moment = ranges.second_moment.of(values)};
}

nn::Members Population::members(Role role, std::size_t slots) const {
  CHECK(slots > 0 && slots <= count() + 1, slots, count());
  const FloatRange& parameters = setup_.layout.of(role).parameters;
  return {.parameters = slots_.part(parameters.offset, (slots - 1) * stride_ + parameters.count),
          .count = slots,
          .stride = stride_};
}

compute::Floats Population::spare(Role role) const {
  return setup_.layout.of(role).parameters.of(slots_.from(setup_.members_max() * stride_));
}

std::size_t Population::slot_for(CellIndex source) {
  if (const auto known = slot_of(source)) return *known;
  CHECK(count() < setup_.members_max(), source, count());
  neighbours_.push_back({.source = source, .round = {}, .traits = {}});
  return neighbours_.size();
}

void Population::take(compute::Queue& queue, const peer::SnapshotView& snapshot,
                      const PairTraits& traits) {
  const std::size_t place = slot_for(snapshot.cell);
  neighbours_[place - 1] = {.source = snapshot.cell, .round = snapshot.round, .traits = traits};
  std::span<const float> values = snapshot.values;
  if (!mended_.empty()) {
    std::ranges::copy(values, mended_.begin());
    for (const Role role : both_roles)
      mend(mended_, setup_.layout.of(role), setup_.options.optimizer);
    values = mended_;
  }
  queue.upload(slot(place), values);
  clip_discriminator(queue, setup_.options, genome(Role::Discriminator, place).parameters);
}

void Population::download(compute::Queue& queue, std::size_t slot, std::span<float> values) const {
  queue.download(values, this->slot(slot));
}

}  // namespace quadrille::train
