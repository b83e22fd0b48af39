// One step of a generator or a discriminator: right gradients, a frozen opponent, no work too many.
#include "nn/gan_step.hpp"

#include "nn/fixtures.hpp"
#include "nn/reference_network.hpp"
#include "support/deferred_backend.hpp"
#include "support/device.hpp"
#include "support/operands.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace quadrille;
using compute::Activation;
using compute::Floats;
using compute::LossKind;
using compute::LossSide;
using test::Doubles;

BOOST_AUTO_TEST_SUITE(gan_step)

namespace {

constexpr std::size_t latent_size = 3, hidden = 11, sample_size = 6, batch = 5;
constexpr nn::LatentDraw draw{.key = 77, .first_block = 12};
// Float32 through two networks of three layers.
constexpr double tolerance = 1e-5;

nn::NetworkSpec generator_spec() {
  return {{{latent_size, hidden, Activation::LeakyRelu},
           {hidden, hidden, Activation::LeakyRelu},
           {hidden, sample_size, Activation::Tanh}}};
}

nn::NetworkSpec discriminator_spec() {
  return {{{sample_size, hidden, Activation::LeakyRelu},
           {hidden, hidden, Activation::LeakyRelu},
           {hidden, 1, Activation::Identity}}};
}

// A pair in training on any backend. Initial weights are tripled so that logits leave the linear
// range.
struct Pair {
  explicit Pair(compute::Backend& backend, nn::OptimizerOptions options = {})
      : arena(backend.make_arena()),
        queue(backend.make_queue()),
        trained_generator(*arena, generator.parameter_count(), options),
        trained_discriminator(*arena, discriminator.parameter_count(), options),
        step(*arena, {.generator = generator, .discriminator = discriminator}, batch),
        loss(arena->floats(2)) {
    for (float& value : generator_start) value *= 3;
    for (float& value : discriminator_start) value *= 3;
    queue->upload(trained_generator.parameters(), std::span<const float>(generator_start));
    queue->upload(trained_discriminator.parameters(), std::span<const float>(discriminator_start));
    queue->upload(step.real(), std::span<const float>(real));
    trained_generator.reset_optimizer(*queue, 0.01F);
    trained_discriminator.reset_optimizer(*queue, 0.01F);
  }

  void train_discriminator(LossKind kind) {
    step.train_discriminator(*queue, trained_discriminator, trained_generator.parameters(), draw,
                             kind, loss);
  }
  void train_generator(LossKind kind) {
    step.train_generator(*queue, trained_generator, trained_discriminator.parameters(), draw, kind,
                         loss.first(1));
  }

  std::vector<float> read(compute::ConstFloats from) {
    std::vector<float> values(from.count());
    queue->download(std::span(values), from);
    queue->synchronise();
    return values;
  }

  // The latent vectors of the draw, as the backend makes them.
  Doubles latent() {
    const Floats to = arena->floats(batch * latent_size);
    queue->submit(
        compute::RandomNormal{.to = to, .key = draw.key, .first_block = draw.first_block});
    return test::widened(read(to));
  }

  nn::Network generator{generator_spec()};
  nn::Network discriminator{discriminator_spec()};
  std::vector<float> generator_start = test::initial_parameters(generator, 1);
  std::vector<float> discriminator_start = test::initial_parameters(discriminator, 2);
  std::vector<float> real = test::normals(batch * sample_size, 3);
  std::unique_ptr<compute::Arena> arena;
  std::unique_ptr<compute::Queue> queue;
  nn::TrainedNetwork trained_generator;
  nn::TrainedNetwork trained_discriminator;
  nn::GanStep step;
  Floats loss;
};

struct Host {
  explicit Host(test::BackendChoice choice) : backend(choice.make(pool)), pair(*backend) {}
  WorkerPool pool{1};
  std::unique_ptr<compute::Backend> backend;
  Pair pair;
};

std::vector<Floats> memory_of(const nn::TrainedNetwork& network) {
  return {network.parameters(), network.gradient(), network.first_moment(), network.second_moment(),
          network.hyper()};
}

}  // namespace

BOOST_DATA_TEST_CASE(the_discriminators_gradient_is_that_of_a_pass_over_real_and_one_over_fake_rows,
                     test::every_backend() * test::every_loss(), choice, kind) {
  Host host(choice);
  Pair& pair = host.pair;
  pair.train_discriminator(kind);
  const std::vector<float> gradient = pair.read(pair.trained_discriminator.gradient());

  const test::ReferenceNetwork generator(generator_spec(), test::widened(pair.generator_start));
  const test::ReferenceNetwork discriminator(discriminator_spec(),
                                             test::widened(pair.discriminator_start));
  const Doubles real = test::widened(pair.real);
  const Doubles fake = generator.forward(pair.latent(), batch);
  const auto real_loss =
      test::reference_loss(kind, LossSide::DiscriminatorReal, discriminator.forward(real, batch));
  const auto fake_loss =
      test::reference_loss(kind, LossSide::DiscriminatorFake, discriminator.forward(fake, batch));
  Doubles expected = discriminator.backward(real, batch, real_loss.gradient).parameters;
  const Doubles more = discriminator.backward(fake, batch, fake_loss.gradient).parameters;
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += more[i];
  BOOST_TEST(test::close(gradient, expected, tolerance));
  BOOST_TEST(test::close(pair.read(pair.loss), Doubles{real_loss.mean, fake_loss.mean}, tolerance));
}

