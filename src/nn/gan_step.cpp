#include "nn/gan_step.hpp"

namespace quadrille::nn {
namespace {

using compute::LossSide;

void draw_latent(compute::Queue& queue, compute::Floats to, LatentDraw draw) {
  queue.submit(compute::RandomNormal{.to = to, .key = draw.key, .first_block = draw.first_block});
}

}  // namespace

GanStep::GanStep(compute::Arena& arena, GanNetworks networks, std::size_t batch)
    : networks_(networks),
      batch_(batch),
      latent_(arena.floats(batch * networks.generator.input_size())),
      samples_(arena.floats(2 * batch * networks.generator.output_size())),
      generator_pass_(arena, networks.generator, batch, true),
      discriminator_pass_(arena, networks.discriminator, 2 * batch, true) {
  CHECK(networks.generator.output_size() == networks.discriminator.input_size(),
        networks.generator.output_size(), networks.discriminator.input_size());
  CHECK(networks.discriminator.output_size() == 1, networks.discriminator.output_size());
}

std::uint64_t GanStep::latent_blocks() const {
  return (latent_.count() + compute::normals_per_block - 1) / compute::normals_per_block;
}

compute::Floats GanStep::real() const {
  return samples_.first(batch_ * networks_.generator.output_size());
}

void GanStep::train_discriminator(compute::Queue& queue, const TrainedNetwork& discriminator,
                                  compute::ConstFloats frozen_generator, LatentDraw latent,
                                  compute::LossKind loss_kind, compute::Floats loss) {
  CHECK(loss.count() == 2, loss.count());
  draw_latent(queue, latent_, latent);
  const compute::ConstFloats generated = networks_.generator.forward(
      queue, {.parameters = frozen_generator}, latent_, batch_, generator_pass_);
  queue.submit(compute::Copy{.to = samples_.from(generated.count()), .from = generated});

  const std::size_t rows = 2 * batch_;
  const compute::ConstFloats logits = networks_.discriminator.forward(
      queue, {.parameters = discriminator.parameters()}, samples_, rows, discriminator_pass_);
  const compute::Floats gradient = discriminator_pass_.output_gradient(rows);
  queue.submit(compute::AdversarialLoss{.kind = loss_kind,
                                        .side = LossSide::DiscriminatorReal,
                                        .logits = logits.first(batch_),
                                        .gradient = gradient.first(batch_),
                                        .loss = loss.first(1)});
  queue.submit(compute::AdversarialLoss{.kind = loss_kind,
                                        .side = LossSide::DiscriminatorFake,
                                        .logits = logits.from(batch_),
                                        .gradient = gradient.from(batch_),
                                        .loss = loss.from(1)});
  networks_.discriminator.backward(queue, discriminator.parameters(), samples_, rows,
                                   discriminator_pass_,
                                   {.parameters = discriminator.gradient(), .input = {}});
  discriminator.step(queue);
}

void GanStep::train_generator(compute::Queue& queue, const TrainedNetwork& generator,
                              compute::ConstFloats frozen_discriminator, LatentDraw latent,
                              compute::LossKind loss_kind, compute::Floats loss) {
  CHECK(loss.count() == 1, loss.count());
  draw_latent(queue, latent_, latent);
  const compute::ConstFloats generated = networks_.generator.forward(
      queue, {.parameters = generator.parameters()}, latent_, batch_, generator_pass_);
  const compute::ConstFloats logits = networks_.discriminator.forward(
      queue, {.parameters = frozen_discriminator}, generated, batch_, discriminator_pass_);
  queue.submit(compute::AdversarialLoss{.kind = loss_kind,
                                        .side = LossSide::Generator,
                                        .logits = logits,
                                        .gradient = discriminator_pass_.output_gradient(batch_),
                                        .loss = loss});
  // The discriminator's input gradient is the generator's
  // output gradient, and is written there at once.
  networks_.discriminator.backward(
      queue, frozen_discriminator, generated, batch_, discriminator_pass_,
      {.parameters = {}, .input = generator_pass_.output_gradient(batch_)});
  networks_.generator.backward(queue, generator.parameters(), latent_, batch_, generator_pass_,
                               {.parameters = generator.gradient(), .input = {}});
  generator.step(queue);
}

}  // namespace quadrille::nn
