// What a cell publishes, and how it is read back: the floats of both networks as the exchange
// encodes them, and 56 exact bytes beside them. A snapshot comes from somebody else's machine:
// nothing in it is believed before read_snapshot() has looked at it.
//
// The exact bytes, version 1, little-endian:
//    0  u8   version, 1
//    1  u8   generator's loss             2  u8   discriminator's loss
//    3  5 zero bytes
//    8  f64  generator's learning rate   16  f64  discriminator's learning rate
//   24  u64  generator's steps           32  u64  discriminator's steps
//   40  f64  generator's fitness         48  f64  discriminator's fitness
// A loss is the number of its compute::LossKind. A fitness that was not measured yet is NaN.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "compute/operation.hpp"
#include "peer/learner.hpp"
#include "train/lipizzaner/options.hpp"

namespace quadrille::train {

// What a network has besides its weights: it is inherited, mutated and published with them.
struct Traits {
  double learning_rate = 0;
  compute::LossKind loss = compute::LossKind::Bce;
  std::uint64_t steps = 0;  // optimizer steps behind its moments
  double fitness = std::numeric_limits<double>::quiet_NaN();
};

// Which network of a pair.
enum class Role : std::uint8_t { Generator, Discriminator };
inline constexpr std::array both_roles{Role::Generator, Role::Discriminator};

struct PairTraits {
  Traits generator;
  Traits discriminator;

  const Traits& of(Role role) const { return role == Role::Generator ? generator : discriminator; }
};

// What `mustangs` draws a generator's loss from (Toutouh et al. 2019).
inline constexpr std::array mustangs_losses{compute::LossKind::Bce, compute::LossKind::LeastSquares,
                                            compute::LossKind::Heuristic};

// The learning rate that the run file gives a network.
struct BaseRate {
  double value;
};
BaseRate base_rate(const LipizzanerOptions& options, Role role);

// Rates stay in [base / rate_range, base * rate_range],
// whatever mutation does or a neighbour claims.
inline constexpr double rate_range = 100;
double clamp_rate(double rate, BaseRate base);

// A snapshot whose weights, or gradients as its moments tell them, have a larger root mean square
// is refused: trained networks stay below 1, and the product of a few layers at this bound is still
// far from overflow.
inline constexpr double rms_max = 100;

// A run of floats within a snapshot; moments that do not travel have a count of 0.
struct FloatRange {
  std::size_t offset = 0;
  std::size_t count = 0;

  std::span<const float> of(std::span<const float> values) const {
    return values.subspan(offset, count);
  }
  std::span<float> of(std::span<float> values) const { return values.subspan(offset, count); }
  compute::Floats of(compute::Floats values) const { return values.part(offset, count); }
};

struct NetworkRanges {
  FloatRange parameters;
  FloatRange first_moment;
  FloatRange second_moment;
};

// Where everything is in the floats of a snapshot.
class SnapshotLayout {
 public:
  struct Counts {
    std::size_t generator;      // parameters
    std::size_t discriminator;  // parameters
  };
  SnapshotLayout(Counts counts, const LipizzanerOptions& options);

  std::span<const peer::Section> sections() const { return sections_; }
  std::size_t float_count() const { return float_count_; }
  const NetworkRanges& of(Role role) const {
    return role == Role::Generator ? generator_ : discriminator_;
  }

 private:
  FloatRange add(std::string name, std::size_t count);
  NetworkRanges add_network(const std::string& name, std::size_t count,
                            const LipizzanerOptions& options);

  std::vector<peer::Section> sections_;
  std::size_t float_count_ = 0;
  NetworkRanges generator_;
  NetworkRanges discriminator_;
};

inline constexpr std::size_t exact_size = 56;
// Overwrites `exact`.
void write_exact(const PairTraits& traits, ByteBuffer& exact);
// Corrupt, or Mismatch for another version, for losses
// that the options rule out, and for rates out of range.
Result<PairTraits> read_exact(Bytes exact, const LipizzanerOptions& options);

// The traits of a snapshot whose floats and bytes are all in order; else what is wrong with it.
Result<PairTraits> read_snapshot(const peer::SnapshotView& snapshot, const SnapshotLayout& layout,
                                 const LipizzanerOptions& options);

// Moments that went through a lossy codec may claim a second moment that no
// history of gradients leaves beside their first one (zero or negative, so
// that the next step would be enormous). Raises those to the smallest possible
// value: m^2 (1 - b2) (1 - b1^2 / b2) / (1 - b1)^2, by Cauchy and Schwarz.
void mend_moments(std::span<const float> first, std::span<float> second,
                  const nn::OptimizerOptions& optimizer);

}  // namespace quadrille::train
