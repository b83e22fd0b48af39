// One arena and one queue of a backend, with the values of host vectors in and out: what most tests
// of training need.
#pragma once

#include "support/every_backend.hpp"

#include <memory>
#include <span>
#include <vector>

namespace quadrille::test {

struct Device {
  explicit Device(BackendChoice choice, std::size_t thread_count = 1)
      : pool(thread_count), backend(choice.make(pool)) {}

  compute::Floats put(std::span<const float> values) {
    const compute::Floats to = arena->floats(values.size());
    queue->upload(to, values);
    return to;
  }

  // Waits for all that was submitted.
  std::vector<float> read(compute::ConstFloats from) {
    std::vector<float> values(from.count());
    queue->download(std::span(values), from);
    queue->synchronise();
    return values;
  }

  WorkerPool pool;
  std::unique_ptr<compute::Backend> backend;
  std::unique_ptr<compute::Arena> arena = backend->make_arena();
  std::unique_ptr<compute::Queue> queue = backend->make_queue();
};

}  // namespace quadrille::test
