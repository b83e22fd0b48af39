#include "peer/membership/suspicion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.hpp"

namespace quadrille::peer {
namespace {

// In whole milliseconds, so that the last bit of a logarithm decides nothing.
Duration scaled(Duration time, double factor) {
  const double milliseconds = std::chrono::duration<double, std::milli>(time).count() * factor;
  return std::chrono::milliseconds(std::llround(milliseconds));
}

}  // namespace

SuspicionTerms suspicion_terms(const MembershipOptions& options, std::size_t live_count) {
  const double magnitude = std::max(1.0, std::log10(static_cast<double>(live_count)));
  SuspicionTerms terms;
  terms.shortest = scaled(options.probe_interval, options.suspicion_multiplier * magnitude);
  terms.longest = terms.shortest * options.suspicion_max_multiplier;
  const std::uint32_t wanted = std::max(2U, options.suspicion_multiplier) - 2;
  // Without the suspect and this peer there must be as many.
  terms.confirmations = live_count >= wanted + std::size_t{2} ? wanted : 0;
  return terms;
}

bool Suspicion::confirm(PeerId accuser) {
  if (accusers_.size() > terms_.confirmations) return false;
  if (std::ranges::find(accusers_, accuser) != accusers_.end()) return false;
  accusers_.push_back(accuser);
  return true;
}

TimePoint Suspicion::deadline() const {
  Duration time = terms_.shortest;
  if (terms_.confirmations > 0) {
    const double confirmations = static_cast<double>(accusers_.size() - 1);
    const double done = std::log(confirmations + 1) / std::log(terms_.confirmations + 1.0);
    time = std::max(time, terms_.longest - scaled(terms_.longest - terms_.shortest, done));
  }
  return std::max(begin_ + time, not_before_);
}

void Suspicions::begin(PeerId suspect, const Suspicion& suspicion) {
  const bool is_new = suspicions_.emplace(suspect, suspicion).second;
  CHECK(is_new, suspect);
  deadlines_.emplace(suspicion.deadline(), suspect);
}

bool Suspicions::confirm(PeerId suspect, PeerId accuser) {
  const auto found = suspicions_.find(suspect);
  CHECK(found != suspicions_.end(), suspect);
  const TimePoint before = found->second.deadline();
  if (!found->second.confirm(accuser)) return false;
  deadlines_.erase({before, suspect});
  deadlines_.emplace(found->second.deadline(), suspect);
  return true;
}

void Suspicions::end(PeerId suspect) {
  const auto found = suspicions_.find(suspect);
  if (found == suspicions_.end()) return;
  deadlines_.erase({found->second.deadline(), suspect});
  suspicions_.erase(found);
}

std::optional<PeerId> Suspicions::take_due(TimePoint now) {
  if (deadlines_.empty() || deadlines_.begin()->first > now) return std::nullopt;
  const PeerId suspect = deadlines_.begin()->second;
  end(suspect);
  return suspect;
}

void Suspicions::postpone_all(TimePoint until) {
  deadlines_.clear();
  for (auto& [suspect, suspicion] : suspicions_) {
    suspicion.postpone(until);
    deadlines_.emplace(suspicion.deadline(), suspect);
  }
}

std::optional<PeerId> Suspicions::first_accuser(PeerId suspect) const {
  const auto found = suspicions_.find(suspect);
  if (found == suspicions_.end()) return std::nullopt;
  return found->second.first_accuser();
}

std::optional<TimePoint> Suspicions::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

}  // namespace quadrille::peer
