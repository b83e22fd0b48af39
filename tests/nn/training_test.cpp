// Training as a whole: it learns, its bits do not depend on the number of threads, and it allocates
// nothing.
#include "nn/fixtures.hpp"
#include "nn/gan_step.hpp"
#include "nn/models.hpp"
#include "support/allocation_count.hpp"
#include "support/device.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace quadrille;
using compute::CpuGemm;
using compute::LossKind;

BOOST_AUTO_TEST_SUITE(training)

namespace {

// A pair of a known model that trains by alternate steps on a data set of floats.
class Training {
 public:
  Training(test::Device& device, const nn::GanModel& model, std::size_t batch, float learning_rate)
      : device_(device),
        generator_(model.generator),
        discriminator_(model.discriminator),
        trained_generator_(*device.arena, generator_.parameter_count(), {}),
        trained_discriminator_(*device.arena, discriminator_.parameter_count(), {}),
        step_(*device.arena, {.generator = generator_, .discriminator = discriminator_}, batch),
        loss_(device.arena->floats(3)) {
    start(trained_generator_, test::initial_parameters(generator_, 1), learning_rate);
    start(trained_discriminator_, test::initial_parameters(discriminator_, 2), learning_rate);
  }

  compute::Floats real() const { return step_.real(); }

  void step(LossKind kind) {
    step_.train_discriminator(*device_.queue, trained_discriminator_,
                              trained_generator_.parameters(), draw(), kind, loss_.first(2));
    step_.train_generator(*device_.queue, trained_generator_, trained_discriminator_.parameters(),
                          draw(), kind, loss_.from(2));
  }

  std::vector<float> generator_parameters() {
    return device_.read(trained_generator_.parameters());
  }
  std::vector<float> discriminator_parameters() {
    return device_.read(trained_discriminator_.parameters());
  }

  // (count, sample_size)
  std::vector<float> samples(std::size_t count) {
    nn::Workspace workspace(*device_.arena, generator_, count, false);
    const compute::Floats latent = device_.put(test::normals(count * generator_.input_size(), 9));
    return device_.read(generator_.forward(
        *device_.queue, {.parameters = trained_generator_.parameters()}, latent, count, workspace));
  }

 private:
  void start(const nn::TrainedNetwork& network, std::span<const float> parameters, float rate) {
    device_.queue->upload(network.parameters(), parameters);
    network.reset_optimizer(*device_.queue, rate);
  }

  nn::LatentDraw draw() {
    const nn::LatentDraw next{.key = 5, .first_block = next_block_};
    next_block_ += step_.latent_blocks();
    return next;
  }

  test::Device& device_;
  nn::Network generator_, discriminator_;
  nn::TrainedNetwork trained_generator_, trained_discriminator_;
  nn::GanStep step_;
  compute::Floats loss_;
  std::uint64_t next_block_ = 0;
};

std::vector<test::BackendChoice> built_in_gemms() {
  std::vector<test::BackendChoice> choices;
  for (const test::BackendChoice& choice : test::every_backend())
    if (!choice.deferred && choice.gemm != CpuGemm::OneDnn) choices.push_back(choice);
  return choices;
}

const std::vector<std::size_t> one_and_two{1, 2};

nn::GanModel mnist_pair() {
  return nn::make_model("mlp", {.latent = 64, .sample = 784}).value();
}

}  // namespace

BOOST_DATA_TEST_CASE(bits_do_not_depend_on_the_number_of_threads, test::every_backend(), choice) {
  const auto parameters = [&](std::size_t threads) {
    test::Device device(choice, threads);
    Training training(device, mnist_pair(), 100, 2e-4F);
    const std::vector<float> real = test::normals(training.real().count(), 3);
    device.queue->upload(training.real(), std::span(real));
    for (int i = 0; i < 2; ++i) training.step(LossKind::Bce);
    return std::pair(training.generator_parameters(), training.discriminator_parameters());
  };
  const auto alone = parameters(1);
  const auto together = parameters(2);
  BOOST_TEST(test::same_bits(alone.first, together.first));
  BOOST_TEST(test::same_bits(alone.second, together.second));
}

// oneDNN allocates on its own account, and the deferred backend by design.
BOOST_DATA_TEST_CASE(a_step_allocates_nothing, built_in_gemms() * one_and_two, choice, threads) {
  test::Device device(choice, threads);
  Training training(device, mnist_pair(), 100, 2e-4F);
  const std::vector<float> real = test::normals(training.real().count(), 3);
  const auto step = [&] {
    device.queue->upload(training.real(), std::span(real));
    training.step(LossKind::Bce);
    device.queue->synchronise();
  };
  step();  // a backend may take its scratch memory now
  const std::size_t before = test::allocation_count();
  step();
  BOOST_TEST(test::allocation_count() == before);
}

BOOST_DATA_TEST_CASE(a_generator_learns_where_the_data_are, test::every_backend(), choice) {
  constexpr std::size_t batch = 64, data_count = 1000;
  constexpr int steps = 400;
  const std::array<float, 2> mean{1.5F, -1.0F};
  test::Device device(choice);
  using enum compute::Activation;
  Training training(device,
                    {{{{2, 24, LeakyRelu}, {24, 2, Identity}}},
                     {{{2, 24, LeakyRelu}, {24, 24, LeakyRelu}, {24, 1, Identity}}}},
                    batch, 2e-3F);
  std::vector<float> points = test::normals(data_count * 2, 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = mean[i % 2] + 0.5F * points[i];
  const compute::ConstFloats data = device.arena->resident(std::span<const float>(points));
  const compute::Words rows = device.arena->words(batch);
  RandomStream random(stream_key(1, "rows", 0));
  for (int i = 0; i < steps; ++i) {
    std::array<std::uint32_t, batch> chosen;
    for (std::uint32_t& row : chosen) row = random.below(data_count);
    device.queue->upload(rows, std::span<const std::uint32_t>(chosen));
    device.queue->submit(compute::GatherFloats{
        .row_count = batch, .columns = 2, .source = data, .rows = rows, .to = training.real()});
    training.step(LossKind::Bce);
  }
  const std::vector<float> samples = training.samples(data_count);
  std::array<double, 2> sum{};
  for (std::size_t i = 0; i < samples.size(); ++i) sum[i % 2] += double{samples[i]};
  // It starts near the origin, 1.8 away. A GAN circles around its goal: well within one deviation.
  BOOST_CHECK_SMALL(sum[0] / data_count - double{mean[0]}, 0.35);
  BOOST_CHECK_SMALL(sum[1] / data_count - double{mean[1]}, 0.35);
}

BOOST_AUTO_TEST_SUITE_END()
