#include "peer/transfer/link.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {

static_assert(OutgoingLink::chunk_bytes + wire::chunk_head_bytes <= wire::chunk_bytes_max);
static_assert(IncomingLink::credit_window_bytes <= wire::credit_bytes_max);

void OutgoingLink::add(Payload payload, std::vector<OutFrame>& out) {
  CHECK(payload != nullptr);
  CHECK(!full(), transfers_.size());
  transfers_.push_back({.number = next_transfer_++, .payload = std::move(payload)});
  pump(out);
}

bool OutgoingLink::on_credit(const wire::Credit& credit, std::vector<OutFrame>& out) {
  if (credit.bytes > wire::credit_bytes_max - credit_) return false;
  credit_ += credit.bytes;
  pump(out);
  return true;
}

void OutgoingLink::cancel(std::uint32_t transfer) {
  std::erase_if(transfers_, [&](const Transfer& each) { return each.number == transfer; });
}

bool OutgoingLink::carries(std::uint32_t transfer) const {
  return std::ranges::find(transfers_, transfer, &Transfer::number) != transfers_.end();
}

// A chunk of each in turn. An empty payload is one empty chunk.
void OutgoingLink::pump(std::vector<OutFrame>& out) {
  while (!transfers_.empty()) {
    Transfer& next = transfers_.front();
    const std::size_t bytes = std::min(chunk_bytes, next.payload->size() - next.offset);
    if (bytes > credit_) return;
    OutFrame chunk = frame_of(stream_, wire::ChunkHead{next.number, next.offset});
    chunk.tail = next.payload;
    chunk.tail_offset = next.offset;
    chunk.tail_bytes = bytes;
    out.push_back(std::move(chunk));
    credit_ -= bytes;
    sent_bytes_ += bytes;
    next.offset += bytes;
    if (next.offset < next.payload->size()) transfers_.push_back(std::move(next));
    transfers_.pop_front();
  }
}

void IncomingLink::grant_first_credit(std::vector<OutFrame>& out) {
  grant(credit_window_bytes, out);
}

void IncomingLink::grant(std::uint64_t bytes, std::vector<OutFrame>& out) {
  credit_ += bytes;
  out.push_back(frame_of(stream_, wire::Credit{bytes}));
}

Result<void> IncomingLink::begin(std::uint32_t transfer, std::uint64_t bytes, TimePoint now) {
  const std::string name = "transfer " + std::to_string(transfer);
  if (bytes > wire::object_bytes_max)
    return failure(ErrorCode::Limit, name + " claims " + std::to_string(bytes) + " bytes");
  if (transfers_.size() >= wire::transfers_max)
    return failure(ErrorCode::Limit, name + " is one too many at once");
  if (transfers_.contains(transfer))
    return failure(ErrorCode::Corrupt, name + " is under way already");
  std::erase(abandoned_, transfer);
  transfers_[transfer].claimed_bytes = bytes;
  progress_at_ = now;
  return {};
}

Result<std::optional<Payload>> IncomingLink::take(const wire::Chunk& chunk, TimePoint now,
                                                  std::vector<OutFrame>& out) {
  const std::string name = "transfer " + std::to_string(chunk.head.transfer);
  TRY_VOID(spend_credit(chunk.bytes.size(), out));
  progress_at_ = now;
  const auto found = transfers_.find(chunk.head.transfer);
  if (found == transfers_.end()) {
    if (std::ranges::find(abandoned_, chunk.head.transfer) != abandoned_.end()) return std::nullopt;
    return failure(ErrorCode::Corrupt, "a chunk of " + name + ", which did not begin");
  }
  auto& [claimed, bytes] = found->second;
  if (chunk.head.offset != bytes.size())
    return failure(ErrorCode::Corrupt, name + " has a gap at byte " + std::to_string(bytes.size()));
  if (chunk.bytes.size() > claimed - bytes.size())
    return failure(ErrorCode::Corrupt, name + " is longer than it claimed");
  if (chunk.bytes.empty() && claimed > 0)
    return failure(ErrorCode::Corrupt, name + " has a chunk without bytes");
  if (bytes.capacity() < bytes.size() + chunk.bytes.size())
    bytes.reserve(std::min<std::uint64_t>(claimed, 2 * (bytes.size() + chunk.bytes.size())));
  bytes.insert(bytes.end(), chunk.bytes.begin(), chunk.bytes.end());
  if (bytes.size() < claimed) return std::nullopt;
  auto payload = std::make_shared<const ByteBuffer>(std::move(bytes));
  transfers_.erase(found);
  return payload;
}

Result<void> IncomingLink::spend_credit(std::size_t bytes, std::vector<OutFrame>& out) {
  if (bytes > credit_)
    return failure(ErrorCode::Corrupt, "a chunk of " + std::to_string(bytes) +
                                           " bytes, with credit for " + std::to_string(credit_));
  credit_ -= bytes;
  to_return_ += bytes;
  if (to_return_ >= credit_return_bytes) grant(std::exchange(to_return_, 0), out);
  return {};
}

void IncomingLink::abandon(std::uint32_t transfer) {
  if (transfers_.erase(transfer) == 0) return;
  abandoned_.push_back(transfer);
  if (abandoned_.size() > abandoned_max) abandoned_.pop_front();
}

std::optional<TimePoint> IncomingLink::stalls_at() const {
  if (transfers_.empty()) return std::nullopt;
  return progress_at_ + stall_max;
}

}  // namespace quadrille::peer
