// One word on how a run goes, from what was measured after each generation: what a person would say
// who watched the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace quadrille::node {

struct Observation {
  std::uint64_t generation = 0;
  std::uint64_t images_seen = 0;  // by one cell
  std::optional<double> score{};  // of the best cell; lower is better
  // Spread of generated samples over that of real ones: 1 is alike.
  std::optional<double> diversity{};
  bool rolled_back = false;  // a cell met NaN since the last observation
};

class Verdict {
 public:
  // An improvement below this share of the best score counts as none.
  static constexpr double improvement_min = 0.01;
  // Fewer images than this without improvement are not called flat yet.
  static constexpr std::uint64_t flat_images_min = 300'000;
  // Samples that spread less than this share of the real ones show one thing only,
  static constexpr double diversity_min = 0.2;
  // which those of a generator that has seen fewer images than this do as well.
  static constexpr std::uint64_t collapse_images_min = 20'000;
  // A score this many times the best one is a run that came apart.
  static constexpr double divergence_factor = 3;

  void observe(const Observation& observation);
  // "starting", "improving", "best was 21.5 at generation 120", "flat for 420 thousand images",
  // "collapsed (...)", "diverged (...)"; "training" where there is no score
  std::string text() const;

 private:
  std::optional<Observation> best_;
  std::uint64_t observed_ = 0;
  Observation last_;
};

}  // namespace quadrille::node
