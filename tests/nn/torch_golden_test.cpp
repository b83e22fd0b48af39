// Complete steps against PyTorch's, from the file that tools/write_torch_golden.py wrote.
#include "nn/fixtures.hpp"
#include "nn/gan_step.hpp"
#include "nn/reference_network.hpp"
#include "support/device.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

using namespace quadrille;
using compute::Activation;
using nlohmann::json;
using test::Doubles;

BOOST_AUTO_TEST_SUITE(torch_golden)

namespace {

// Float32 against float64 over two steps of magnitude 0.01 to 1.
constexpr double weight_tolerance = 5e-6;
constexpr double loss_tolerance = 5e-6;
// Box-Muller in float32.
constexpr double latent_tolerance = 1e-6;

const json& golden() {
  static const json file =
      json::parse(std::ifstream(QUADRILLE_SOURCE_DIR "/tests/golden/nn/torch_gan_steps.json"));
  return file;
}

template <class Enum>
Enum named(const std::vector<Enum>& all, const std::string& name) {
  for (const Enum value : all)
    if ((std::ostringstream() << value).str() == name) return value;
  BOOST_FAIL("the golden file names an unknown " << name);
  return all.front();
}

nn::NetworkSpec spec(std::size_t inputs, std::size_t outputs, Activation last) {
  const std::size_t hidden = golden()["hidden"];
  return {{{inputs, hidden, Activation::LeakyRelu},
           {hidden, hidden, Activation::LeakyRelu},
           {hidden, outputs, last}}};
}

nn::OptimizerOptions options_of(const std::string& name) {
  const json& values = golden()["optimizers"][name];
  const nn::OptimizerOptions defaults;
  return {.kind = named(test::every_optimizer(), name),
          .beta1 = values.value("beta1", defaults.beta1),
          .beta2 = values.value("beta2", defaults.beta2),
          .epsilon = values.value("epsilon", defaults.epsilon)};
}

class Training {
 public:
  Training(test::BackendChoice choice, const json& golden_case)
      : device_(choice),
        optimizer_(golden_case["optimizer"]),
        loss_kind_(named(test::every_loss(), golden_case["loss"])),
        loss_(device_.arena->floats(3)) {
    start(trained_generator_, "generator");
    start(trained_discriminator_, "discriminator");
  }

  void step(std::size_t index, const json& expected) {
    const std::vector<float> real = golden()["real"][index];
    const std::uint64_t key = golden()["latent_key"];
    compute::Queue& queue = *device_.queue;
    queue.upload(step_.real(), std::span(real));
    step_.train_discriminator(queue, trained_discriminator_, trained_generator_.parameters(),
                              {key, 2 * index * step_.latent_blocks()}, loss_kind_, loss_.first(2));
    step_.train_generator(queue, trained_generator_, trained_discriminator_.parameters(),
                          {key, (2 * index + 1) * step_.latent_blocks()}, loss_kind_,
                          loss_.from(2));
    Doubles losses = expected["discriminator_loss"];
    losses.push_back(expected["generator_loss"]);
    BOOST_TEST(test::close(device_.read(loss_), losses, loss_tolerance));
    check(trained_discriminator_, expected["discriminator"]);
    check(trained_generator_, expected["generator"]);
  }

 private:
  void start(const nn::TrainedNetwork& network, const char* name) {
    const std::vector<float> parameters = golden()[name];
    device_.queue->upload(network.parameters(), std::span(parameters));
    network.reset_optimizer(*device_.queue, golden()["optimizers"][optimizer_]["learning_rate"]);
  }

  void check(const nn::TrainedNetwork& network, const Doubles& expected) {
    BOOST_TEST(test::close(device_.read(network.parameters()), expected, weight_tolerance));
  }

  test::Device device_;
  std::string optimizer_;
  compute::LossKind loss_kind_;
  compute::Floats loss_;
  nn::Network generator_{spec(golden()["latent_size"], golden()["sample_size"], Activation::Tanh)};
  nn::Network discriminator_{spec(golden()["sample_size"], 1, Activation::Identity)};
  nn::TrainedNetwork trained_generator_{*device_.arena, generator_.parameter_count(),
                                        options_of(optimizer_)};
  nn::TrainedNetwork trained_discriminator_{*device_.arena, discriminator_.parameter_count(),
                                            options_of(optimizer_)};
  nn::GanStep step_{*device_.arena,
                    {.generator = generator_, .discriminator = discriminator_},
                    golden()["batch"]};
};

}  // namespace

BOOST_DATA_TEST_CASE(latent_vectors_are_the_ones_that_the_golden_file_was_made_with,
                     test::every_backend(), choice) {
  test::Device device(choice);
  const Doubles expected = golden()["first_latents"];
  const compute::Floats latent = device.arena->floats(expected.size());
  device.queue->submit(
      compute::RandomNormal{.to = latent, .key = golden()["latent_key"], .first_block = 0});
  BOOST_TEST(test::close(device.read(latent), expected, latent_tolerance));
}

BOOST_DATA_TEST_CASE(steps_give_the_losses_and_weights_of_pytorch,
                     test::every_backend() * test::every_loss() * test::every_optimizer(), choice,
                     loss, optimizer) {
  std::size_t found = 0;
  for (const json& golden_case : golden()["cases"]) {
    if (named(test::every_loss(), golden_case["loss"]) != loss) continue;
    if (named(test::every_optimizer(), golden_case["optimizer"]) != optimizer) continue;
    ++found;
    Training training(choice, golden_case);
    std::size_t index = 0;
    for (const json& step : golden_case["steps"]) training.step(index++, step);
    BOOST_TEST(index == 2U);
  }
  BOOST_TEST(found == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