BOOST_DATA_TEST_CASE(the_generators_gradient_flows_through_the_discriminator,
                     test::every_backend() * test::every_loss(), choice, kind) {
  Host host(choice);
  Pair& pair = host.pair;
  pair.train_generator(kind);
  const std::vector<float> gradient = pair.read(pair.trained_generator.gradient());

  const test::ReferenceNetwork generator(generator_spec(), test::widened(pair.generator_start));
  const test::ReferenceNetwork discriminator(discriminator_spec(),
                                             test::widened(pair.discriminator_start));
  const Doubles latent = pair.latent();
  const Doubles fake = generator.forward(latent, batch);
  const auto loss =
      test::reference_loss(kind, LossSide::Generator, discriminator.forward(fake, batch));
  const Doubles at_samples = discriminator.backward(fake, batch, loss.gradient).input;
  BOOST_TEST(
      test::close(gradient, generator.backward(latent, batch, at_samples).parameters, tolerance));
  BOOST_TEST(test::close(pair.read(pair.loss.first(1)), Doubles{loss.mean}, tolerance));
}

BOOST_DATA_TEST_CASE(a_step_moves_the_trained_network_and_nothing_of_its_opponent,
                     test::every_backend(), choice) {
  Host host(choice);
  Pair& pair = host.pair;
  pair.train_discriminator(LossKind::Bce);
  pair.train_generator(LossKind::Bce);
  const auto snapshot = [&](const nn::TrainedNetwork& network) {
    std::vector<std::vector<float>> values;
    for (const Floats span : memory_of(network)) values.push_back(pair.read(span));
    return values;
  };
  const auto check_same = [](const auto& before, const auto& after) {
    for (std::size_t i = 0; i < before.size(); ++i)
      BOOST_TEST(test::same_bits(before[i], after[i]));
  };
  const auto generator = snapshot(pair.trained_generator);
  pair.train_discriminator(LossKind::Bce);
  check_same(generator, snapshot(pair.trained_generator));

  const auto discriminator = snapshot(pair.trained_discriminator);
  pair.train_generator(LossKind::Bce);
  check_same(discriminator, snapshot(pair.trained_discriminator));
  BOOST_TEST(!test::same_bits(generator[0], pair.read(pair.trained_generator.parameters())));
}

BOOST_AUTO_TEST_CASE(no_operation_is_spent_on_the_frozen_opponent) {
  using compute::ColumnSum, compute::Gemm, compute::OptimizerStep;
  WorkerPool pool(1);
  test::DeferredBackend backend(pool);
  Pair pair(backend);

  backend.start_record();
  pair.train_discriminator(LossKind::Bce);
  const auto discriminator = backend.take_record();
  for (const Floats span : memory_of(pair.trained_generator))
    BOOST_TEST(!test::any_writes(discriminator, span));
  // G forward, D forward, D backward without its first layer's input gradient.
  BOOST_TEST(test::operation_count<Gemm>(discriminator) == 3U + 3U + 5U);
  BOOST_TEST(test::operation_count<ColumnSum>(discriminator) == 3U);
  BOOST_TEST(test::operation_count<OptimizerStep>(discriminator) == 1U);

  backend.start_record();
  pair.train_generator(LossKind::Bce);
  const auto generator = backend.take_record();
  for (const Floats span : memory_of(pair.trained_discriminator))
    BOOST_TEST(!test::any_writes(generator, span));
  // G forward, D forward, D backward of inputs alone, G backward without its first input gradient.
  BOOST_TEST(test::operation_count<Gemm>(generator) == 3U + 3U + 3U + 5U);
  BOOST_TEST(test::operation_count<ColumnSum>(generator) == 3U);
  BOOST_TEST(test::operation_count<OptimizerStep>(generator) == 1U);
}

BOOST_AUTO_TEST_CASE(real_and_generated_rows_go_through_the_discriminator_in_one_pass) {
  WorkerPool pool(1);
  test::DeferredBackend backend(pool);
  Pair pair(backend);
  backend.start_record();
  pair.train_discriminator(LossKind::Bce);
  std::size_t doubled = 0;
  for (const compute::Operation& operation : backend.take_record())
    if (const auto* gemm = std::get_if<compute::Gemm>(&operation)) doubled += gemm->m == 2 * batch;
  BOOST_TEST(doubled == 3U + 2U);  // forward, and two input gradients
}

BOOST_AUTO_TEST_CASE(a_draw_takes_as_many_blocks_as_its_normals_need) {
  WorkerPool pool(1);
  test::DeferredBackend backend(pool);
  Pair pair(backend);
  BOOST_TEST(pair.step.latent_blocks() == 4U);  // 15 normals, four to a block
}

BOOST_AUTO_TEST_SUITE_END()
