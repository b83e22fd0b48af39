// A backend for tests that does nothing before synchronise() and lets nobody touch its memory
// outside of it: code that passes on it keeps the discipline that a GPU needs. The work itself is
// done by a CPU backend.
//
// What it catches, and how that shows:
//   host code that touches device memory                   SIGSEGV
//   a download read before synchronise()                   NaN (all bits set)
//   device memory read before it was written               NaN, or an index out of range
//   a span beyond its block, or of memory not the arena's  CHECK in submit()
//   an output that overlaps another operand                CHECK in submit()
//   a kernel that strays beside its block                  SIGSEGV, NaN or CHECK in synchronise()
// What it does not: a kernel that strays within a block; reads of an old value that is still there;
// a missing wait between two queues (each runs its own work when it is synchronised); host access
// by one thread while another one's queue is in synchronise(). Commands of a queue that ends before
// its synchronise() never happen.
#pragma once

#include "compute/backend.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "support/guarded_memory.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::test {

// Arenas and queues end before their backend.
class DeferredBackend final : public compute::Backend {
 public:
  explicit DeferredBackend(WorkerPool& pool, compute::CpuOptions options = {});

  std::string_view name() const override { return "deferred"; }
  std::string_view description() const override { return description_; }
  std::unique_ptr<compute::Arena> make_arena() override;
  std::unique_ptr<compute::Queue> make_queue() override;

  // From now on, notes the operations submitted to any queue.
  void start_record();
  // What was noted since, in the order of submission; stops noting.
  std::vector<compute::Operation> take_record();

 private:
  class DeferredArena;
  class DeferredQueue;

  void check_operands(const compute::Operation& operation) const;
  void note(const compute::Operation& operation);

  std::unique_ptr<compute::Backend> cpu_;
  std::string description_;
  GuardedMemory memory_;
  std::mutex record_mutex_;
  bool recording_ = false;
  std::vector<compute::Operation> record_;
};

}  // namespace quadrille::test
