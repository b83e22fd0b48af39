// The Lipizzaner algorithm as a learner: a coevolutionary grid of GANs (Schmiedlechner, Al-Dujaili,
// Hemberg, O'Reilly 2018), one generation a round. cell.hpp says what happens in a generation.
//
// A cell's story, as its driver sees it:
//   Fresh     Publish(0), Need
//   Adopted   Notice, Publish(jump_to), Need
//   Restored  Need: its readers' exchange holds its snapshot already
//   then, generation after generation: Publish(round), Status, Need or Done
// Need names the same round of every neighbour where `sync` is set, and the newest there is
// elsewhere; a 1x1 grid has no neighbours and asks for nothing. An advance() that used up its
// quantum within a generation returns no action for the cell: it is called again at once.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "base/worker_pool.hpp"
#include "compute/backend.hpp"
#include "data/dataset.hpp"
#include "peer/learner.hpp"
#include "train/lipizzaner/options.hpp"
#include "train/run_facts.hpp"
#include "train/score/scorer.hpp"

namespace quadrille::train {

// Everything given outlives the learner; no scorer leaves the mixtures' weights equal.
// Config error for a model that is not known.
//
// Measures of a Status (docs/metrics.md is for people). Lists are the center's value, then each
// neighbour's in their order, NaN for one that was not heard of. "..." is generator_ and
// discriminator_: there are two of these.
//   ..._loss             mean over the generation's batches
//   ..._learning_rate    of the new center
//   ..._member_fitness   list, before the training
//   ..._selected_cell    whose copy was trained
//   ..._replaced         1: the offspring was better
//   ..._distance         list, |center - it| / |center|
//   generator_loss_kind  number of a compute::LossKind
//   mixture_weights      list
//   mixture_replaced     1: the child was better
Result<std::unique_ptr<peer::Learner>> make_lipizzaner(const RunFacts& run,
                                                       const LipizzanerOptions& options,
                                                       compute::Backend& backend, WorkerPool& pool,
                                                       const data::Dataset& dataset,
                                                       Scorer* scorer);

}  // namespace quadrille::train
