#include "peer/membership/state_frames.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "peer/membership/broadcast_queue.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

using wire::UpdateKind;

// Of a frame without updates; generous.
constexpr std::size_t state_overhead_bytes = 64;

class Frames {
 public:
  explicit Frames(const StateSink& send) : send_(send) {}
  // False: the exchange is full.
  bool add(const Statement& statement) {
    const std::size_t bytes = statement.bytes_bound();
    if (total_bytes_ + bytes + state_overhead_bytes > wire::sync_bytes_max) return false;
    if (frame_bytes_ + bytes > wire::control_frame_bytes_max) end_frame();
    if (frame_.updates.empty()) total_bytes_ += state_overhead_bytes;
    frame_bytes_ += bytes;
    total_bytes_ += bytes;
    frame_.updates.push_back(statement.update());
    return true;
  }
  void end_frame() {
    if (!frame_.updates.empty()) send_(frame_);
    frame_.updates.clear();
    frame_bytes_ = state_overhead_bytes;
  }

 private:
  const StateSink& send_;
  wire::State frame_;
  std::size_t frame_bytes_ = state_overhead_bytes;
  std::size_t total_bytes_ = 0;
};

// Who lives in which edition, and who is gone since when, as the other end told it.
class Heard {
 public:
  explicit Heard(std::span<const wire::State> states) {
    std::size_t count = 0;
    for (const wire::State& state : states) count += state.updates.size();
    alive_.reserve(count);
    for (const wire::State& state : states)
      for (const wire::Update& update : state.updates) {
        if (update.kind == UpdateKind::Alive)
          alive_[update.subject] = {update.incarnation, update.version};
        if (is_end(update.kind)) gone_[update.subject] = update.incarnation;
      }
  }
  bool has(const wire::PeerRecord& record) const {
    const auto said = alive_.find(record.id);
    return said != alive_.end() && said->second >= std::pair(record.incarnation, record.version);
  }
  // Not of a suspicion: each further accuser shortens it.
  bool has(const wire::Update& accusation) const {
    const auto said = gone_.find(accusation.subject);
    return is_end(accusation.kind) && said != gone_.end() && said->second >= accusation.incarnation;
  }

 private:
  static bool is_end(UpdateKind kind) {
    return kind == UpdateKind::Dead || kind == UpdateKind::Left;
  }

  // Looked up only.
  std::unordered_map<PeerId, std::pair<std::uint64_t, std::uint32_t>> alive_;
  std::unordered_map<PeerId, std::uint64_t> gone_;
};

bool add_member(Frames& frames, const Roster& roster, const Member& member, const Heard& heard) {
  if (member.record && !heard.has(member.record->record) &&
      !frames.add(Statement::alive(member.record)))
    return false;
  const std::optional<wire::Update> accusation = roster.accusation(member);
  if (accusation && heard.has(*accusation)) return true;
  return !accusation || frames.add(Statement::without_record(*accusation));
}

}  // namespace

void state_frames(const Roster& roster, const wire::StateEnd& buckets, std::uint64_t turn,
                  std::span<const wire::State> heard, const StateSink& send) {
  const Heard said(heard);
  Frames frames(send);
  const auto members = roster.view().members();
  const std::size_t first = members.empty() ? 0 : mix64(turn) % members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[(first + i) % members.size()];
    if (!buckets.differing[View::bucket_of(member.id, buckets.differing.size())]) continue;
    if (!add_member(frames, roster, member, said)) break;
  }
  frames.end_frame();
}

}  // namespace quadrille::peer
