#include "train/lipizzaner/cell.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/check.hpp"
#include "train/lipizzaner/evolution.hpp"

namespace quadrille::train {
namespace {

// What a training batch of 100 rows takes, about, in forward passes of 100 rows.
constexpr std::size_t forward_passes_per_step = 11;

}  // namespace

Cell::Cell(const Setup& setup, CellIndex index, std::uint64_t life, data::BatchCursor cursor)
    : setup_(setup),
      index_(index),
      life_(life),
      neighbours_(setup.neighbours(index)),
      arena_(setup.backend.make_arena()),
      queue_(setup.backend.make_queue()),
      population_(*arena_, setup),
      generator_(*arena_, population_.spare(Role::Generator), setup.options.optimizer),
      discriminator_(*arena_, population_.spare(Role::Discriminator), setup.options.optimizer),
      // One more for the offspring.
      trial_(*arena_,
             {.members = setup.members_max() + 1, .rows = setup.options.fitness_sample_size}),
      batch_loss_(arena_->floats(3)),
      training_sums_(arena_->floats(7)),
      distance_sums_(arena_->floats(setup.members_max())),
      streams_(setup.run.seed, {.cell = index, .life = life}),
      cursor_(std::move(cursor)),
      published_(setup.layout.float_count()) {}

void Cell::advance(const peer::CellInput& input, peer::Quantum quantum, Workbench& bench,
                   std::vector<peer::Action>& actions) {
  // A cell whose quantum is used up says nothing, and is called again at once.
  for (std::int64_t steps_left = std::max(quantum.steps, 1U); steps_left > 0;) {
    const std::optional<std::uint32_t> cost = work(input, bench, actions);
    if (!cost) break;
    steps_left -= *cost;
  }
  queue_->synchronise();
}

std::optional<std::uint32_t> Cell::work(const peer::CellInput& input, Workbench& bench,
                                        std::vector<peer::Action>& actions) {
  switch (phase_) {
    case Phase::Announce:
      announce(actions);
      return std::nullopt;
    case Phase::Wait:
      collect(input, actions);
      begin_generation();
      return 1;
    case Phase::Fitness: {
      const std::uint32_t cost = fitness_pass(bench, population_.count());
      if (trial_.done()) evolve();
      return cost;
    }
    case Phase::Train: {
      train_batch(bench);
      const bool last = generation_.batch == batches_per_generation();
      if (!last && generation_.batch % check_interval != 0) return 1;
      if (!training_is_finite())
        roll_back(actions);
      else if (last)
        begin_contest();
      return 1;
    }
    case Phase::Contest: {
      const std::uint32_t cost = fitness_pass(bench, population_.count() + 1);
      if (trial_.done()) decide_contest();
      return cost;
    }
    case Phase::Finish:
      evolve_mixture(bench);
      finish_round(actions);
      return std::nullopt;
    case Phase::Over:
      break;
  }
  return std::nullopt;
}

void Cell::collect(const peer::CellInput& input, std::vector<peer::Action>& actions) {
  for (const peer::SnapshotView& snapshot : input.snapshots) {
    CHECK(std::ranges::find(neighbours_, snapshot.cell) != neighbours_.end(), index_,
          snapshot.cell);
    const std::optional<std::size_t> known = population_.slot_of(snapshot.cell);
    if (known && population_.neighbour(*known).round == snapshot.round) continue;
    const Result<PairTraits> traits = read_snapshot(snapshot, setup_.layout, setup_.options);
    if (traits) {
      if (!known) add_member(mixture_);
      population_.take(*queue_, snapshot, *traits);
      continue;
    }
    std::ostringstream text;
    text << "refused cell " << snapshot.cell << "'s snapshot of round " << snapshot.round.index
         << ": " << traits.error().detail << "; ";
    if (known)
      text << "its snapshot of round " << population_.neighbour(*known).round.index << " is kept";
    else
      text << "the cell goes on without this neighbour";
    actions.emplace_back(peer::Notice{index_, std::move(text).str(), peer::NoticeKind::Refusal});
  }
}

void Cell::begin_generation() {
  generation_ = {};
  for (const Role role : both_roles)
    center(role).remember(*queue_, population_.genome(role, 0).parameters);
  const std::span<const std::uint32_t> rows = cursor_.rows();
  for (std::uint32_t& row : trial_.rows())
    row = rows[streams_.evaluation.below(static_cast<std::uint32_t>(rows.size()))];
  trial_.begin(streams_.evaluation_latent.take(
      FitnessTest::latent_blocks(setup_.generator, trial_.rows().size())));
  phase_ = Phase::Fitness;
}

// All members are tested with the run's own loss, whatever each generator
// trains with: losses of different kinds have different scales, and the
// kind with the smallest numbers would win every tournament.
std::uint32_t Cell::fitness_pass(Workbench& bench, std::size_t members) {
  trial_.work(*queue_, bench.fitness,
              {.generators = population_.members(Role::Generator, members),
               .discriminators = population_.members(Role::Discriminator, members)},
              setup_.options.loss);
  // Each generator and each discriminator once, and each discriminator on each generator's samples.
  const std::size_t forward_passes = members * (members + 2);
  return static_cast<std::uint32_t>(1 + forward_passes / forward_passes_per_step);
}

void Cell::evolve() {
  const LipizzanerOptions& options = setup_.options;
  const LossTable table = trial_.table(population_.count());
  generation_.generator.fitness = table.generator_fitness(options.fitness);
  generation_.discriminator.fitness = table.discriminator_fitness(options.fitness);
  for (const Role role : both_roles) {
    Lineage& line = lineage(role);
    if (options.selection) {
      line.incumbent = tournament(streams_.selection, line.fitness, options.tournament_size);
      if (line.incumbent != 0) bring_incumbent(role);
    }
    line.opponent_fitness = line.fitness;
    line.opponent_fitness[0] = line.fitness[line.incumbent];
    const double rate = mutated_rate(streams_.mutation, center(role).traits().learning_rate,
                                     base_rate(options, role),
                                     {options.mutation_probability, options.mutation_sigma});
    center(role).set_learning_rate(*queue_, rate);
  }
  if (options.mustangs) generator_.set_loss(mustangs_loss(streams_.mutation));
  begin_training();
}

// The member that won the selection, as it was before
// the training: the remembered center, or a neighbour.
void Cell::bring_incumbent(Role role) {
  const std::size_t member = lineage(role).incumbent;
  if (member == 0) return center(role).recall(*queue_);
  center(role).inherit(*queue_, population_.genome(role, member),
                       population_.neighbour(member).traits.of(role));
}

void Cell::begin_contest() {
  const std::size_t offspring = population_.count();
  for (const Role role : both_roles)
    queue_->submit(compute::Copy{.to = population_.genome(role, offspring).parameters,
                                 .from = center(role).parameters()});
  trial_.begin_again();
  phase_ = Phase::Contest;
}

void Cell::decide_contest() {
  const std::size_t offspring = population_.count();
  const LossTable table = trial_.table(offspring + 1);
  for (const Role role : both_roles) {
    const std::vector<double> fitness = role == Role::Generator
                                            ? table.generator_fitness(setup_.options.fitness)
                                            : table.discriminator_fitness(setup_.options.fitness);
    Lineage& line = lineage(role);
    line.replaced = fitness[offspring] < fitness[line.incumbent];
    if (!line.replaced) bring_incumbent(role);
    center(role).set_fitness(fitness[line.replaced ? offspring : line.incumbent]);
  }
  phase_ = Phase::Finish;
}

std::vector<compute::ConstFloats> Cell::mixture_generators() const {
  std::vector<compute::ConstFloats> generators{generator_.parameters()};
  for (std::size_t member = 1; member < population_.count(); ++member)
    generators.push_back(population_.genome(Role::Generator, member).parameters);
  return generators;
}

// (1+1)-ES: parent and child make their samples of the
// same latent vectors and the same draws of members.
void Cell::evolve_mixture(Workbench& bench) {
  if (!setup_.scorer) return;
  std::vector<double> child(mixture_.size());
  mutate_mixture(streams_.mixture, mixture_, setup_.options.mixture_sigma, child);
  const std::size_t count = setup_.options.score_sample_size;
  const RandomStream draws = streams_.mixture;
  streams_.mixture.seek(draws.position() + member_draw_words * count);
  const nn::LatentDraw latent = streams_.mixture_latent.take(bench.mixture.latent_blocks(count));
  const std::vector<compute::ConstFloats> generators = mixture_generators();
  const auto score = [&](std::span<const double> weights) {
    bench.mixture.draw(*queue_, generators, member_counts(weights, draws, count), latent,
                       bench.samples);
    queue_->synchronise();
    return setup_.scorer->score(bench.samples, count);
  };

  double best = score(mixture_);
  if (mixture_.size() > 1) {
    const double child_score = score(child);
    generation_.mixture_replaced =
        child_score < best || (std::isnan(best) && !std::isnan(child_score));
    if (generation_.mixture_replaced) {
      mixture_ = child;
      best = child_score;
    }
  }
  if (std::isfinite(best)) generation_.score = best;
}

std::vector<float> Cell::samples(std::size_t count, Workbench& bench) {
  const CellStreams::Owner owner{.cell = index_, .life = 0};
  const RandomStream draws(cell_key(setup_.run.seed, "sheet members", owner));
  std::vector<float> samples(count * setup_.data.sample_size());
  bench.mixture.draw(*queue_, mixture_generators(), member_counts(mixture_, draws, count),
                     {.key = cell_key(setup_.run.seed, "sheet latent", owner), .first_block = 0},
                     samples);
  queue_->synchronise();
  return samples;
}

}  // namespace quadrille::train
