// Numbers that must not be mixed up, each a type of its
// own, and the torus that gives cells their neighbours.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace quadrille {

// A cell's place in row-major order: row * stride + column, where a grid that cannot grow has the
// number of its columns for a stride.
struct CellIndex {
  std::uint32_t value = 0;

  auto operator<=>(const CellIndex&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, CellIndex cell) {
  return out << cell.value;
}

// What the exchange counts: a generation of the Lipizzaner loop or an iteration of DPOSG, and the
// mixing round within it (0 where the algorithm has one exchange a round).
struct Round {
  std::uint64_t index = 0;
  std::uint32_t subround = 0;

  auto operator<=>(const Round&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, Round round) {
  return out << round.index << '.' << round.subround;
}

// The torus: rows x columns cells.
struct GridShape {
  std::uint32_t rows = 1;
  std::uint32_t columns = 1;

  std::uint32_t cell_count() const { return rows * columns; }
  bool operator==(const GridShape&) const = default;
};

// One process of a run, from its start to its end: 128 random bits, drawn anew at every start, so
// that an address that is used again never passes for its former owner.
struct PeerId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const PeerId&) const = default;
};
std::ostream& operator<<(std::ostream& out, PeerId peer);  // 32 hex digits

// Which run a message belongs to: the hash over what makes it this run and no other.
struct RunId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // All zeros: a newcomer that knows only a seed's address asks which run it is.
  bool unknown() const { return high == 0 && low == 0; }
  auto operator<=>(const RunId&) const = default;
};
std::ostream& operator<<(std::ostream& out, RunId run);  // 32 hex digits

}  // namespace quadrille

template <>
struct std::hash<quadrille::PeerId> {
  // The bits are random already.
  std::size_t operator()(quadrille::PeerId peer) const noexcept { return peer.high ^ peer.low; }
};

template <>
struct std::hash<quadrille::CellIndex> {
  std::size_t operator()(quadrille::CellIndex cell) const noexcept {
    return std::hash<std::uint32_t>{}(cell.value);
  }
};
