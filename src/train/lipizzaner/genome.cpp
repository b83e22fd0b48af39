#include "train/lipizzaner/genome.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "nn/optimizer.hpp"

namespace quadrille::train {
namespace {

constexpr std::uint8_t exact_version = 1;

// Places in the exact bytes; the picture is in the header.
constexpr std::size_t at_version = 0;
constexpr std::size_t at_generator_loss = 1;
constexpr std::size_t at_discriminator_loss = 2;
constexpr std::size_t at_padding = 3;
constexpr std::size_t at_generator_rate = 8;
constexpr std::size_t at_discriminator_rate = 16;
constexpr std::size_t at_generator_steps = 24;
constexpr std::size_t at_discriminator_steps = 32;
constexpr std::size_t at_generator_fitness = 40;
constexpr std::size_t at_discriminator_fitness = 48;

void put_u64(ByteBuffer& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint64_t get_u64(Bytes bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

void put_f64(ByteBuffer& bytes, std::size_t at, double value) {
  put_u64(bytes, at, std::bit_cast<std::uint64_t>(value));
}

double get_f64(Bytes bytes, std::size_t at) {
  return std::bit_cast<double>(get_u64(bytes, at));
}

bool is_generator_loss(std::uint8_t number, const LipizzanerOptions& options) {
  const auto is = [number](compute::LossKind kind) {
    return number == static_cast<std::uint8_t>(kind);
  };
  if (!options.mustangs) return is(options.loss);
  return is(options.loss) || std::ranges::any_of(mustangs_losses, is);
}

bool is_rate(double rate, BaseRate base) {
  return rate == clamp_rate(rate, base);  // false for NaN
}

// NaN and infinity reach the sum: squares of floats cannot overflow a double.
Result<void> check_size(const std::string& name, std::span<const float> values, double limit) {
  if (values.empty()) return {};
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  if (!std::isfinite(sum)) return failure(ErrorCode::NotFinite, name + " hold NaN or infinity");
  if (const double rms = std::sqrt(sum / static_cast<double>(values.size())); rms > limit)
    return failure(ErrorCode::Limit, name + " have a root mean square of " + std::to_string(rms) +
                                         "; at most " + std::to_string(limit) + " is believed");
  return {};
}

Result<void> check_network(const std::string& name, const NetworkRanges& network,
                           std::span<const float> values) {
  const std::string whose = "its " + name + "'s ";
  TRY_VOID(check_size(whose + "weights", network.parameters.of(values), rms_max));
  TRY_VOID(check_size(whose + "moments", network.first_moment.of(values), rms_max));
  return check_size(whose + "moments", network.second_moment.of(values), rms_max * rms_max);
}

}  // namespace

BaseRate base_rate(const LipizzanerOptions& options, Role role) {
  return {role == Role::Generator ? options.generator_learning_rate
                                  : options.discriminator_learning_rate};
}

double clamp_rate(double rate, BaseRate base) {
  return std::clamp(rate, base.value / rate_range, base.value * rate_range);
}

SnapshotLayout::SnapshotLayout(Counts counts, const LipizzanerOptions& options)
    : generator_(add_network("generator", counts.generator, options)),
      discriminator_(add_network("discriminator", counts.discriminator, options)) {}

FloatRange SnapshotLayout::add(std::string name, std::size_t count) {
  sections_.push_back({std::move(name), count});
  float_count_ += count;
  return {.offset = float_count_ - count, .count = count};
}

NetworkRanges SnapshotLayout::add_network(const std::string& name, std::size_t count,
                                          const LipizzanerOptions& options) {
  const compute::OptimizerKind kind = options.optimizer.kind;
  NetworkRanges ranges{.parameters = add(name, count), .first_moment = {}, .second_moment = {}};
  if (!options.moments) return ranges;
  if (nn::uses_first_moment(kind)) ranges.first_moment = add(name + ".first_moment", count);
  if (nn::uses_second_moment(kind)) ranges.second_moment = add(name + ".second_moment", count);
  return ranges;
}

void write_exact(const PairTraits& traits, ByteBuffer& exact) {
  exact.assign(exact_size, std::byte{0});
  exact[at_version] = std::byte{exact_version};
  exact[at_generator_loss] = static_cast<std::byte>(traits.generator.loss);
  exact[at_discriminator_loss] = static_cast<std::byte>(traits.discriminator.loss);
  put_f64(exact, at_generator_rate, traits.generator.learning_rate);
  put_f64(exact, at_discriminator_rate, traits.discriminator.learning_rate);
  put_u64(exact, at_generator_steps, traits.generator.steps);
  put_u64(exact, at_discriminator_steps, traits.discriminator.steps);
  put_f64(exact, at_generator_fitness, traits.generator.fitness);
  put_f64(exact, at_discriminator_fitness, traits.discriminator.fitness);
}

Result<PairTraits> read_exact(Bytes exact, const LipizzanerOptions& options) {
  if (exact.size() != exact_size)
    return failure(ErrorCode::Corrupt, "its exact part has " + std::to_string(exact.size()) +
                                           " bytes, not " + std::to_string(exact_size));
  const auto number_at = [&](std::size_t at) { return std::to_integer<std::uint8_t>(exact[at]); };
  if (number_at(at_version) != exact_version)
    return failure(ErrorCode::Mismatch, "its exact part has version " +
                                            std::to_string(number_at(at_version)) + ", not " +
                                            std::to_string(exact_version));
  for (std::size_t at = at_padding; at < at_generator_rate; ++at)
    if (number_at(at) != 0) return failure(ErrorCode::Corrupt, "its exact part's padding is not 0");
  if (!is_generator_loss(number_at(at_generator_loss), options) ||
      number_at(at_discriminator_loss) != static_cast<std::uint8_t>(options.loss))
    return failure(ErrorCode::Mismatch, "its losses are not among this run's");
  PairTraits traits;
  traits.generator = {.learning_rate = get_f64(exact, at_generator_rate),
                      .loss = static_cast<compute::LossKind>(number_at(at_generator_loss)),
                      .steps = get_u64(exact, at_generator_steps),
                      .fitness = get_f64(exact, at_generator_fitness)};
  traits.discriminator = {.learning_rate = get_f64(exact, at_discriminator_rate),
                          .loss = options.loss,
                          .steps = get_u64(exact, at_discriminator_steps),
                          .fitness = get_f64(exact, at_discriminator_fitness)};
  for (const Role role : both_roles)
    if (!is_rate(traits.of(role).learning_rate, base_rate(options, role)))
      return failure(ErrorCode::Mismatch, "its learning rates are out of this run's range");
  return traits;
}

Result<PairTraits> read_snapshot(const peer::SnapshotView& snapshot, const SnapshotLayout& layout,
                                 const LipizzanerOptions& options) {
  if (snapshot.values.size() != layout.float_count())
    return failure(ErrorCode::Mismatch, "it has " + std::to_string(snapshot.values.size()) +
                                            " floats, not " + std::to_string(layout.float_count()));
  TRY(traits, read_exact(snapshot.exact, options));
  TRY_VOID(check_network("generator", layout.of(Role::Generator), snapshot.values));
  TRY_VOID(check_network("discriminator", layout.of(Role::Discriminator), snapshot.values));
  return traits;
}

void mend_moments(std::span<const float> first, std::span<float> second,
                  const nn::OptimizerOptions& optimizer) {
  CHECK(first.empty() || first.size() == second.size(), first.size(), second.size());
  const double b1 = static_cast<double>(optimizer.beta1);
  const double b2 = static_cast<double>(optimizer.beta2);
  // A hair below, so that rounding never changes moments that were sent exactly. Where b1^2 >= b2
  // the bound says nothing (and only negative values are mended).
  const double bound = 0.99 * std::max(0.0, (1 - b2) * (1 - b1 * b1 / b2) / ((1 - b1) * (1 - b1)));
  for (std::size_t i = 0; i < second.size(); ++i) {
    const double m = first.empty() ? 0.0 : static_cast<double>(first[i]);
    second[i] = std::max(second[i], static_cast<float>(m * m * bound));
  }
}

}  // namespace quadrille::train
