// What a run has to say: figures with the bounds that they must keep, and how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "sim/world.hpp"

namespace quadrille::sim {

enum class Outcome : int {
  Ok = 0,
  Broken = 1,     // an invariant does not hold, or a figure that can only be wrong is
  Usage = 2,      // the command line
  Unsettled = 3,  // what should have happened did not, or not in time
};

struct Figure {
  std::string name;  // with its unit
  double value = 0;
  std::optional<double> at_most{};
  std::optional<double> at_least{};
  Outcome miss = Outcome::Unsettled;  // what a value outside means
};

class Report {
 public:
  void add(Figure figure);
  void add_seconds(std::string name, Duration value, std::optional<Duration> at_most = {});
  // Ends the run: it went wrong in a way that no figure tells.
  void fail(Outcome outcome, std::string reason);

  Outcome outcome() const { return outcome_; }
  const std::vector<Figure>& figures() const { return figures_; }
  const std::vector<std::string>& reasons() const { return reasons_; }
  const Figure* find(const std::string& name) const;

 private:
  Outcome outcome_ = Outcome::Ok;
  std::vector<Figure> figures_;
  std::vector<std::string> reasons_;
};

// How the run came about, for who reads the report.
struct ReportHead {
  std::string scenario;
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> options;
  std::string replay;  // a command line, for a shell
};
// What the options are, without a run.
std::string options_to_json(const ReportHead& head);
std::string to_text(const ReportHead& head, const Report& report, const World& world);
std::string to_json(const ReportHead& head, const Report& report, const World& world);

}  // namespace quadrille::sim
