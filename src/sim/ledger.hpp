// Which cells went from whom to whom, and which deaths were only imagined: what scenarios count.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "sim/host.hpp"

namespace quadrille::sim {

// A host's claim on a cell began, or ended.
struct Move {
  enum class Kind : std::uint8_t {
    Gained,
    Lost,   // given up, by a host that lives on
    Ended,  // with its process
  };
  TimePoint time;
  NodeIndex node = 0;
  CellIndex cell;
  Kind kind = Kind::Gained;
};

class Ledger {
 public:
  explicit Ledger(std::size_t hosts) : claims_(hosts) {}

  void on_event(const Host& host, TimePoint now);
  void on_ended(const Host& host, TimePoint now);
  void on_false_death() { ++false_deaths_; }

  const std::vector<Move>& moves() const { return moves_; }
  const std::set<CellIndex>& claims_of(NodeIndex node) const { return claims_[node].cells; }
  // Somebody took a host for dead that lived and could be reached, as often as it was said.
  std::uint64_t false_deaths() const { return false_deaths_; }

 private:
  struct Claims {
    peer::RecordRef record;
    std::set<CellIndex> cells;
  };

  std::vector<Claims> claims_;
  std::vector<Move> moves_;
  std::uint64_t false_deaths_ = 0;
};

}  // namespace quadrille::sim
