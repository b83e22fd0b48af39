// How the stories of a peer begin on a stage: small grids, partners that are met, cells that train.
#pragma once

#include <chrono>
#include <cstdint>
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

// The peer starts, and is met by who has these cells.
inline void begin_beside(Stage& stage, Partner& owner, std::uint32_t first, std::uint32_t count) {
  owner.claims(first, count, 1);
  stage.start();
  meet(stage, owner);
}

// Within a minute, and tells what it was.
template <class Message>
Message await(Stage& stage, const Partner& to) {
  for (int i = 0; i < 600 && !stage.sent<Message>(to); ++i)
    stage.run_for(std::chrono::milliseconds(100));
  BOOST_REQUIRE(stage.sent<Message>(to).has_value());
  return *stage.sent<Message>(to);
}

// Behind the curtain: the peer has claimed what was vacant, and trains it from round 1 on.
inline void train(Stage& stage, const std::vector<CellIndex>& cells,
                  const std::vector<CellIndex>& neighbours) {
  stage.run_for(std::chrono::seconds(6));
  for (const CellIndex cell : cells)
    stage.report(CellStarted{.cell = cell, .round = {1}, .neighbours = neighbours}, "started");
  stage.run_for(std::chrono::seconds(10));
}

// The peer is met by who publishes cell 1, has cell 0 and reads the other along this stream.
inline StreamId begin_to_read(Stage& stage, Partner& source) {
  begin_beside(stage, source, 1, 1);
  stage.run_for(std::chrono::milliseconds(1500));
  stage.refuse(source);  // who is asked about cell 0
  stage.report(CellStarted{.cell = cell0, .round = {}, .neighbours = {cell1}}, "started");
  return stage.accept(source);
}

// What says that the donor yields cell 0 to the peer.
inline wire::Update yields_cell0(Stage& stage, Partner& donor) {
  const PeerId self = stage.peer().id();
  return donor.revise(
      [&](wire::PeerRecord& own) { own.yields = {{.first = 0, .count = 1, .to = self}}; });
}

}  // namespace quadrille::peer::test
