// A network is a sequence of layers over one flat span of parameters, with
// forward and backward and no tape. Network holds the architecture only; weights
// are the trainer's, and are sent, mixed, mutated and saved as one span. Layers
// lie in it in order, each as W (inputs, outputs), then b (outputs).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "compute/backend.hpp"

namespace quadrille::nn {

struct DenseSpec {
  std::size_t inputs;
  std::size_t outputs;
  compute::Activation activation;

  bool operator==(const DenseSpec&) const = default;
};

struct NetworkSpec {
  std::vector<DenseSpec> layers;  // at least one; one's outputs are the next one's inputs

  bool operator==(const NetworkSpec&) const = default;
};

// Networks of one architecture in one pass: member i's parameters begin i * stride floats in.
struct Members {
  compute::ConstFloats parameters;
  std::size_t count = 1;
  std::size_t stride = 0;
};

class Network;

// The activations of one forward pass and the gradients of one backward
// pass, for at most rows_max rows of each of `members` networks.
// `with_gradients` = false saves their memory for passes that only evaluate.
class Workspace {
 public:
  Workspace(compute::Arena& arena, const Network& network, std::size_t rows_max,
            bool with_gradients, std::size_t members = 1);

  // d loss / d output, (rows, output_size): the loss writes it, backward() consumes it.
  compute::Floats output_gradient(std::size_t rows) const;

 private:
  friend class Network;
  std::size_t rows_max_;
  std::size_t members_;
  std::size_t output_size_;
  std::vector<compute::Floats> activations_;  // one per layer, (members, rows, outputs)
  compute::Floats gradients_[2];              // of a layer's output and of its input, in turn
};

// What backward() is to compute. An empty span is not computed: a frozen opponent has no parameter
// gradient, a network at the front of the chain has no input gradient.
struct GradientsWanted {
  compute::Floats parameters;  // overwritten
  compute::Floats input;       // (rows, input_size), overwritten
};

class Network {
 public:
  explicit Network(NetworkSpec spec);

  const NetworkSpec& spec() const { return spec_; }
  std::size_t parameter_count() const { return parameter_count_; }
  std::size_t input_size() const;
  std::size_t output_size() const;

  // Each layer's weights and biases uniform in +-1/sqrt(inputs): PyTorch's default for a linear
  // layer, which the published settings use. `parameters`: parameter_count floats on the host.
  void initialise(std::span<float> parameters, RandomStream& random) const;

  // Output (members, rows, output_size), in the workspace. input: (rows, input_size) shared by all
  // members, or (members, rows, input_size) when input_per_member.
  compute::ConstFloats forward(compute::Queue& queue, const Members& members,
                               compute::ConstFloats input, std::size_t rows, Workspace& workspace,
                               bool input_per_member = false) const;

  // The output (rows, outputs) of layer `layer` of the last forward pass with one member: features.
  compute::ConstFloats layer_output(const Workspace& workspace, std::size_t layer,
                                    std::size_t rows) const;

  // After forward() of one member with the same parameters, input, rows and workspace, and with the
  // loss gradient in workspace.output_gradient(rows).
  void backward(compute::Queue& queue, compute::ConstFloats parameters, compute::ConstFloats input,
                std::size_t rows, Workspace& workspace, const GradientsWanted& wanted) const;

 private:
  NetworkSpec spec_;
  std::vector<std::size_t> offsets_;  // of each layer's weights in the flat span
  std::size_t parameter_count_;
};

}  // namespace quadrille::nn
