#include "peer/exchange/owner_link.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/overloaded.hpp"

namespace quadrille::peer {
namespace {

EdgeId edge_of(const Begin& begin) {
  return std::visit(Overloaded{[](const wire::PayloadBegin& each) { return each.edge; },
                               [](const wire::DirectBegin& each) {
                                 return EdgeId{.source = each.from, .reader = each.to};
                               }},
                    begin);
}

}  // namespace

bool OwnerLink::start_dialling(TimePoint now) {
  if (connection_ || dialling_ || edges_.empty() || now < dial_at_) return false;
  dialling_ = true;
  return true;
}

std::optional<TimePoint> OwnerLink::wake_at() const {
  if (connection_) return connection_->incoming.stalls_at();
  if (dialling_ || edges_.empty()) return std::nullopt;
  return dial_at_;
}

bool OwnerLink::on_dialled(StreamId stream, std::vector<OutFrame>& out) {
  if (connection_) return false;
  dialling_ = false;
  connection_.emplace(stream);
  connection_->incoming.grant_first_credit(out);
  return true;
}

void OwnerLink::on_lost(TimePoint now) {
  connection_.reset();
  dialling_ = false;
  dial_at_ = now + back_off_;
  back_off_ = std::min(2 * back_off_, back_off_max);
}

void OwnerLink::on_given_up(TimePoint now) {
  connection_.reset();
  dialling_ = false;
  dial_at_ = now;
}

bool OwnerLink::stalled(TimePoint now) const {
  if (!connection_) return false;
  const auto stalls_at = connection_->incoming.stalls_at();
  return stalls_at && *stalls_at <= now;
}

std::optional<StreamId> OwnerLink::stream() const {
  if (!connection_) return std::nullopt;
  return connection_->stream;
}

OwnerLink::Subscription OwnerLink::subscription(EdgeId edge) const {
  if (!connection_) return Subscription::Never;
  const auto found = connection_->subscriptions.find(edge);
  return found == connection_->subscriptions.end() ? Subscription::Never : found->second;
}

bool OwnerLink::is_used_up() const {
  return connection_ && connection_->subscriptions.size() >= wire::subscriptions_max;
}

bool OwnerLink::is_worth_renewing() const {
  if (!is_used_up() || connection_->ended == 0) return false;
  return edges_.size() > connection_->subscriptions.size() - connection_->ended;
}

void OwnerLink::subscribe(const wire::Subscribe& message, std::vector<OutFrame>& out) {
  CHECK(!is_used_up());
  const bool is_new = connection_->subscriptions.emplace(message.edge, Subscription::Live).second;
  CHECK(is_new, message.edge.source, message.edge.reader);
  out.push_back(frame_of(connection_->stream, message));
}

void OwnerLink::unsubscribe(EdgeId edge, std::vector<OutFrame>& out) {
  if (subscription(edge) != Subscription::Live) return;
  abandon_all_of(edge);
  connection_->subscriptions[edge] = Subscription::Ended;
  ++connection_->ended;
  out.push_back(frame_of(connection_->stream, wire::Unsubscribe{edge}));
}

Result<void> OwnerLink::begin(const Begin& begin, TimePoint now) {
  const auto [transfer, bytes] =
      std::visit([](const auto& each) { return std::pair(each.transfer, each.bytes); }, begin);
  TRY_VOID(connection_->incoming.begin(transfer, bytes, now));
  connection_->arriving.insert_or_assign(transfer, begin);
  if (subscription(edge_of(begin)) == Subscription::Ended) abandon(transfer);
  return {};
}

Result<std::optional<Arrival>> OwnerLink::take(const wire::Chunk& chunk, TimePoint now,
                                               std::vector<OutFrame>& out) {
  TRY(payload, connection_->incoming.take(chunk, now, out));
  if (!payload) return std::nullopt;
  back_off_ = back_off_min;
  auto arrived = connection_->arriving.extract(chunk.head.transfer);
  return Arrival{.begin = std::move(arrived.mapped()), .payload = std::move(*payload)};
}

bool OwnerLink::is_receiving_message(EdgeId along) const {
  return std::ranges::any_of(connection_->arriving, [&](const auto& each) {
    return std::holds_alternative<wire::DirectBegin>(each.second) && edge_of(each.second) == along;
  });
}

void OwnerLink::abandon(std::uint32_t transfer) {
  connection_->arriving.erase(transfer);
  connection_->incoming.abandon(transfer);
}

void OwnerLink::abandon_all_of(EdgeId edge) {
  std::erase_if(connection_->arriving, [&](const auto& each) {
    if (edge_of(each.second) != edge) return false;
    connection_->incoming.abandon(each.first);
    return true;
  });
}

}  // namespace quadrille::peer
