#include "peer/session/conduct.hpp"

#include <algorithm>

namespace quadrille::peer {

bool Conduct::offence(const wire::Endpoint& from, TimePoint now) {
  ++offence_count_;
  Record& record = record_of(from, now);
  if (record.sentenced) return false;
  if (++record.offences < offences_max) return false;
  record.sentenced = true;
  record.since = now;
  return true;
}

bool Conduct::ignored(const wire::Endpoint& from, TimePoint now) const {
  if (records_.empty()) return false;
  const auto found = records_.find(from.address);
  return found != records_.end() && found->second.sentenced &&
         now - found->second.since < ignored_for;
}

// What is too long ago counts no more.
Conduct::Record& Conduct::record_of(const wire::Endpoint& from, TimePoint now) {
  auto found = records_.find(from.address);
  if (found == records_.end()) {
    if (records_.size() >= addresses_max) forget_oldest();
    found = records_.emplace(from.address, Record{.since = now}).first;
  }
  Record& record = found->second;
  if (now - record.since >= (record.sentenced ? ignored_for : memory))
    record = Record{.since = now};
  return record;
}

void Conduct::forget_oldest() {
  records_.erase(
      std::ranges::min_element(records_, {}, [](const auto& entry) { return entry.second.since; }));
}

}  // namespace quadrille::peer
