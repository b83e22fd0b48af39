#include "nn/models.hpp"

#include "base/nearest.hpp"

#include <array>
#include <string>

namespace quadrille::nn {
namespace {

using compute::Activation;

constexpr std::array<std::string_view, 2> names{"mlp", "toy"};

// inputs-hidden-hidden-outputs, LeakyReLU between.
NetworkSpec three_layers(std::size_t inputs, std::size_t hidden, std::size_t outputs,
                         Activation last) {
  return {{{inputs, hidden, Activation::LeakyRelu},
           {hidden, hidden, Activation::LeakyRelu},
           {hidden, outputs, last}}};
}

GanModel mlp_pair(std::size_t latent_size, std::size_t sample_size, std::size_t hidden,
                  Activation sample_activation) {
  return {three_layers(latent_size, hidden, sample_size, sample_activation),
          three_layers(sample_size, hidden, 1, Activation::Identity)};
}

// `model "mpl" is not known; did you mean "mlp"? The models are mlp, toy.`
std::string unknown_model(std::string_view name) {
  std::string message = "model \"" + std::string(name) + "\" is not known; ";
  if (const auto near = nearest_name(name, names))
    message.append("did you mean \"").append(*near).append("\"? ");
  message += "The models are ";
  for (const std::string_view known : names)
    message.append(known).append(known == names.back() ? "." : ", ");
  return message;
}

}  // namespace

std::span<const std::string_view> model_names() {
  return names;
}

Result<GanModel> make_model(std::string_view name, std::size_t latent_size,
                            std::size_t sample_size) {
  CHECK(latent_size > 0);
  CHECK(sample_size > 0);
  if (name == "mlp") return mlp_pair(latent_size, sample_size, 256, Activation::Tanh);
  if (name == "toy") return mlp_pair(latent_size, sample_size, 128, Activation::Identity);
  return failure(ErrorCode::Config, unknown_model(name));
}

}  // namespace quadrille::nn
