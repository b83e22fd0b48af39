#include "train/lipizzaner/checkpoint_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/all_finite.hpp"

namespace quadrille::train {
namespace {

Failure part_failure(ErrorCode code, const std::string& name, const std::string& what) {
  return failure(code, "the cell's part \"" + name + "\" " + what);
}

}  // namespace

Result<std::uint64_t> CheckpointReader::counter(const std::string& name) const {
  const auto found =
      std::ranges::find(state_.counters, name, [](const auto& counter) { return counter.first; });
  if (found == state_.counters.end())
    return part_failure(ErrorCode::Mismatch, name,
                        "is missing: the checkpoint is of another version");
  return found->second;
}

Result<double> CheckpointReader::number(const std::string& name) const {
  TRY(bits, counter(name));
  return std::bit_cast<double>(bits);
}

Result<std::span<const float>> CheckpointReader::floats(const std::string& name,
                                                        std::size_t count) const {
  const auto found = std::ranges::find(state_.tensors, name, &peer::CellState::Floats::name);
  if (found == state_.tensors.end())
    return part_failure(ErrorCode::Mismatch, name,
                        "is missing: the checkpoint is of another version or optimizer");
  const std::span<const float> values = found->values;
  if (values.size() != count)
    return part_failure(ErrorCode::Mismatch, name,
                        "has " + std::to_string(values.size()) + " values, not " +
                            std::to_string(count) + ": the checkpoint is of another model");
  if (!all_finite(values)) return part_failure(ErrorCode::NotFinite, name, "holds NaN or infinity");
  return values;
}

Result<Traits> CheckpointReader::traits(const std::string& prefix) const {
  Traits traits;
  TRY(rate, number(prefix + ".learning_rate"));
  TRY(loss, counter(prefix + ".loss"));
  TRY(steps, counter(prefix + ".steps"));
  TRY(fitness, number(prefix + ".fitness"));
  if (!std::isfinite(rate) || rate <= 0)
    return part_failure(ErrorCode::Corrupt, prefix + ".learning_rate", "is not a positive number");
  if (loss >= compute::loss_kind_count)
    return part_failure(ErrorCode::Corrupt, prefix + ".loss", "is no loss");
  return Traits{.learning_rate = rate,
                .loss = static_cast<compute::LossKind>(loss),
                .steps = steps,
                .fitness = fitness};
}

void write_number(peer::CellState& state, const std::string& name, double value) {
  state.counters.emplace_back(name, std::bit_cast<std::uint64_t>(value));
}

void write_traits(peer::CellState& state, const std::string& prefix, const Traits& traits) {
  write_number(state, prefix + ".learning_rate", traits.learning_rate);
  state.counters.emplace_back(prefix + ".loss", static_cast<std::uint64_t>(traits.loss));
  state.counters.emplace_back(prefix + ".steps", traits.steps);
  write_number(state, prefix + ".fitness", traits.fitness);
}

}  // namespace quadrille::train
