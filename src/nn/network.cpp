#include "nn/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace quadrille::nn {
namespace {

std::size_t parameter_count_of(const DenseSpec& layer) {
  return layer.inputs * layer.outputs + layer.outputs;
}

// One layer's share of a flat span: of the parameters, or of their gradient.
template <class T>
struct LayerView {
  compute::DeviceSpan<T> weights;  // (inputs, outputs)
  compute::DeviceSpan<T> bias;     // (outputs)
};

template <class T>
LayerView<T> layer_view(compute::DeviceSpan<T> flat, std::size_t offset, const DenseSpec& layer) {
  const std::size_t weight_count = layer.inputs * layer.outputs;
  return {flat.part(offset, weight_count), flat.part(offset + weight_count, layer.outputs)};
}

// y = act(x W + b) for every member; `members.parameters` begins at the layer's weights.
void submit_forward(compute::Queue& queue, const DenseSpec& layer, std::size_t rows,
                    const Members& members, compute::MatrixIn x, compute::Floats y) {
  const std::size_t weight_count = layer.inputs * layer.outputs;
  const std::size_t tail = (members.count - 1) * members.stride;
  queue.submit(
      compute::Gemm{.members = members.count,
                    .m = rows,
                    .n = layer.outputs,
                    .k = layer.inputs,
                    .a = x,
                    .b = {.values = members.parameters.first(tail + weight_count),
                          .leading = layer.outputs,
                          .stride = members.stride},
                    .c = {.values = y, .leading = layer.outputs, .stride = rows * layer.outputs}});
  queue.submit(
      compute::BiasActivation{.members = members.count,
                              .rows = rows,
                              .columns = layer.outputs,
                              .values = y,
                              .bias = members.parameters.part(weight_count, tail + layer.outputs),
                              .bias_stride = members.stride,
                              .activation = layer.activation});
}

// dW = x^T dy and db = the column sums of dy.
void submit_parameter_gradient(compute::Queue& queue, const DenseSpec& layer, std::size_t rows,
                               compute::ConstFloats input, compute::ConstFloats output_gradient,
                               LayerView<float> gradient) {
  queue.submit(compute::Gemm{.m = layer.inputs,
                             .n = layer.outputs,
                             .k = rows,
                             .a = {.values = input, .leading = layer.inputs, .transposed = true},
                             .b = {.values = output_gradient, .leading = layer.outputs},
                             .c = {.values = gradient.weights, .leading = layer.outputs}});
  queue.submit(compute::ColumnSum{
      .rows = rows, .columns = layer.outputs, .from = output_gradient, .to = gradient.bias});
}

// dx = dy W^T.
void submit_input_gradient(compute::Queue& queue, const DenseSpec& layer, std::size_t rows,
                           compute::ConstFloats weights, compute::ConstFloats output_gradient,
                           compute::Floats input_gradient) {
  queue.submit(compute::Gemm{.m = rows,
                             .n = layer.inputs,
                             .k = layer.outputs,
                             .a = {.values = output_gradient, .leading = layer.outputs},
                             .b = {.values = weights, .leading = layer.outputs, .transposed = true},
                             .c = {.values = input_gradient, .leading = layer.inputs}});
}

// d loss / d output becomes d loss / d (x W + b), in place.
void submit_activation_gradient(compute::Queue& queue, compute::Activation activation,
                                compute::ConstFloats output, compute::Floats gradient) {
  if (activation == compute::Activation::Identity) return;
  queue.submit(compute::ActivationGradient{
      .activation = activation, .output = output, .gradient = gradient});
}

}  // namespace

Workspace::Workspace(compute::Arena& arena, const Network& network, std::size_t rows_max,
                     bool with_gradients, std::size_t members)
    : rows_max_(rows_max), members_(members), output_size_(network.output_size()) {
  CHECK(rows_max > 0);
  CHECK(members > 0);
  std::size_t widest = 0;
  for (const DenseSpec& layer : network.spec().layers) {
    activations_.push_back(arena.floats(members * rows_max * layer.outputs));
    widest = std::max(widest, layer.outputs);
  }
  if (!with_gradients) return;
  CHECK(members == 1, members);
  for (compute::Floats& gradient : gradients_) gradient = arena.floats(rows_max * widest);
}

compute::Floats Workspace::output_gradient(std::size_t rows) const {
  CHECK(!gradients_[0].empty());
  CHECK(rows <= rows_max_, rows, rows_max_);
  return gradients_[0].first(rows * output_size_);
}

