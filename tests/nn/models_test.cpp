// The architectures that a run file can name.
#include "nn/models.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;
using compute::Activation;

BOOST_AUTO_TEST_SUITE(models)

BOOST_AUTO_TEST_CASE(mlp_is_the_published_pair) {
  const auto model = nn::make_model("mlp", {.latent = 64, .sample = 784});
  BOOST_REQUIRE(model.has_value());
  const nn::NetworkSpec generator{{{64, 256, Activation::LeakyRelu},
                                   {256, 256, Activation::LeakyRelu},
                                   {256, 784, Activation::Tanh}}};
  const nn::NetworkSpec discriminator{{{784, 256, Activation::LeakyRelu},
                                       {256, 256, Activation::LeakyRelu},
                                       {256, 1, Activation::Identity}}};
  BOOST_TEST((model->generator == generator));
  BOOST_TEST((model->discriminator == discriminator));
  // 2,203,716 bytes of parameters, as measured of the original.
  BOOST_TEST(
      (nn::Network(generator).parameter_count() + nn::Network(discriminator).parameter_count()) *
          sizeof(float) ==
      2203716U);
}

BOOST_AUTO_TEST_CASE(toy_makes_points_without_a_bound) {
  const auto model = nn::make_model("toy", {.latent = 16, .sample = 2});
  BOOST_REQUIRE(model.has_value());
  BOOST_TEST((model->generator.layers.back() == nn::DenseSpec{128, 2, Activation::Identity}));
  BOOST_TEST((model->discriminator.layers.front() == nn::DenseSpec{2, 128, Activation::LeakyRelu}));
}

BOOST_AUTO_TEST_CASE(every_name_listed_makes_a_pair_that_fits_together) {
  for (const std::string_view name : nn::model_names()) {
    const auto model = nn::make_model(name, {.latent = 7, .sample = 12});
    BOOST_REQUIRE(model.has_value());
    const nn::Network generator(model->generator), discriminator(model->discriminator);
    BOOST_TEST(generator.input_size() == 7U);
    BOOST_TEST(generator.output_size() == 12U);
    BOOST_TEST(discriminator.input_size() == 12U);
    BOOST_TEST(discriminator.output_size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_an_error_that_names_the_nearest) {
  const auto model = nn::make_model("mpl", {.latent = 64, .sample = 784});
  BOOST_REQUIRE(!model.has_value());
  BOOST_TEST((model.error().code == ErrorCode::Config));
  BOOST_TEST(model.error().detail ==
             "model \"mpl\" is not known; did you mean \"mlp\"? The models are mlp, toy.");
  BOOST_TEST(nn::make_model("transformer", {.latent = 64, .sample = 784}).error().detail ==
             "model \"transformer\" is not known; The models are mlp, toy.");
}

BOOST_AUTO_TEST_SUITE_END()
