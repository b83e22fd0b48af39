#include "worker/publications.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.hpp"
#include "codec/payload.hpp"

namespace quadrille::worker {

void Publications::add(CellIndex source, PublishedSnapshot snapshot) {
  CHECK(snapshot.values.size() == options_.float_count, source, snapshot.values.size());
  std::deque<PublishedSnapshot>& kept = published_[source];
  kept.push_back(std::move(snapshot));
  while (kept.size() > peer::rounds_waiting_max ||
         (kept.size() > saved_snapshots_max && !is_waited_for(source, kept.front().round)))
    kept.pop_front();
}

bool Publications::is_waited_for(CellIndex source, Round round) const {
  if (!options_.synchronous) return false;
  return std::ranges::any_of(edges_, [&](const auto& entry) {
    const std::optional<Sent>& sent = entry.second.sent;
    return entry.first.source == source && (!sent || sent->round < round);
  });
}

void Publications::drop(CellIndex source) {
  published_.erase(source);
  std::erase_if(edges_, [&](const auto& entry) { return entry.first.source == source; });
}

const PublishedSnapshot* Publications::newest(CellIndex source) const {
  const auto found = published_.find(source);
  return found == published_.end() ? nullptr : &found->second.back();
}

std::vector<PublishedSnapshot> Publications::last(CellIndex source) const {
  const auto found = published_.find(source);
  if (found == published_.end()) return {};
  const std::deque<PublishedSnapshot>& kept = found->second;
  const std::size_t count = std::min(kept.size(), saved_snapshots_max);
  return {kept.end() - static_cast<std::ptrdiff_t>(count), kept.end()};
}

void Publications::open(peer::EdgeId edge) {
  edges_.erase(edge);
  edges_.emplace(
      edge, Edge{.ends = codec::SendingEdge(options_.codec, options_.float_count), .sent = {}});
}

void Publications::close(peer::EdgeId edge) {
  edges_.erase(edge);
}

const codec::Replica* Publications::replica(peer::EdgeId edge) const {
  const auto found = edges_.find(edge);
  return found == edges_.end() ? nullptr : &found->second.ends.replica();
}

// The round that is asked for, or the oldest later one; else the newest.
const PublishedSnapshot* Publications::choose(const peer::EncodePayload& command) const {
  if (!command.round) return newest(command.edge.source);
  const auto found = published_.find(command.edge.source);
  if (found == published_.end()) return nullptr;
  const auto from = std::ranges::find_if(
      found->second, [&](const PublishedSnapshot& each) { return each.round >= *command.round; });
  return from == found->second.end() ? nullptr : &*from;
}

Result<peer::PayloadEncoded> Publications::encode(const peer::EncodePayload& command) {
  peer::PayloadEncoded encoded{.edge = command.edge,
                               .round = {},
                               .base_version = 0,
                               .base_checksum = 0,
                               .version = 0,
                               .checksum = 0,
                               .heard = {},
                               .payload = nullptr,
                               .exact = {}};
  const auto found = edges_.find(command.edge);
  if (found == edges_.end()) return encoded;
  Edge& edge = found->second;
  if (command.keyframe && edge.sent) {
    ByteBuffer bytes;
    edge.ends.keyframe(encoder_, bytes);
    encoded.payload = std::make_shared<const ByteBuffer>(std::move(bytes));
  } else {
    const PublishedSnapshot* snapshot = choose(command);
    if (snapshot == nullptr) return encoded;
    TRY_VOID(move_on(edge, *snapshot, encoded));
  }
  encoded.round = edge.sent->round;
  encoded.version = edge.ends.replica().version();
  encoded.checksum = edge.sent->checksum;
  encoded.heard = edge.sent->heard;
  encoded.exact = edge.sent->exact;
  return encoded;
}

Result<void> Publications::move_on(Edge& edge, const PublishedSnapshot& snapshot,
                                   peer::PayloadEncoded& encoded) {
  ByteBuffer bytes;
  TRY_VOID(edge.ends.encode(encoder_, snapshot.values, bytes));
  const auto header = codec::read_header(bytes, options_.float_count);
  CHECK(header.has_value(), header.error().detail);
  // Whatever the codec sends whole, the first state above all, is a keyframe.
  if (header->kind == codec::CodecKind::Int8Difference) {
    encoded.base_version = header->version - 1;
    encoded.base_checksum = header->base_checksum;
  }
  encoded.payload = std::make_shared<const ByteBuffer>(std::move(bytes));
  const auto heard = snapshot.heard.find(encoded.edge.reader);
  edge.sent =
      Sent{.round = snapshot.round,
           .heard = heard == snapshot.heard.end() ? std::nullopt : std::optional(heard->second),
           .exact = snapshot.exact,
           .checksum = codec::checksum_of(edge.ends.replica().newest())};
  return {};
}

}  // namespace quadrille::worker
