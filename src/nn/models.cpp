#include "nn/models.hpp"

#include "base/nearest.hpp"

#include <array>
#include <string>

namespace quadrille::nn {
namespace {

using compute::Activation;

constexpr std::array<std::string_view, 2> names{"mlp", "toy"};

// inputs-hidden-hidden-outputs, LeakyReLU between; `whole` is the network seen from outside.
NetworkSpec three_layers(const DenseSpec& whole, std::size_t hidden) {
  return {{{whole.inputs, hidden, Activation::LeakyRelu},
           {hidden, hidden, Activation::LeakyRelu},
           {hidden, whole.outputs, whole.activation}}};
}

GanModel mlp_pair(ModelSizes sizes, std::size_t hidden, Activation sample_activation) {
  return {three_layers({sizes.latent, sizes.sample, sample_activation}, hidden),
          three_layers({sizes.sample, 1, Activation::Identity}, hidden)};
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

Result<GanModel> make_model(std::string_view name, ModelSizes sizes) {
  CHECK(sizes.latent > 0);
  CHECK(sizes.sample > 0);
  if (name == "mlp") return mlp_pair(sizes, 256, Activation::Tanh);
  if (name == "toy") return mlp_pair(sizes, 128, Activation::Identity);
  return failure(ErrorCode::Config, unknown_model(name));
}

}  // namespace quadrille::nn
