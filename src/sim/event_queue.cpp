#include "sim/event_queue.hpp"

#include "base/check.hpp"

namespace quadrille::sim {

// Both ways a hole moves, and the entry is written once, where the hole ends.
void EventQueue::push(TimePoint time, Event event) {
  const Entry entry{.time = time, .sequence = next_sequence_++, .event = event};
  std::size_t hole = heap_.size();
  heap_.push_back(entry);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (!before(entry, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = entry;
}

EventQueue::Entry EventQueue::pop() {
  CHECK(!heap_.empty());
  const Entry first = heap_.front();
  const Entry last = heap_.back();
  heap_.pop_back();
  const std::size_t count = heap_.size();
  if (count == 0) return first;
  std::size_t hole = 0;
  for (std::size_t child = 1; child < count; child = 2 * hole + 1) {
    if (child + 1 < count && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], last)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = last;
  return first;
}

}  // namespace quadrille::sim
