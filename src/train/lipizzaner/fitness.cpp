#include "train/lipizzaner/fitness.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "compute/operation.hpp"
#include "train/lipizzaner/evolution.hpp"

namespace quadrille::train {
namespace {

using compute::LossSide;

// Where the losses of one pass lie: generator's, fake's, real's, as in LossTable.
struct PassLosses {
  compute::Floats generator;
  compute::Floats fake;
  compute::Floats real;
};

PassLosses cut(compute::Floats losses, std::size_t members) {
  const std::size_t pairs = members * members;
  CHECK(losses.count() == FitnessTest::losses_per_pass(members), losses.count(), members);
  return {losses.first(pairs), losses.part(pairs, pairs), losses.from(2 * pairs)};
}

struct LossChoice {
  compute::LossKind kind;
  LossSide side;
};

// The mean over the logits, without a gradient.
void submit_loss(compute::Queue& queue, LossChoice choice, compute::ConstFloats logits,
                 compute::Floats to) {
  queue.submit(compute::AdversarialLoss{
      .kind = choice.kind, .side = choice.side, .logits = logits, .gradient = {}, .loss = to});
}

}  // namespace

std::vector<double> LossTable::generator_fitness(FitnessAggregate aggregate) const {
  std::vector<double> fitness(count);
  for (std::size_t g = 0; g < count; ++g)
    fitness[g] = aggregate_fitness(aggregate, std::span(generator).subspan(g * count, count));
  return fitness;
}

std::vector<double> LossTable::discriminator_fitness(FitnessAggregate aggregate) const {
  std::vector<double> fitness(count);
  std::vector<double> losses(count);
  for (std::size_t d = 0; d < count; ++d) {
    for (std::size_t g = 0; g < count; ++g) losses[g] = real[d] + fake[g * count + d];
    fitness[d] = aggregate_fitness(aggregate, losses);
  }
  return fitness;
}

FitnessTest::FitnessTest(compute::Arena& arena, nn::GanNetworks networks, const ResidentData& data,
                         std::size_t members_max)
    : generator_(networks.generator),
      discriminator_(networks.discriminator),
      data_(data),
      rows_(arena.words(rows_per_pass)),
      real_(arena.floats(rows_per_pass * data.sample_size())),
      latent_(arena.floats(rows_per_pass * generator_.input_size())),
      generator_pass_(arena, generator_, rows_per_pass, false, members_max),
      discriminator_pass_(arena, discriminator_, rows_per_pass, false, members_max) {}

std::uint64_t FitnessTest::blocks_per_pass(const nn::Network& generator) {
  const std::size_t normals = rows_per_pass * generator.input_size();
  return (normals + compute::normals_per_block - 1) / compute::normals_per_block;
}

void FitnessTest::run_pass(compute::Queue& queue, const Contestants& contestants,
                           const FitnessSample& sample, std::size_t pass,
                           compute::LossKind loss_kind, compute::Floats losses) {
  const std::size_t members = contestants.generators.count;
  CHECK(members == contestants.discriminators.count, members, contestants.discriminators.count);
  const PassLosses to = cut(losses, members);
  const std::size_t first = pass * rows_per_pass;
  CHECK(first < sample.rows.size(), first, sample.rows.size());
  const std::size_t rows = std::min(rows_per_pass, sample.rows.size() - first);

  queue.upload(rows_.first(rows), sample.rows.subspan(first, rows));
  data_.gather(queue, rows_.first(rows), real_.first(rows * data_.sample_size()));
  queue.submit(compute::RandomNormal{
      .to = latent_.first(rows * generator_.input_size()),
      .key = sample.latent.key,
      .first_block = sample.latent.first_block + pass * blocks_per_pass(generator_)});

  const compute::ConstFloats fakes =
      generator_.forward(queue, contestants.generators, latent_, rows, generator_pass_);
  // All discriminators at once, on one generator's samples at a time: on those of all, their
  // activations would be the largest piece of memory that a thread has.
  const std::size_t fakes_each = rows * data_.sample_size();
  for (std::size_t g = 0; g < members; ++g) {
    const compute::ConstFloats logits =
        discriminator_.forward(queue, contestants.discriminators,
                               fakes.part(g * fakes_each, fakes_each), rows, discriminator_pass_);
    for (std::size_t d = 0; d < members; ++d) {
      const compute::ConstFloats pair = logits.part(d * rows, rows);
      const std::size_t at = g * members + d;
      submit_loss(queue, {loss_kind, LossSide::Generator}, pair, to.generator.part(at, 1));
      submit_loss(queue, {loss_kind, LossSide::DiscriminatorFake}, pair, to.fake.part(at, 1));
    }
  }
  const compute::ConstFloats real_logits =
      discriminator_.forward(queue, contestants.discriminators, real_, rows, discriminator_pass_);
  for (std::size_t d = 0; d < members; ++d)
    submit_loss(queue, {loss_kind, LossSide::DiscriminatorReal}, real_logits.part(d * rows, rows),
                to.real.part(d, 1));
}

LossTable FitnessTest::table(std::span<const float> losses, FitnessSize size) {
  const auto [members, rows] = size;
  CHECK(losses.size() == passes(rows) * losses_per_pass(members), losses.size(), rows, members);
  LossTable table(members);
  const auto add = [](std::vector<double>& to, std::span<const float> means, double share) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += share * static_cast<double>(means[i]);
  };
  const std::size_t pairs = members * members;
  for (std::size_t pass = 0; pass < passes(rows); ++pass) {
    const std::span<const float> means =
        losses.subspan(pass * losses_per_pass(members), losses_per_pass(members));
    const std::size_t rows_here = std::min(rows_per_pass, rows - pass * rows_per_pass);
    const double share = static_cast<double>(rows_here) / static_cast<double>(rows);
    add(table.generator, means.first(pairs), share);
    add(table.fake, means.subspan(pairs, pairs), share);
    add(table.real, means.subspan(2 * pairs), share);
  }
  return table;
}

}  // namespace quadrille::train