Network::Network(NetworkSpec spec) : spec_(std::move(spec)), parameter_count_(0) {
  CHECK(!spec_.layers.empty());
  std::size_t width = spec_.layers.front().inputs;
  for (const DenseSpec& layer : spec_.layers) {
    CHECK(layer.inputs == width, layer.inputs, width);
    CHECK(layer.inputs > 0 && layer.outputs > 0, layer.inputs, layer.outputs);
    offsets_.push_back(parameter_count_);
    parameter_count_ += parameter_count_of(layer);
    width = layer.outputs;
  }
}

std::size_t Network::input_size() const {
  return spec_.layers.front().inputs;
}
std::size_t Network::output_size() const {
  return spec_.layers.back().outputs;
}

void Network::initialise(std::span<float> parameters, RandomStream& random) const {
  CHECK(parameters.size() == parameter_count_, parameters.size(), parameter_count_);
  for (std::size_t l = 0; l < spec_.layers.size(); ++l) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(spec_.layers[l].inputs));
    for (float& value : parameters.subspan(offsets_[l], parameter_count_of(spec_.layers[l])))
      value = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
  }
}

compute::ConstFloats Network::forward(compute::Queue& queue, const Members& members,
                                      compute::ConstFloats input, std::size_t rows,
                                      Workspace& workspace, bool input_per_member) const {
  CHECK(workspace.activations_.size() == spec_.layers.size());
  CHECK(rows > 0 && rows <= workspace.rows_max_, rows, workspace.rows_max_);
  CHECK(members.count > 0 && members.count <= workspace.members_, members.count,
        workspace.members_);
  CHECK(members.parameters.count() >= (members.count - 1) * members.stride + parameter_count_,
        members.parameters.count(), members.stride);

  compute::ConstFloats x =
      input.first((input_per_member ? members.count : 1) * rows * input_size());
  std::size_t x_stride = input_per_member ? rows * input_size() : 0;
  for (std::size_t l = 0; l < spec_.layers.size(); ++l) {
    const DenseSpec& layer = spec_.layers[l];
    const compute::Floats y = workspace.activations_[l].first(members.count * rows * layer.outputs);
    submit_forward(queue, layer, rows,
                   {members.parameters.from(offsets_[l]), members.count, members.stride},
                   {.values = x, .leading = layer.inputs, .stride = x_stride}, y);
    x = y;
    x_stride = rows * layer.outputs;
  }
  return x;
}

compute::ConstFloats Network::layer_output(const Workspace& workspace, std::size_t layer,
                                           std::size_t rows) const {
  CHECK(layer < spec_.layers.size(), layer, spec_.layers.size());
  CHECK(rows <= workspace.rows_max_, rows, workspace.rows_max_);
  return workspace.activations_[layer].first(rows * spec_.layers[layer].outputs);
}

void Network::backward(compute::Queue& queue, compute::ConstFloats parameters,
                       compute::ConstFloats input, std::size_t rows, Workspace& workspace,
                       const GradientsWanted& wanted) const {
  CHECK(parameters.count() == parameter_count_, parameters.count(), parameter_count_);
  CHECK(wanted.parameters.empty() || wanted.parameters.count() == parameter_count_,
        wanted.parameters.count(), parameter_count_);
  compute::Floats dy = workspace.output_gradient(rows);
  for (std::size_t l = spec_.layers.size(); l-- > 0;) {
    const DenseSpec& layer = spec_.layers[l];
    submit_activation_gradient(queue, layer.activation, layer_output(workspace, l, rows), dy);
    if (!wanted.parameters.empty()) {
      const compute::ConstFloats x =
          l == 0 ? input.first(rows * layer.inputs) : layer_output(workspace, l - 1, rows);
      submit_parameter_gradient(queue, layer, rows, x, dy,
                                layer_view(wanted.parameters, offsets_[l], layer));
    }
    if (l == 0 && wanted.input.empty()) return;
    // The two buffers take turns, so that dx never overwrites the dy that it is made from.
    const bool dy_is_first = dy.address() == workspace.gradients_[0].address();
    const compute::Floats dx = l == 0
                                   ? wanted.input.first(rows * layer.inputs)
                                   : workspace.gradients_[dy_is_first].first(rows * layer.inputs);
    submit_input_gradient(queue, layer, rows, layer_view(parameters, offsets_[l], layer).weights,
                          dy, dx);
    dy = dx;
  }
}

}  // namespace quadrille::nn
