// All that makes a world: how many hosts, what they train, what the network is like. One seed and
// these give one history.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/peer.hpp"
#include "sim/sim_network.hpp"
#include "sim/sim_worker.hpp"

namespace quadrille::sim {

// When virtual time begins, by a wall clock that is right.
inline constexpr std::uint64_t epoch_unix_milliseconds = 1'800'000'000'000;

struct WorldOptions {
  std::uint64_t seed = 1;
  std::uint32_t hosts = 16;       // of the run; there are addresses for all of them from the start
  std::uint32_t other_hosts = 0;  // of another run, told the same seeds by mistake
  std::uint32_t seed_hosts = 3;   // the first ones: everybody's seed list
  GridShape grid{.rows = 0, .columns = 0};  // 0: about square, a cell for each host
  std::uint32_t capacity = 0;               // cells that fit into each peer; 0: default_capacity()
  peer::Growth growth = peer::Growth::Fixed;
  std::uint32_t grid_side_max = 0;  // rows, or columns, that it grows to
  Duration growth_patience = std::chrono::minutes(10);
  bool minority_brake = false;
  Round understudy_every{.index = 10};
  double drift_ppm = 0;    // clocks run so much too fast or slow, at most
  Duration clock_error{};  // and their wall time is so far off, at most
  NetworkQuality network;
  ToyOptions toy;
  WorkerFactory make_worker{};  // none: toys
  // The last word about a host's peer. For tests: of what such a peer does, something is wrong.
  std::function<void(NodeIndex, peer::PeerOptions&)> set_up_peer{};
};

// About square, with so many cells or a few less.
GridShape square_grid(std::uint32_t cells);
// As many as a peer's share, four times over.
std::uint32_t default_capacity(const WorldOptions& options);
peer::Grid genesis(const WorldOptions& options);
std::string_view name_of(peer::Growth growth);

// For a person: what each is.
std::vector<std::pair<std::string, std::string>> described(const WorldOptions& options);

}  // namespace quadrille::sim
