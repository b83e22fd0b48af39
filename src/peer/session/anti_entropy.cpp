#include "peer/session/anti_entropy.hpp"

#include <algorithm>
#include <utility>

#include "wire/limits.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer {

void AntiEntropy::on_opened(const Sessions::Party& party, Membership& membership, TimePoint now,
                            std::vector<OutFrame>& out) {
  membership.begin_sync();
  Dialogue& dialogue = dialogues_[party.stream];
  dialogue.ends = now + deadline;
  if (!party.dialled) return;
  const wire::Digest digest = membership.view().digest();
  dialogue.bucket_count = digest.buckets.size();
  out.push_back(frame_of(party.stream, digest));
}

Result<AntiEntropy::Progress> AntiEntropy::on_frame(const Sessions::Party& party,
                                                    const wire::Frame& frame,
                                                    Membership& membership, TimePoint now,
                                                    MembershipOutput& changes,
                                                    std::vector<OutFrame>& out) {
  const auto found = dialogues_.find(party.stream);
  if (found == dialogues_.end()) return Progress::Going;  // ended a moment ago
  Dialogue& dialogue = found->second;
  const bool expects_digest = dialogue.bucket_count == 0;
  if (expects_digest != (frame.header.type == wire::FrameType::Digest))
    return failure(ErrorCode::Corrupt, expects_digest ? "anti-entropy begins with a digest"
                                                      : "a second digest in one anti-entropy");
  dialogue.bytes += frame.body.size();
  if (dialogue.bytes > wire::sync_bytes_max)
    return failure(ErrorCode::Limit, "more state than a view can have");
  switch (frame.header.type) {
    case wire::FrameType::Digest:
      TRY_VOID(answer_digest(dialogue, party.stream, frame.body, membership, out));
      return Progress::Going;
    case wire::FrameType::State: {
      TRY(state, wire::decode_state(frame.body));
      if (party.dialled)
        dialogue.kept.push_back(std::move(state));
      else
        membership.merge(state, now, changes);
      return Progress::Going;
    }
    case wire::FrameType::StateEnd: {
      TRY(differing, wire::decode_state_end(frame.body));
      if (differing.differing.size() != dialogue.bucket_count)
        return failure(ErrorCode::Corrupt, "anti-entropy ends with other buckets than it began");
      if (party.dialled) send_state(party.stream, differing, dialogue.kept, membership, out);
      for (const wire::State& state : dialogue.kept) membership.merge(state, now, changes);
      dialogues_.erase(found);
      return Progress::Done;
    }
    default:
      return failure(ErrorCode::Corrupt, "a frame that is none of anti-entropy's");
  }
}

void AntiEntropy::on_ended(StreamId stream) {
  dialogues_.erase(stream);
}

std::vector<StreamId> AntiEntropy::overdue(TimePoint now) const {
  std::vector<StreamId> streams;
  for (const auto& [stream, dialogue] : dialogues_)
    if (dialogue.ends <= now) streams.push_back(stream);
  return streams;
}

TimePoint AntiEntropy::wake_at() const {
  TimePoint earliest = TimePoint::never();
  for (const auto& [stream, dialogue] : dialogues_) earliest = std::min(earliest, dialogue.ends);
  return earliest;
}

void AntiEntropy::send_state(StreamId stream, const wire::StateEnd& differing,
                             std::span<const wire::State> heard, const Membership& membership,
                             std::vector<OutFrame>& out) {
  membership.send_state(differing, heard,
                        [&](const wire::State& state) { out.push_back(frame_of(stream, state)); });
  out.push_back(frame_of(stream, differing));
}

Result<void> AntiEntropy::answer_digest(Dialogue& dialogue, StreamId stream, Bytes body,
                                        const Membership& membership, std::vector<OutFrame>& out) {
  TRY(digest, wire::decode_digest(body));
  dialogue.bucket_count = digest.buckets.size();
  send_state(stream, membership.differing_from(digest), {}, membership, out);
  return {};
}

}  // namespace quadrille::peer
