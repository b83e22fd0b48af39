// What a cell says: its snapshot, what it needs next, and the line of the metrics that makes
// collapse visible.
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "train/lipizzaner/cell.hpp"

namespace quadrille::train {
namespace {

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

double mean(double sum, std::uint64_t count) {
  return count == 0 ? not_there : sum / static_cast<double>(count);
}

}  // namespace

void Cell::announce(std::vector<peer::Action>& actions) {
  if (!notice_.empty())
    actions.emplace_back(peer::Notice{index_, std::move(notice_), peer::NoticeKind::Adoption});
  if (publishes_first_) publish(actions);
  need_or_done(actions);
}

void Cell::finish_round(std::vector<peer::Action>& actions) {
  ++round_.index;
  publish(actions);
  actions.emplace_back(status());
  need_or_done(actions);
}

void Cell::publish(std::vector<peer::Action>& actions) {
  const std::span<float> values = published_;
  for (const Role role : both_roles) {
    const NetworkRanges& ranges = setup_.layout.of(role);
    const nn::TrainedNetwork& network = center(role).network();
    queue_->download(ranges.parameters.of(values), network.parameters());
    if (ranges.first_moment.count > 0)
      queue_->download(ranges.first_moment.of(values), network.first_moment());
    if (ranges.second_moment.count > 0)
      queue_->download(ranges.second_moment.of(values), network.second_moment());
  }
  queue_->synchronise();
  write_exact({.generator = generator_.traits(), .discriminator = discriminator_.traits()}, exact_);
  actions.emplace_back(
      peer::Publish{.cell = index_, .round = round_, .values = published_, .exact = exact_});
}

void Cell::need_or_done(std::vector<peer::Action>& actions) {
  if (round_.index >= setup_.run.generations) {
    actions.emplace_back(peer::Done{index_});
    phase_ = Phase::Over;
    return;
  }
  phase_ = Phase::Wait;
  if (neighbours_.empty()) return;
  peer::Need need{.cell = index_, .newest = !setup_.options.sync, .snapshots = {}, .chunks = {}};
  if (setup_.options.sync)
    for (const CellIndex source : neighbours_)
      need.snapshots.push_back({.source = source, .round = round_});
  actions.emplace_back(std::move(need));
}

// From the order of slots to the center and its
// neighbours in their order; NaN for one not heard of.
std::vector<double> Cell::by_member(std::span<const double> by_slot) const {
  std::vector<double> values(1 + neighbours_.size(), not_there);
  values[0] = by_slot[0];
  for (std::size_t i = 0; i < neighbours_.size(); ++i)
    if (const auto slot = population_.slot_of(neighbours_[i])) values[1 + i] = by_slot[*slot];
  return values;
}

// Whose values by_member() gives.
std::vector<double> Cell::members() const {
  std::vector<double> cells{static_cast<double>(index_.value)};
  for (const CellIndex neighbour : neighbours_)
    cells.push_back(static_cast<double>(neighbour.value));
  return cells;
}

// |center - neighbour| / |center|, by slot; that of the center itself is 0.
std::vector<double> Cell::distances(Role role) {
  const CenterNetwork& own = center(role);
  const std::size_t count = population_.count();
  // Nobody needs the gradient outside of a step, nor the offspring after the contest.
  const compute::Floats difference = own.network().gradient();
  queue_->submit(compute::SumSquares{.from = own.parameters(), .to = distance_sums_.first(1)});
  for (std::size_t member = 1; member < count; ++member) {
    queue_->submit(compute::Copy{.to = difference, .from = own.parameters()});
    queue_->submit(compute::Axpby{
        .a = -1, .x = population_.genome(role, member).parameters, .b = 1, .to = difference});
    queue_->submit(compute::SumSquares{.from = difference, .to = distance_sums_.part(member, 1)});
  }
  std::vector<float> sums(count);
  queue_->download(std::span(sums), distance_sums_.first(count));
  queue_->synchronise();
  std::vector<double> relative(count, 0.0);
  for (std::size_t member = 1; member < count; ++member)
    relative[member] = std::sqrt(static_cast<double>(sums[member]) / static_cast<double>(sums[0]));
  return relative;
}

peer::Status Cell::status() {
  const Lineage& g = generation_.generator;
  const Lineage& d = generation_.discriminator;
  const auto source = [this](std::size_t member) {
    return static_cast<double>(member == 0 ? index_.value
                                           : population_.neighbour(member).source.value);
  };
  const auto flag = [](bool is) { return std::vector<double>{is ? 1.0 : 0.0}; };
  return {.cell = index_,
          .round = round_,
          .generator_fitness = generator_.traits().fitness,
          .discriminator_fitness = discriminator_.traits().fitness,
          .score = generation_.score,
          .images_seen = images_seen_,
          .measures = {{"members", members()},
                       {"generator_loss", {mean(g.loss_sum, g.steps)}},
                       {"discriminator_loss", {mean(d.loss_sum, d.steps)}},
                       {"generator_loss_kind", {static_cast<double>(generator_.traits().loss)}},
                       {"generator_learning_rate", {generator_.traits().learning_rate}},
                       {"discriminator_learning_rate", {discriminator_.traits().learning_rate}},
                       {"generator_member_fitness", by_member(g.fitness)},
                       {"discriminator_member_fitness", by_member(d.fitness)},
                       {"generator_selected_cell", {source(g.incumbent)}},
                       {"discriminator_selected_cell", {source(d.incumbent)}},
                       {"generator_replaced", flag(g.replaced)},
                       {"discriminator_replaced", flag(d.replaced)},
                       {"mixture_weights", by_member(mixture_)},
                       {"mixture_replaced", flag(generation_.mixture_replaced)},
                       {"generator_distance", by_member(distances(Role::Generator))},
                       {"discriminator_distance", by_member(distances(Role::Discriminator))}}};
}

}  // namespace quadrille::train
