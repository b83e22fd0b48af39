#include "data/synthetic.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "data/fingerprint.hpp"

namespace quadrille::data {
namespace {

using Point = std::array<double, 2>;

constexpr double value_max = 1e6;
// Two machines' log and cos may differ in the last bit. Rounding each normal to steps that are
// coarse beside that, and fine beside sigma, gives both the same points and so one fingerprint.
constexpr double normal_steps = 4096;

std::string shown(double value) {
  std::ostringstream out;
  out << value;
  return std::move(out).str();
}

// cos and sin of multiples of 45 degrees, exactly as far as doubles go.
std::vector<Point> ring_centres(double radius) {
  const double d = 0.5 * std::numbers::sqrt2;
  std::vector<Point> centres{{1, 0}, {d, d}, {0, 1}, {-d, d}, {-1, 0}, {-d, -d}, {0, -1}, {d, -d}};
  for (Point& centre : centres)
    for (double& coordinate : centre) coordinate *= radius;
  return centres;
}

std::vector<Point> grid_centres(double spacing) {
  std::vector<Point> centres;
  for (int row = -2; row <= 2; ++row)
    for (int column = -2; column <= 2; ++column)
      centres.push_back({column * spacing, row * spacing});
  return centres;
}

// The positive, finite value of an option, or its default.
Result<double> value_of(const char* name, const std::optional<double>& option, double usual) {
  const double value = option.value_or(usual);
  if (!(value > 0 && value <= value_max))
    return failure(ErrorCode::Config, std::string(name) + " is " + shown(value) +
                                          "; a synthetic set needs more than 0 and at most " +
                                          shown(value_max));
  return value;
}

struct Mixture {
  std::vector<Point> centres;
  double sigma;
};

Result<Mixture> mixture_of(std::string_view name, const SyntheticOptions& options) {
  const bool ring = name == "ring8";
  if (ring && options.spacing)
    return failure(ErrorCode::Config, "ring8 has no spacing; set its radius instead");
  if (!ring && options.radius)
    return failure(ErrorCode::Config, "grid25 has no radius; set its spacing instead");
  TRY(extent,
      ring ? value_of("radius", options.radius, 2) : value_of("spacing", options.spacing, 2));
  TRY(sigma, value_of("sigma", options.sigma, ring ? 0.02 : 0.05));
  TRY(scale, value_of("scale", options.scale, ring ? 1 : 0.25 * std::numbers::sqrt2));
  return Mixture{ring ? ring_centres(extent * scale) : grid_centres(extent * scale), sigma * scale};
}

Dataset draw(std::string_view name, const Mixture& mixture, const SyntheticOptions& options) {
  Dataset dataset;
  dataset.name = std::string(name);
  dataset.shape = {.height = 1, .width = 1, .channels = 2};
  dataset.count = options.count;
  dataset.class_count = mixture.centres.size();
  dataset.points.reserve(2 * options.count);
  dataset.labels.reserve(options.count);
  RandomStream random(stream_key(options.seed, "data/synthetic", 0));
  for (std::size_t row = 0; row < options.count; ++row) {
    const std::size_t mode = row % mixture.centres.size();
    dataset.labels.push_back(static_cast<std::uint8_t>(mode));
    for (const double centre : mixture.centres[mode]) {
      const double normal = std::nearbyint(random.normal() * normal_steps) / normal_steps;
      dataset.points.push_back(static_cast<float>(centre + mixture.sigma * normal));
    }
  }
  dataset.fingerprint = fingerprint_of(dataset);
  return dataset;
}

}  // namespace

bool is_synthetic(std::string_view name) {
  return name == "ring8" || name == "grid25";
}

Result<SyntheticSet> make_synthetic(std::string_view name, const SyntheticOptions& options) {
  if (!is_synthetic(name))
    return failure(ErrorCode::Config,
                   "\"" + std::string(name) + "\" is no synthetic set; there are ring8 and grid25");
  TRY(mixture, mixture_of(name, options));
  if (options.count < mixture.centres.size() || options.count > synthetic_count_max)
    return failure(ErrorCode::Config, "count is " + std::to_string(options.count) + "; " +
                                          std::string(name) + " needs " +
                                          std::to_string(mixture.centres.size()) + " to " +
                                          std::to_string(synthetic_count_max) + " points");
  SyntheticSet set{.dataset = draw(name, mixture, options), .truth = {}};
  set.truth.sigma = static_cast<float>(mixture.sigma);
  for (const auto& [x, y] : mixture.centres)
    set.truth.centres.push_back({static_cast<float>(x), static_cast<float>(y)});
  return set;
}

}  // namespace quadrille::data
