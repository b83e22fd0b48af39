// A device that computes: memory in arenas, work on asynchronous queues.
// docs/decisions/backend.md has the design.
//
// The one rule: nothing that a queue was given has happened until synchronise() returns. A backend
// may run every operation at once, late, or on another chip.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "compute/device_span.hpp"
#include "compute/operation.hpp"

namespace quadrille::compute {

// Memory of one owner (a cell, a classifier), given back as a whole. Everything in it starts as NaN
// or zero, whichever the backend finds more useful: write before you read.
class Arena {
 public:
  virtual ~Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Floats floats(std::size_t count) {
    return {static_cast<float*>(allocate(bytes_of<float>(count))), count};
  }
  Words words(std::size_t count) {
    return {static_cast<std::uint32_t*>(allocate(bytes_of<std::uint32_t>(count))), count};
  }
  // Values for reading, such as a data set. A backend that shares the host's memory uses them where
  // they lie: the caller keeps `host` alive and unchanged as long as the arena.
  virtual DeviceBytes resident(std::span<const std::uint8_t> host) = 0;
  virtual ConstFloats resident(std::span<const float> host) = 0;
  // From here on the arena may hand out once more what it handed out before: for owners who take
  // turns, none of whom expects its values to be there the next time.
  virtual void rewind() {}

 protected:
  Arena() = default;
  // At least 64-byte aligned. Throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes) = 0;

 private:
  template <class T>
  static std::size_t bytes_of(std::size_t count) {
    CHECK(count <= static_cast<std::size_t>(-1) / sizeof(T), count);
    return count * sizeof(T);
  }
};

// Work in order. One thread at a time uses a queue; different queues run side by side.
class Queue {
 public:
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  virtual void submit(const Operation& operation) = 0;
  // Waits until everything submitted so far has happened.
  virtual void synchronise() = 0;

  // The host's values are read before upload returns; `to` holds them when the queue gets there.
  template <class T>
  void upload(DeviceSpan<T> to, std::span<const T> from) {
    CHECK(to.count() == from.size(), to.count(), from.size());
    upload_bytes(to.address(), from.data(), from.size_bytes());
  }
  // `to` holds the values after the next synchronise().
  template <class T>
  void download(std::span<std::remove_const_t<T>> to, DeviceSpan<T> from) {
    CHECK(to.size() == from.count(), to.size(), from.count());
    download_bytes(to.data(), from.address(), to.size_bytes());
  }

 protected:
  Queue() = default;
  virtual void upload_bytes(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download_bytes(void* to, const void* from, std::size_t bytes) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual std::string_view name() const = 0;         // "cpu", "cuda"
  virtual std::string_view description() const = 0;  // for people: kernels, device
  virtual std::unique_ptr<Arena> make_arena() = 0;
  virtual std::unique_ptr<Queue> make_queue() = 0;

 protected:
  Backend() = default;
};

}  // namespace quadrille::compute
