// The rows of [algorithm].
#include "node/spec/run_key_rows.hpp"

namespace quadrille::node {
namespace {

using compute::LossKind;
using compute::OptimizerKind;
using train::LipizzanerOptions;
using train::ScoreKind;
using std::string_view_literals::operator""sv;

// Names in the order of their enums.
constexpr std::array algorithm_names{"lipizzaner"sv};
constexpr std::array opponents_names{"selected"sv, "random"sv};
constexpr std::array optimizer_names{"sgd"sv, "rmsprop"sv, "adam"sv};
constexpr std::array fitness_names{"average"sv, "worst"sv, "best"sv};
constexpr std::array loss_names{"bce"sv,         "least-squares"sv, "heuristic"sv,
                                "wasserstein"sv, "hinge"sv,         "mustangs"sv};
constexpr std::array score_names{"none"sv,      "frechet"sv, "tvd"sv,
                                 "inception"sv, "modes"sv,   "auto"sv};

// The last of their names is no value of their enums but a choice of its own.
constexpr std::size_t mustangs_index = loss_names.size() - 1;
static_assert(mustangs_index == compute::loss_kind_count);
constexpr std::size_t auto_score_index = score_names.size() - 1;

constexpr Condition of_wasserstein{
    [](const RunSpec& spec) { return spec.lipizzaner.loss == LossKind::Wasserstein; },
    "only a Wasserstein critic is clipped; set algorithm.loss = \"wasserstein\""};
constexpr Condition of_adam{[](const RunSpec& spec) {
                              return spec.lipizzaner.optimizer.kind == compute::OptimizerKind::Adam;
                            },
                            "only Adam has it; set algorithm.optimizer = \"adam\""};
constexpr Condition of_adaptive{
    [](const RunSpec& spec) {
      return spec.lipizzaner.optimizer.kind != compute::OptimizerKind::Sgd;
    },
    "plain SGD has none; set algorithm.optimizer = \"adam\" or \"rmsprop\""};

constexpr WholeNumber sample_count{1, 1'000'000};
constexpr RealNumber learning_rate{1e-9, 10};
constexpr RealNumber decay{0, 0.999999};  // 1 as a float would divide by zero

Key loss_key() {
  return {
      .path = "algorithm.loss",
      .kind = Choice{loss_names},
      .get = [](const RunSpec& spec) -> KeyValue {
        const LipizzanerOptions& options = spec.lipizzaner;
        return std::string(
            loss_names[options.mustangs ? mustangs_index : static_cast<std::size_t>(options.loss)]);
      },
      .set =
          [](RunSpec& spec, const KeyValue& value) {
            const std::size_t index = index_in(loss_names, value);
            spec.lipizzaner.mustangs = index == mustangs_index;
            spec.lipizzaner.loss =
                index == mustangs_index ? LossKind::Bce : static_cast<LossKind>(index);
          },
      .in_id = InId::Yes,
      .need = {},
      .meaning =
          "What the networks minimise. \"mustangs\" draws each generator's loss anew, "
          "every generation, among the first three"};
}

Key learning_rate_key() {
  return {.path = "algorithm.learning_rate",
          .kind = learning_rate,
          .get = [](const RunSpec& spec) -> KeyValue {
            return spec.lipizzaner.generator_learning_rate;
          },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                spec.lipizzaner.generator_learning_rate = std::get<double>(value);
                spec.lipizzaner.discriminator_learning_rate = std::get<double>(value);
              },
          .in_id = InId::No,
          .need = {},
          .meaning = "Short for both of the next two, each of which wins over it",
          .shorthand = true};
}

Key score_key() {
  return {.path = "algorithm.score",
          .kind = Choice{score_names},
          .get = [](const RunSpec& spec) -> KeyValue {
            const auto index = static_cast<std::size_t>(spec.lipizzaner.score);
            return std::string(score_names[spec.score_auto ? auto_score_index : index]);
          },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                const std::size_t index = index_in(score_names, value);
                spec.score_auto = index == auto_score_index;
                if (!spec.score_auto) spec.lipizzaner.score = static_cast<ScoreKind>(index);
              },
          .in_id = InId::Yes,
          .need = {},
          .meaning =
              "What mixtures are evolved towards and cells are judged by. \"auto\" is "
              "\"frechet\" for labelled images, \"modes\" for synthetic sets, else \"none\""};
}

