// How the stories of a peer begin on a stage: small grids, partners that are met, cells that train.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "peer/stage.hpp"

namespace quadrille::peer::test {

inline constexpr CellIndex cell0{0};
inline constexpr CellIndex cell1{1};
inline constexpr CellIndex cell2{2};

inline Payload payload_of(std::size_t bytes) {
  return std::make_shared<const ByteBuffer>(bytes, std::byte{0x5A});
}

inline void meet(Stage& stage, const Partner& partner) {
  stage.enter(partner);
  stage.say(partner, wire::Gossip{}, {partner.alive()});
}

// Behind the curtain: the peer has claimed what was vacant, and trains it from round 1 on.
inline void train(Stage& stage, const std::vector<CellIndex>& cells,
                  const std::vector<CellIndex>& neighbours) {
  stage.run_for(std::chrono::seconds(6));
  for (const CellIndex cell : cells)
    stage.report(CellStarted{.cell = cell, .round = {1}, .neighbours = neighbours}, "started");
  stage.run_for(std::chrono::seconds(10));
}

}  // namespace quadrille::peer::test
