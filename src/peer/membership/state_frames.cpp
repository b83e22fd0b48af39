#include "peer/membership/state_frames.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "peer/membership/broadcast_queue.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

// Of a frame without updates; generous.
constexpr std::size_t state_overhead_bytes = 64;

class Frames {
 public:
  // False: the exchange is full.
  bool add(const Statement& statement) {
    const std::size_t bytes = statement.bytes_bound();
    if (total_bytes_ + bytes + state_overhead_bytes > wire::sync_bytes_max) return false;
    if (frames_.empty() || frame_bytes_ + bytes > wire::control_frame_bytes_max) {
      frames_.emplace_back();
      frame_bytes_ = state_overhead_bytes;
      total_bytes_ += state_overhead_bytes;
    }
    frame_bytes_ += bytes;
    total_bytes_ += bytes;
    frames_.back().updates.push_back(statement.update());
    return true;
  }
  std::vector<wire::State> take() { return std::move(frames_); }

 private:
  std::vector<wire::State> frames_;
  std::size_t frame_bytes_ = 0;
  std::size_t total_bytes_ = 0;
};

bool add_member(Frames& frames, const Roster& roster, const Member& member) {
  if (member.record && !frames.add(Statement::alive(member.record))) return false;
  const std::optional<wire::Update> accusation = roster.accusation(member);
  return !accusation || frames.add(Statement::without_record(*accusation));
}

}  // namespace

std::vector<wire::State> state_frames(const Roster& roster, const wire::StateEnd& buckets,
                                      std::uint64_t turn) {
  Frames frames;
  const auto members = roster.view().members();
  const std::size_t first = members.empty() ? 0 : mix64(turn) % members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[(first + i) % members.size()];
    if (!buckets.differing[View::bucket_of(member.id, buckets.differing.size())]) continue;
    if (!add_member(frames, roster, member)) break;
  }
  return frames.take();
}

}  // namespace quadrille::peer
