// Everybody against everybody agrees with each pair taken by itself.
#include "train/lipizzaner/fitness.hpp"

#include "nn/models.hpp"
#include "support/device.hpp"
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace quadrille;
using namespace quadrille::train;
using compute::LossKind;

BOOST_AUTO_TEST_SUITE(lipizzaner_fitness)

namespace {

constexpr std::size_t sample_rows = 130;  // two passes, the second one short

// Three pairs of toy networks with their own weights, in slots with a gap between them.
struct Contest {
  explicit Contest(test::BackendChoice choice)
      : device(choice),
        dataset(test::ring_of_points(200)),
        data(*device.backend, dataset),
        model(nn::make_model("toy", {.latent = 3, .sample = 2}).value()),
        generator(model.generator),
        discriminator(model.discriminator),
        fitness(*device.arena, {.generator = generator, .discriminator = discriminator}, data, 4) {
    for (std::uint32_t i = 0; i < sample_rows; ++i) rows.push_back((i * 7) % 200);
    generators = members(generator, "generators", 5);
    discriminators = members(discriminator, "discriminators", 16);
  }

  nn::Members members(const nn::Network& network, const char* name, std::size_t gap) {
    const std::size_t stride = network.parameter_count() + gap;
    std::vector<float> values(3 * stride);
    for (std::size_t i = 0; i < 3; ++i) {
      RandomStream random(stream_key(1, name, i));
      network.initialise(std::span(values).subspan(i * stride, network.parameter_count()), random);
    }
    return {.parameters = device.put(values), .count = 3, .stride = stride};
  }

  LossTable evaluate(Contestants who, LossKind kind) {
    const std::size_t count = who.generators.count;
    const std::size_t per_pass = FitnessTest::losses_per_pass(count);
    const compute::Floats losses =
        device.arena->floats(FitnessTest::passes(sample_rows) * per_pass);
    for (std::size_t pass = 0; pass < FitnessTest::passes(sample_rows); ++pass)
      fitness.run_pass(*device.queue, who, {.rows = rows, .latent = {.key = 3, .first_block = 11}},
                       pass, kind, losses.part(pass * per_pass, per_pass));
    return FitnessTest::table(device.read(losses), {.members = count, .rows = sample_rows});
  }

  nn::Members one(const nn::Members& of, std::size_t i) {
    return {.parameters = of.parameters.from(i * of.stride), .count = 1, .stride = of.stride};
  }

  test::Device device;
  data::Dataset dataset;
  ResidentData data;
  nn::GanModel model;
  nn::Network generator;
  nn::Network discriminator;
  FitnessTest fitness;
  std::vector<std::uint32_t> rows;
  nn::Members generators;
  nn::Members discriminators;
};

}  // namespace

BOOST_DATA_TEST_CASE(all_against_all_is_each_pair_by_itself, test::every_backend(), choice) {
  Contest contest(choice);
  const LossTable all =
      contest.evaluate({contest.generators, contest.discriminators}, LossKind::Bce);
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t d = 0; d < 3; ++d) {
      const LossTable pair = contest.evaluate(
          {contest.one(contest.generators, g), contest.one(contest.discriminators, d)},
          LossKind::Bce);
      // Other shapes may run on other kernels.
      const auto close = boost::test_tools::tolerance(1e-5);
      BOOST_TEST(all.generator[g * 3 + d] == pair.generator[0], close);
      BOOST_TEST(all.fake[g * 3 + d] == pair.fake[0], close);
      BOOST_TEST(all.real[d] == pair.real[0], close);
    }
}

// One pair in double precision, from the layers up.
double logit(const std::vector<float>& weights, const nn::NetworkSpec& spec,
             std::vector<double> values) {
  std::size_t offset = 0;
  for (const nn::DenseSpec& layer : spec.layers) {
    std::vector<double> next(layer.outputs);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      double sum = static_cast<double>(weights[offset + layer.inputs * layer.outputs + o]);
      for (std::size_t i = 0; i < layer.inputs; ++i)
        sum += values[i] * static_cast<double>(weights[offset + i * layer.outputs + o]);
      const bool leaky = layer.activation == compute::Activation::LeakyRelu;
      next[o] = leaky && sum < 0 ? 0.2 * sum : sum;
    }
    offset += layer.inputs * layer.outputs + layer.outputs;
    values = next;
  }
  return values[0];
}

BOOST_DATA_TEST_CASE(the_loss_on_real_rows_is_that_of_the_rows_named, test::every_backend(),
                     choice) {
  Contest contest(choice);
  const LossTable table =
      contest.evaluate({contest.generators, contest.discriminators}, LossKind::Bce);
  const std::vector<float> weights = contest.device.read(
      contest.discriminators.parameters.first(contest.discriminator.parameter_count()));
  double sum = 0;
  for (const std::uint32_t row : contest.rows) {
    const double y = logit(weights, contest.discriminator.spec(),
                           {static_cast<double>(contest.dataset.points[2 * row]),
                            static_cast<double>(contest.dataset.points[2 * row + 1])});
    sum += std::log1p(std::exp(-y));
  }
  BOOST_TEST(table.real[0] == sum / sample_rows, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(a_discriminators_loss_is_that_on_real_rows_and_on_fakes) {
  LossTable table(2);
  table.generator = {1, 3, 5, 9};
  table.fake = {0.1, 0.2, 0.3, 0.6};  // generator 0 against both, generator 1 against both
  table.real = {1, 2};
  const std::vector<double> g = table.generator_fitness(FitnessAggregate::Average);
  BOOST_TEST(g[0] == 2);
  BOOST_TEST(g[1] == 7);
  const auto close = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(table.discriminator_fitness(FitnessAggregate::Average)[0] == 1.2, close);
  BOOST_TEST(table.discriminator_fitness(FitnessAggregate::Worst)[1] == 2.6, close);
  BOOST_TEST(table.discriminator_fitness(FitnessAggregate::Best)[1] == 2.2, close);
}

BOOST_AUTO_TEST_CASE(the_mean_over_passes_counts_rows_and_not_passes) {
  // One member, two passes of 100 and 50 rows.
  const std::vector<float> losses{1, 2, 3, 4, 8, 6};
  const LossTable table = FitnessTest::table(losses, {.members = 1, .rows = 150});
  const auto close = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(table.generator[0] == (1.0 * 100 + 4.0 * 50) / 150, close);
  BOOST_TEST(table.fake[0] == (2.0 * 100 + 8.0 * 50) / 150, close);
  BOOST_TEST(table.real[0] == (3.0 * 100 + 6.0 * 50) / 150, close);
}

BOOST_AUTO_TEST_SUITE_END()
