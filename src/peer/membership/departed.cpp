#include "peer/membership/departed.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::peer {

void DepartedList::add(const Departed& departed) {
  if (departed_.size() == departed_max) departed_.erase(departed_.begin());
  departed_.push_back(departed);
}

std::optional<Departed> DepartedList::remove(PeerId id) {
  const auto found = std::ranges::find(departed_, id, &Departed::id);
  if (found == departed_.end()) return std::nullopt;
  const Departed departed = *found;
  departed_.erase(found);
  return departed;
}

std::size_t DepartedList::count_after(TimePoint since) const {
  const auto first = std::ranges::upper_bound(departed_, since, {}, &Departed::since);
  return static_cast<std::size_t>(departed_.end() - first);
}

const Departed& DepartedList::call_recent(std::size_t count, TimePoint now, RandomStream& random) {
  CHECK(count > 0);
  CHECK(count <= departed_.size(), count);
  const std::size_t back = 1 + random.below(static_cast<std::uint32_t>(count));
  Departed& departed = departed_[departed_.size() - back];
  departed.called = now;
  return departed;
}

const Departed& DepartedList::call_any(TimePoint now, RandomStream& random) {
  return call_recent(departed_.size(), now, random);
}

}  // namespace quadrille::peer
