// What this peer claims, as runs of cells that were claimed at one moment. A record has room for so
// many runs: neighbouring ones are joined under the younger stamp before anything is given up,
// since a little seniority is worth less than a cell.
//
// Runs count positions, not indices: where a grid has gaps, the last cell of a row and the first of
// the next are neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "peer/placement/grid.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

class OwnClaims {
 public:
  struct Run {
    std::uint32_t first = 0;  // a position
    std::uint32_t count = 0;
    std::uint64_t stamp = 0;

    std::uint32_t end() const { return first + count; }
    bool operator==(const Run&) const = default;
  };
  static constexpr std::size_t runs_max = wire::claim_runs_max;

  bool contains(std::uint32_t position) const;
  std::uint32_t count() const { return count_; }
  const std::vector<Run>& runs() const { return runs_; }  // ascending, disjoint

  // False, and nothing is claimed, when it would take one run too many. Not contained before.
  bool add(std::uint32_t position, std::uint64_t stamp);
  void remove(std::uint32_t position);
  // After removals: joins runs until they are few enough; the cells of those that are still too
  // many, shortest runs first, are given up and returned.
  std::vector<std::uint32_t> fit();
  // The grid grew: the same cells at their new positions.
  void renumber(const Grid& from, const Grid& to);

  std::vector<wire::ClaimRun> encode(const Grid& grid) const;

 private:
  void insert(std::uint32_t position, std::uint64_t stamp);
  bool join_two();

  std::vector<Run> runs_;
  std::uint32_t count_ = 0;
};

}  // namespace quadrille::peer
