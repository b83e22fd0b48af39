// The evolutionary choices of a generation, each a pure function of its random stream.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.hpp"
#include "compute/operation.hpp"
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner/options.hpp"

namespace quadrille::train {

// One number out of the losses against several opponents; lower is better. Infinity when one of
// them is not finite, so that such a network never wins. `losses` holds one or more.
double aggregate_fitness(FitnessAggregate aggregate, std::span<const double> losses);

// The fittest of `size` different members drawn at random (all of them when there are not more).
// NaN loses against everything; among equals the first member wins. Allocates nothing.
std::size_t tournament(RandomStream& random, std::span<const double> fitness, std::uint32_t size);

struct RateMutation {
  double probability;
  double sigma;  // relative to the base rate
};
// rate + N(0, sigma base) with the given probability, kept within clamp_rate()'s range. Takes the
// same words of the stream whether it mutates or not.
double mutated_rate(RandomStream& random, double rate, BaseRate base, RateMutation mutation);

// One of mustangs_losses, each as likely.
compute::LossKind mustangs_loss(RandomStream& random);

// child = normalised max(0, parent + N(0, sigma)); the
// parent's copy where nothing is left to normalise.
void mutate_mixture(RandomStream& random, std::span<const double> parent, double sigma,
                    std::span<double> child);

}  // namespace quadrille::train
