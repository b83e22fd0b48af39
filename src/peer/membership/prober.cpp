#include "peer/membership/prober.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {

void Prober::begin(const Plan& plan) {
  CHECK(!plan_.has_value(), plan.target);
  plan_ = plan;
  called_for_help_ = false;
  heard_by_stream_ = false;
  helpers_.clear();
}

std::optional<Prober::Plan> Prober::take_call_for_help(TimePoint now) {
  if (!plan_ || called_for_help_ || now < plan_->help_at) return std::nullopt;
  called_for_help_ = true;
  return plan_;
}

void Prober::add_helper(PeerId helper) {
  helpers_.push_back({.id = helper});
}

bool Prober::on_ack(std::uint32_t sequence, PeerId sender) {
  if (!plan_ || plan_->sequence != sequence) return false;
  if (sender != plan_->target && find_helper(sender) == nullptr) return false;
  plan_.reset();
  return true;
}

void Prober::on_nack(std::uint32_t sequence, PeerId sender) {
  if (!plan_ || plan_->sequence != sequence) return;
  if (Helper* helper = find_helper(sender)) helper->heard = true;
}

void Prober::on_stream_answer(PeerId target) {
  if (plan_ && plan_->target == target) heard_by_stream_ = true;
}

std::optional<Prober::Verdict> Prober::take_verdict(TimePoint now) {
  if (!plan_ || now < plan_->end_at) return std::nullopt;
  const auto silent = std::ranges::count(helpers_, false, &Helper::heard);
  const Verdict verdict{.target = plan_->target,
                        .heard_by_stream = heard_by_stream_,
                        .helpers = static_cast<std::uint32_t>(helpers_.size()),
                        .silent_helpers = static_cast<std::uint32_t>(silent)};
  plan_.reset();
  return verdict;
}

std::optional<TimePoint> Prober::wake_at() const {
  if (!plan_) return std::nullopt;
  return called_for_help_ ? plan_->end_at : std::min(plan_->help_at, plan_->end_at);
}

Prober::Helper* Prober::find_helper(PeerId id) {
  const auto found = std::ranges::find(helpers_, id, &Helper::id);
  return found == helpers_.end() ? nullptr : &*found;
}

}  // namespace quadrille::peer
