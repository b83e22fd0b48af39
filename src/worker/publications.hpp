// What the own cells published, and the sending ends of the edges to their readers.
//
// An edge encodes what its source published, at the moment it is asked: each edge has a replica of
// its own. Of a synchronous run a round is kept until every open edge has encoded it; else the last
// two are, which an adopter of the cell may ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "codec/codec.hpp"
#include "codec/edge.hpp"
#include "codec/encoder.hpp"
#include "peer/worker.hpp"
#include "worker/saved_cell.hpp"

namespace quadrille::worker {

class Publications {
 public:
  struct Options {
    codec::CodecOptions codec;
    bool synchronous = false;
    std::size_t float_count = 0;
  };
  explicit Publications(Options options) : options_(options) {}

  void add(CellIndex source, PublishedSnapshot snapshot);
  // The cell is not here any more, nor are its edges.
  void drop(CellIndex source);
  const PublishedSnapshot* newest(CellIndex source) const;
  // Copies of the last two, oldest first.
  std::vector<PublishedSnapshot> last(CellIndex source) const;

  // Begins with nothing that its reader holds, even where it was open.
  void open(peer::EdgeId edge);
  void close(peer::EdgeId edge);
  // The round that is asked for, the oldest later one, or the newest where none is asked for.
  // Without a payload where there is nothing to encode. NotFinite: the codec cannot hold it; the
  // replica is what it was then.
  Result<peer::PayloadEncoded> encode(const peer::EncodePayload& command);
  const codec::Replica* replica(peer::EdgeId edge) const;

 private:
  // Of what the replica holds.
  struct Sent {
    Round round;
    std::optional<Round> heard;
    ByteBuffer exact;
    std::uint64_t checksum = 0;
  };
  struct Edge {
    codec::SendingEdge ends;
    std::optional<Sent> sent;
  };

  const PublishedSnapshot* choose(const peer::EncodePayload& command) const;
  Result<void> move_on(Edge& edge, const PublishedSnapshot& snapshot,
                       peer::PayloadEncoded& encoded);
  bool is_waited_for(CellIndex source, Round round) const;

  Options options_;
  codec::Encoder encoder_;
  std::map<CellIndex, std::deque<PublishedSnapshot>> published_;  // oldest first
  std::map<peer::EdgeId, Edge> edges_;
};

}  // namespace quadrille::worker
