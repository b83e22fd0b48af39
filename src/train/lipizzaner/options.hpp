// Every choice of the Lipizzaner algorithm that a run file can make, with its default. The ranges
// are checked where the run file is read (node/spec).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "compute/operation.hpp"
#include "nn/optimizer.hpp"
#include "train/score/score_kind.hpp"

namespace quadrille::train {

// Whose snapshots a cell reads. Cross: the cells to the W, N, E and S. Ring: `radius` cells on each
// side in row-major order, around the whole grid (Lipi-Ring, Toutouh and O'Reilly 2021). Moore: the
// eight around. TransposedCross: the cross around the cell's mirror image at the diagonal of a
// square grid: a fault of the original program, kept so that what it cost can be measured.
enum class NeighbourhoodKind : std::uint8_t { Cross, Ring, Moore, TransposedCross };

// How the fitness against several opponents becomes one number (lower is better).
enum class FitnessAggregate : std::uint8_t { Average, Worst, Best };

// Who a network trains against, drawn anew for every step. Selected: the winner of a tournament of
// `tournament_size` in the sub-population. Random: any member of it.
enum class Opponents : std::uint8_t { Selected, Random };

struct LipizzanerOptions {
  // The grid.
  NeighbourhoodKind neighbourhood = NeighbourhoodKind::Cross;
  std::uint32_t radius = 1;  // of a ring
  bool sync = false;         // wait for the same generation of every neighbour: bit-reproducible

  // One generation.
  std::size_t batch_size = 100;
  std::uint64_t batches_per_generation = 0;  // 0: one pass over the cell's data
  std::uint32_t discriminator_skip = 0;      // n: a discriminator step on every n+1st batch only
  Opponents opponents = Opponents::Random;
  compute::LossKind loss = compute::LossKind::Bce;
  bool mustangs = false;  // draw each generator's loss anew among Bce, LeastSquares and Heuristic
  float weight_clip = 0;  // > 0: clip the discriminator's weights after each of its steps

  // Evolution.
  FitnessAggregate fitness = FitnessAggregate::Average;
  std::size_t fitness_sample_size = 1000;
  bool selection = true;
  std::uint32_t tournament_size = 2;
  double mutation_probability = 0.5;
  double mutation_sigma = 0.1;  // of a learning rate's Gaussian step, relative to the base rate
  double mixture_sigma = 0.01;
  ScoreKind score = ScoreKind::Frechet;
  std::size_t score_sample_size = 1000;
  bool moments = false;  // snapshots carry the optimizers' moments

  // The networks.
  std::string model = "mlp";
  std::size_t latent_size = 64;
  double generator_learning_rate = 2e-4;
  double discriminator_learning_rate = 2e-4;
  nn::OptimizerOptions optimizer;
};

}  // namespace quadrille::train