std::vector<Key> training_keys() {
  return {
      choice<algorithm_names>("algorithm.kind", FIELD(algorithm), "The algorithm"),
      flag("algorithm.sync", FIELD(lipizzaner.sync), InId::Yes,
           "Wait for the same generation of every neighbour: slower, and the same bits every time"),
      whole("algorithm.batch_size", FIELD(lipizzaner.batch_size), {1, 65'536}, InId::Yes,
            {"a batch has {} rows", "Rows of one mini-batch"}),
      whole("algorithm.batches_per_generation", FIELD(lipizzaner.batches_per_generation),
            count_or_zero, InId::Yes,
            {"", "Mini-batches of one generation. 0 is one pass over the cell's data"}),
      whole("algorithm.discriminator_skip", FIELD(lipizzaner.discriminator_skip), {0, 1'000'000},
            InId::Yes, {"", "n: a discriminator step on every n+1st batch only"}),
      choice<opponents_names>("algorithm.opponents", FIELD(lipizzaner.opponents),
                              "Whom a network trains against: those that selection kept, or any "
                              "member of the neighbourhood"),
      loss_key(),
      real("algorithm.weight_clip", FIELD(lipizzaner.weight_clip), {0, 1000},
           {"", "Keeps each weight of a Wasserstein critic within plus or minus this. 0 does not"},
           of_wasserstein),
      choice<optimizer_names>("algorithm.optimizer", FIELD(lipizzaner.optimizer.kind),
                              "How a gradient becomes a step"),
      learning_rate_key(),
      real("algorithm.generator_learning_rate", FIELD(lipizzaner.generator_learning_rate),
           learning_rate, {"", "Learning rate that generators begin with"}),
      real("algorithm.discriminator_learning_rate", FIELD(lipizzaner.discriminator_learning_rate),
           learning_rate, {"", "Learning rate that discriminators begin with"}),
      real("algorithm.beta1", FIELD(lipizzaner.optimizer.beta1), decay,
           {"", "Adam's decay of the first moment"}, of_adam),
      real("algorithm.beta2", FIELD(lipizzaner.optimizer.beta2), decay,
           {"", "Adam's decay of the second moment; RMSprop's only one"}, of_adaptive),
      real("algorithm.epsilon", FIELD(lipizzaner.optimizer.epsilon), {1e-12, 1},
           {"", "Keeps Adam and RMSprop from dividing by zero"}, of_adaptive),
  };
}

std::vector<Key> evolution_keys() {
  return {
      choice<fitness_names>("algorithm.fitness", FIELD(lipizzaner.fitness),
                            "How losses against several opponents become one fitness"),
      whole("algorithm.fitness_sample_size", FIELD(lipizzaner.fitness_sample_size), sample_count,
            InId::Yes, {"", "Real rows, and as many generated ones, that fitness is measured on"}),
      flag("algorithm.selection", FIELD(lipizzaner.selection), InId::Yes,
           "A tournament in the neighbourhood replaces the center before each generation"),
      whole("algorithm.tournament_size", FIELD(lipizzaner.tournament_size), {1, 1025}, InId::Yes,
            {"", "Members that are drawn for a tournament"}),
      real("algorithm.mutation_probability", FIELD(lipizzaner.mutation_probability), {0, 1},
           {"", "That a learning rate is mutated in a generation"}),
      real("algorithm.mutation_sigma", FIELD(lipizzaner.mutation_sigma), {0, 10},
           {"", "Standard deviation of that mutation, as a share of the first learning rate"}),
      real("algorithm.mixture_sigma", FIELD(lipizzaner.mixture_sigma), {0, 10},
           {"", "Standard deviation of a mutation of the mixture's weights"}),
      score_key(),
      whole("algorithm.score_sample_size", FIELD(lipizzaner.score_sample_size), sample_count,
            InId::Yes, {"", "Generated rows that a score is measured on"}),
      flag("algorithm.moments", FIELD(lipizzaner.moments), InId::Yes,
           "Snapshots carry the optimizer's moments: three times the bytes"),
  };
}

}  // namespace

std::vector<Key> algorithm_keys() {
  std::vector<Key> keys = training_keys();
  const std::vector<Key> evolution = evolution_keys();
  keys.insert(keys.end(), evolution.begin(), evolution.end());
  return keys;
}

}  // namespace quadrille::node
