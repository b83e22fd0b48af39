// How a cell is doing, as its owner last said: soft state, the latest wins, and what everybody else
// shows of it comes with its age.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/ids.hpp"

namespace quadrille::wire {

enum class DeviceKind : std::uint8_t { Unknown, Cpu, Cuda };
enum class CellPhase : std::uint8_t { Unknown, Acquiring, Training, Done, Failed };

struct CellStatus {
  CellIndex cell;
  PeerId owner;
  std::uint32_t sequence = 0;  // the owner's count of its statuses
  std::uint64_t round = 0;
  // On arrival a fitness that is not finite is the largest float, the worst there is: a cell that
  // diverged must not make its owner's probes unreadable.
  float generator_fitness = 0;
  float discriminator_fitness = 0;
  float score = std::numeric_limits<float>::quiet_NaN();  // NaN: not measured
  std::uint32_t sent_bytes_per_second = 0;
  std::uint16_t age_seconds = 0;  // since the owner said so; 65535 and more are 65535
  DeviceKind device = DeviceKind::Unknown;
  CellPhase phase = CellPhase::Unknown;

  bool operator==(const CellStatus&) const = default;
};

// What each takes of a datagram.
inline constexpr std::size_t cell_status_bytes = 56;

}  // namespace quadrille::wire
