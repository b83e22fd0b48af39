// What happens next: a binary heap of small values, ordered by time and then by the order in which
// they were scheduled, so that one seed gives one history. Nothing is ever taken back: who receives
// an event checks whether it still means anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace quadrille::sim {

// A place in the world: the index of a host, and what its address is made of.
using NodeIndex = std::uint32_t;

enum class EventKind : std::uint8_t {
  Datagram,       // subject: its slot
  Wake,           // the peer's timer. subject: of which process
  WorkerStep,     // a command is carried out. subject: of which process
  RoundEnd,       // a cell's round. subject: the cell, detail: of which process
  StreamKnock,    // somebody dials. subject: the stream, detail: the attempt
  StreamOpened,   // subject: the stream
  StreamFailed,   // subject: the stream
  StreamPump,     // the next piece may leave. subject: the stream, detail: the direction
  StreamPiece,    // bytes arrive. subject: the stream, detail: the direction and how many bytes
  StreamEnd,      // the other end closed it. subject: the stream, detail: the direction
  StreamTimeout,  // nothing passes any more. subject: the stream, detail: since which stall
  Fault,          // subject: its place in the plan
};

struct Event {
  EventKind kind = EventKind::Wake;
  NodeIndex node = 0;
  std::uint32_t subject = 0;
  std::uint32_t detail = 0;
};

class EventQueue {
 public:
  struct Entry {
    TimePoint time;
    std::uint64_t sequence = 0;
    Event event;
  };

  void push(TimePoint time, Event event);
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Entry& next() const { return heap_.front(); }
  Entry pop();

 private:
  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }

  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace quadrille::sim
