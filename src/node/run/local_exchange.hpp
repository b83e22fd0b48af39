// The exchange within one process: what each cell published, as its readers see it. Snapshots go
// through the codec that the run names, so that one process and many train the same run; no byte is
// serialised on the way.
//
// All readers of a cell began with the same keyframe and were given the same differences, so their
// replicas are one: it is kept once. A snapshot stays until every reader was given it or a later
// one, and the last two stay always (an adopter needs them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "codec/codec.hpp"
#include "codec/edge.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

// A snapshot as a checkpoint keeps it.
struct PublishedSnapshot {
  Round round;
  std::uint64_t version = 0;  // of the replica, see codec/edge.hpp
  std::vector<float> values;
  ByteBuffer exact;
  std::map<CellIndex, Round> heard;  // the newest round of each cell that this one was given before

  bool operator==(const PublishedSnapshot&) const = default;
};

// One that the exchange keeps, where it lies: `values` stand in for its own.
struct KeptSnapshot {
  const PublishedSnapshot& snapshot;
  std::span<const float> values;
};

// The way of snapshots from the cell that publishes them to one that reads them.
struct Edge {
  CellIndex source;
  CellIndex reader;
};

class LocalExchange {
 public:
  // More are dropped, the oldest first: a reader that far behind is given the oldest there is.
  static constexpr std::size_t snapshots_max = 8;

  LocalExchange(std::size_t float_count, codec::CodecOptions options);

  // The source will be read; after restore() of either cell.
  void connect(Edge edge);
  // NotFinite when the values hold NaN or infinity; nothing is published then.
  Result<void> publish(const peer::Publish& snapshot);
  // The source's newest snapshot, as the reader sees it. Views last until the source publishes.
  std::optional<peer::SnapshotView> newest(Edge edge) const;
  // That of `round`, or the oldest later one.
  std::optional<peer::SnapshotView> at(Edge edge, Round round) const;
  // The reader has been given this one and will not ask for an older.
  void given(Edge edge, Round round);

  // For checkpoints: the snapshots of a cell that are kept, oldest first, where they lie until
  // `source` publishes; and putting copies of them back. Mismatch when they are of another size,
  // Corrupt when no exchange can have kept them.
  std::vector<KeptSnapshot> kept(CellIndex source) const;
  Result<void> restore(CellIndex source, std::vector<PublishedSnapshot> snapshots);

 private:
  struct Source {
    codec::SendingEdge edge;
    // Oldest first. The newest two have no values of their own where the edge's replica holds them.
    std::deque<PublishedSnapshot> snapshots;
    std::map<CellIndex, std::optional<Round>> last_given;  // by reader
  };

  Source& source_of(CellIndex cell);
  static bool wanted(const Source& source, const PublishedSnapshot& snapshot);
  static void keep_or_drop_oldest(Source& source);
  static std::span<const float> values_of(const Source& source, std::size_t index);
  static peer::SnapshotView view(Edge edge, const Source& source, std::size_t index);

  std::size_t float_count_;
  codec::CodecOptions options_;
  std::map<CellIndex, Source> sources_;
};

}  // namespace quadrille::node
