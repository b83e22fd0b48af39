// One network of a cell's center: the one that trains. At the start of a generation it is
// remembered, weights and moments, so that it can come back when its offspring is worse or not
// finite.
#pragma once

#include "compute/backend.hpp"
#include "nn/optimizer.hpp"
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner/population.hpp"

namespace quadrille::train {

class CenterNetwork {
 public:
  // `gradient` is memory that others may use while the network does not train.
  CenterNetwork(compute::Arena& arena, compute::Floats gradient, nn::OptimizerOptions optimizer);

  const nn::TrainedNetwork& network() const { return network_; }
  compute::Floats parameters() const { return network_.parameters(); }
  const Traits& traits() const { return traits_; }
  void set_loss(compute::LossKind loss) { traits_.loss = loss; }
  void set_fitness(double fitness) { traits_.fitness = fitness; }
  void set_learning_rate(compute::Queue& queue, double rate);
  void count_step() { ++traits_.steps; }

  // Overwrites the traits; weights and moments are the caller's to write. For a start, and for a
  // checkpoint.
  void set_traits(compute::Queue& queue, const Traits& traits);
  void reset_moments(compute::Queue& queue);

  // Copies the weights into `slot`, which keeps them until the next call, and the moments aside.
  void remember(compute::Queue& queue, compute::Floats slot);
  // Everything as it was at remember().
  void recall(compute::Queue& queue);
  // recall() will bring this learning rate.
  void amend_remembered_rate(double rate) { remembered_.learning_rate = rate; }
  const Traits& remembered() const { return remembered_; }
  // Becomes a copy of a neighbour's network: its weights, traits and, where they travelled,
  // moments.
  void inherit(compute::Queue& queue, const Genome& genome, const Traits& traits);

 private:
  nn::TrainedNetwork network_;
  Traits traits_;
  Traits remembered_;
  compute::ConstFloats remembered_parameters_;
  compute::Floats remembered_first_;
  compute::Floats remembered_second_;
};

}  // namespace quadrille::train
