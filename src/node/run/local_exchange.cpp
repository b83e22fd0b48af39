#include "node/run/local_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace quadrille::node {

LocalExchange::LocalExchange(std::size_t float_count, codec::CodecOptions options)
    : float_count_(float_count), options_(options) {}

LocalExchange::Source& LocalExchange::source_of(CellIndex cell) {
  const auto found = sources_.find(cell);
  if (found != sources_.end()) return found->second;
  Source source{
      .edge = codec::SendingEdge(options_, float_count_), .snapshots = {}, .last_given = {}};
  return sources_.emplace(cell, std::move(source)).first->second;
}

void LocalExchange::connect(Edge edge) {
  std::optional<Round> given;
  // A restored reader has been given what its last snapshot says it had.
  if (const auto own = sources_.find(edge.reader);
      own != sources_.end() && !own->second.snapshots.empty()) {
    const std::map<CellIndex, Round>& heard = own->second.snapshots.back().heard;
    if (const auto found = heard.find(edge.source); found != heard.end()) given = found->second;
  }
  source_of(edge.source).last_given.try_emplace(edge.reader, given);
}

Result<void> LocalExchange::publish(const peer::Publish& snapshot) {
  CHECK(snapshot.values.size() == float_count_, snapshot.values.size(), float_count_);
  Source& source = source_of(snapshot.cell);
  keep_or_drop_oldest(source);
  TRY_VOID(source.edge.advance(snapshot.values));
  PublishedSnapshot& next = source.snapshots.emplace_back();
  next.round = snapshot.round;
  next.version = source.edge.replica().version();
  next.exact.assign(snapshot.exact.begin(), snapshot.exact.end());
  for (const auto& [cell, other] : sources_) {
    const auto given = other.last_given.find(snapshot.cell);
    if (given != other.last_given.end() && given->second) next.heard[cell] = *given->second;
  }
  return {};
}

std::optional<peer::SnapshotView> LocalExchange::newest(Edge edge) const {
  const auto found = sources_.find(edge.source);
  if (found == sources_.end() || found->second.snapshots.empty()) return std::nullopt;
  return view(edge, found->second, found->second.snapshots.size() - 1);
}

std::optional<peer::SnapshotView> LocalExchange::at(Edge edge, Round round) const {
  const auto found = sources_.find(edge.source);
  if (found == sources_.end()) return std::nullopt;
  const auto& snapshots = found->second.snapshots;
  for (std::size_t i = 0; i < snapshots.size(); ++i)
    if (snapshots[i].round >= round) return view(edge, found->second, i);
  return std::nullopt;
}

void LocalExchange::given(Edge edge, Round round) {
  sources_.at(edge.source).last_given[edge.reader] = round;
}

std::vector<KeptSnapshot> LocalExchange::kept(CellIndex cell) const {
  const Source& source = sources_.at(cell);
  std::vector<KeptSnapshot> kept;
  for (std::size_t i = 0; i < source.snapshots.size(); ++i)
    kept.push_back({.snapshot = source.snapshots[i], .values = values_of(source, i)});
  return kept;
}

Result<void> LocalExchange::restore(CellIndex cell, std::vector<PublishedSnapshot> snapshots) {
  const std::string name = "the saved snapshots of cell " + std::to_string(cell.value);
  for (const PublishedSnapshot& snapshot : snapshots) {
    if (snapshot.values.size() != float_count_)
      return failure(ErrorCode::Mismatch, name + " have " + std::to_string(snapshot.values.size()) +
                                              " floats, this run's have " +
                                              std::to_string(float_count_));
    if (snapshot.version == 0) return failure(ErrorCode::Corrupt, name + " have no version");
  }
  if (!std::ranges::is_sorted(snapshots, std::ranges::less_equal{}, &PublishedSnapshot::round) ||
      snapshots.size() > snapshots_max)
    return failure(ErrorCode::Corrupt, name + " are too many or out of order");
  Source& source = source_of(cell);
  source.snapshots.assign(std::move_iterator(snapshots.begin()),
                          std::move_iterator(snapshots.end()));
  if (source.snapshots.empty()) return {};
  PublishedSnapshot& newest = source.snapshots.back();
  source.edge.restore(newest.version, newest.values);
  newest.values.clear();
  return {};
}

bool LocalExchange::wanted(const Source& source, const PublishedSnapshot& snapshot) {
  return std::ranges::any_of(source.last_given, [&](const auto& reader) {
    return !reader.second || *reader.second < snapshot.round;
  });
}

// Before a third snapshot comes, the replica gives up the older of its two states: it is copied for
// those who still want it, or goes.
void LocalExchange::keep_or_drop_oldest(Source& source) {
  constexpr std::size_t in_replica = 2;
  auto& snapshots = source.snapshots;
  while (snapshots.size() >= in_replica &&
         (snapshots.size() >= snapshots_max || !wanted(source, snapshots.front())))
    snapshots.pop_front();
  if (snapshots.size() < in_replica) return;
  PublishedSnapshot& leaving = snapshots[snapshots.size() - in_replica];
  if (!leaving.values.empty()) return;  // restored: it has its own already
  const std::span<const float> values = values_of(source, snapshots.size() - in_replica);
  leaving.values.assign(values.begin(), values.end());
}

std::span<const float> LocalExchange::values_of(const Source& source, std::size_t index) {
  const PublishedSnapshot& snapshot = source.snapshots[index];
  if (!snapshot.values.empty()) return snapshot.values;
  return index + 1 == source.snapshots.size() ? source.edge.replica().newest()
                                              : source.edge.replica().previous();
}

peer::SnapshotView LocalExchange::view(Edge edge, const Source& source, std::size_t index) {
  const PublishedSnapshot& snapshot = source.snapshots[index];
  const auto heard = snapshot.heard.find(edge.reader);
  return {.cell = edge.source,
          .round = snapshot.round,
          .values = values_of(source, index),
          .exact = snapshot.exact,
          .heard = heard == snapshot.heard.end() ? std::nullopt : std::optional(heard->second)};
}

}  // namespace quadrille::node
