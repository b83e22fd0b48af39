// One cell of the grid: a generation of the Lipizzaner loop as a machine that can pause after every
// training step. Where it pauses changes no bit of what it computes.
//
//   Announce -> Wait -> Fitness -> Train -> Contest -> Finish -> Wait ...
//                           ^ roll back |        (publishes, and says what it needs next)
//
// The center is the pair of networks that trains. What happens to it in a generation:
//   1. it is remembered; the winner of a tournament among the sub-population may take its place
//      (the incumbent), then its rates are mutated;
//   2. it trains, and so becomes the offspring. Its opponent is a member of the sub-population,
//      where member 0 is the center itself as it is by now;
//   3. offspring and incumbent meet the same opponents on the generation's sample: the whole
//      sub-population and the offspring's own partner. The better one is the new center, G and D
//      each for itself.
// A loss, weight or moment that is not finite brings back the remembered center with half its
// learning rates, which then trains alone: without selection and mutation, against itself, so that
// no neighbour can spoil it again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "compute/backend.hpp"
#include "data/batch_cursor.hpp"
#include "peer/learner.hpp"
#include "train/lipizzaner/center.hpp"
#include "train/lipizzaner/fitness_trial.hpp"
#include "train/lipizzaner/population.hpp"
#include "train/lipizzaner/setup.hpp"
#include "train/lipizzaner/streams.hpp"
#include "train/lipizzaner/workbench.hpp"

namespace quadrille::train {

class CheckpointReader;

class Cell {
 public:
  // A generation that fails this often running is the cell's end.
  static constexpr std::uint32_t attempts_max = 3;
  // Weights, losses and moments are looked at after so many batches, and at the end.
  static constexpr std::uint64_t check_interval = 64;

  // A cell as `origin` says; errors as Learner::start(). The setup outlives it.
  static Result<std::unique_ptr<Cell>> start(const Setup& setup, CellIndex index,
                                             const peer::Origin& origin);

  std::span<const CellIndex> neighbours() const { return neighbours_; }
  void advance(const peer::CellInput& input, peer::Quantum quantum, Workbench& bench,
               std::vector<peer::Action>& actions);
  peer::CellState save() const;
  std::vector<float> samples(std::size_t count, Workbench& bench);

 private:
  enum class Phase : std::uint8_t { Announce, Wait, Fitness, Train, Contest, Finish, Over };

  // The generation of one network of the pair.
  struct Lineage {
    std::vector<double> fitness;           // of each member, before the training
    std::vector<double> opponent_fitness;  // the same, but member 0 is the incumbent
    std::size_t incumbent = 0;             // the tournament's winner, a member
    double loss_sum = 0;                   // of the batches that trained it
    std::uint64_t steps = 0;               // their number
    bool replaced = false;                 // the offspring is the new center
  };

  // What is known of the generation under way. Nothing of it outlives the generation.
  struct Generation {
    std::uint64_t batch = 0;
    std::uint32_t failed_attempts = 0;
    Lineage generator;
    Lineage discriminator;
    bool mixture_replaced = false;
    std::optional<double> score;
  };

  Cell(const Setup& setup, CellIndex index, std::uint64_t life, data::BatchCursor cursor);
  static Result<std::unique_ptr<Cell>> make(const Setup& setup, CellIndex index,
                                            std::uint64_t life);

  // cell_state.cpp
  void begin_fresh();
  Result<void> begin_adopted(const peer::Adopted& adopted);
  Result<void> begin_restored(const CheckpointReader& checkpoint);
  Result<void> restore_streams(const CheckpointReader& checkpoint);
  Result<void> restore_score(const CheckpointReader& checkpoint);
  Result<void> restore_center(const CheckpointReader& checkpoint, Role role);
  Result<void> restore_population(const CheckpointReader& checkpoint);

  // cell.cpp: takes one piece of work and says what
  // it cost in training steps; none ends the advance.
  std::optional<std::uint32_t> work(const peer::CellInput& input, Workbench& bench,
                                    std::vector<peer::Action>& actions);
  void collect(const peer::CellInput& input, std::vector<peer::Action>& actions);
  void begin_generation();
  std::uint32_t fitness_pass(Workbench& bench, std::size_t members);
  void evolve();
  void bring_incumbent(Role role);
  void begin_contest();
  void decide_contest();
  void evolve_mixture(Workbench& bench);
  std::vector<compute::ConstFloats> mixture_generators() const;

  // cell_training.cpp
  void begin_training();
  void train_batch(Workbench& bench);
  void train_discriminator(Workbench& bench, std::span<const std::uint32_t> rows);
  std::uint64_t batches_per_generation() const;
  compute::ConstFloats draw_opponent(Role role);
  bool training_is_finite();
  void roll_back(std::vector<peer::Action>& actions);

  // cell_report.cpp
  void announce(std::vector<peer::Action>& actions);
  void finish_round(std::vector<peer::Action>& actions);
  void publish(std::vector<peer::Action>& actions);
  void need_or_done(std::vector<peer::Action>& actions);
  peer::Status status();
  std::vector<double> by_member(std::span<const double> by_slot) const;
  std::vector<double> members() const;
  std::vector<double> distances(Role role);

  CenterNetwork& center(Role role) { return role == Role::Generator ? generator_ : discriminator_; }
  const CenterNetwork& center(Role role) const {
    return role == Role::Generator ? generator_ : discriminator_;
  }
  Lineage& lineage(Role role) {
    return role == Role::Generator ? generation_.generator : generation_.discriminator;
  }

  const Setup& setup_;
  CellIndex index_;
  std::uint64_t life_;
  std::vector<CellIndex> neighbours_;
  std::unique_ptr<compute::Arena> arena_;
  std::unique_ptr<compute::Queue> queue_;
  Population population_;
  CenterNetwork generator_;
  CenterNetwork discriminator_;
  FitnessTrial trial_;
  compute::Floats batch_loss_;     // the last batch's: generator, real, fake
  compute::Floats training_sums_;  // of batch_loss_ over the generation, and squares
  compute::Floats distance_sums_;  // squares: the center's, its difference to each neighbour's
  CellStreams streams_;
  data::BatchCursor cursor_;

  Phase phase_ = Phase::Announce;
  bool publishes_first_ = true;  // a restored cell's neighbours hold its snapshot already
  std::string notice_;           // to give out with the first advance
  Round round_;
  std::uint64_t batches_seen_ = 0;  // decides which batches train the discriminator
  std::uint64_t images_seen_ = 0;
  std::vector<double> mixture_{1.0};  // a weight for each member
  Generation generation_;
  std::vector<float> published_;
  ByteBuffer exact_;
};

}  // namespace quadrille::train
