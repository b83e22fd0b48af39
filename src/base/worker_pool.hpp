// The one pool of threads. main() builds it and hands it down to compute and data; no other code
// below node starts a thread.
//
// run(count, task) may be called from inside a task: the caller always works on its own tasks and
// never waits for a thread to become free, so nesting cannot deadlock. Which thread runs which task
// is left open; work is cut so that results do not depend on it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace quadrille {

// A reference to a callable, valid during one call; a std::function that never allocates.
class TaskRef {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, TaskRef>)
  TaskRef(F&& function)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, std::size_t index) {
          (*static_cast<std::remove_reference_t<F>*>(object))(index);
        }) {}

  void operator()(std::size_t index) const { call_(object_, index); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t);
};

class WorkerPool {
 public:
  // thread_count includes the caller of run(): 1 starts no thread. Throws std::system_error when
  // the system has no more of them.
  explicit WorkerPool(std::size_t thread_count);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::size_t thread_count() const { return threads_.size() + 1; }

  // Calls task(0) to task(count - 1), in any order and on any thread, and returns when all are
  // done. Where tasks threw, all the others run nonetheless, and then the exception of the lowest
  // index is thrown here: that does not depend on the number of threads either. Allocates nothing.
  void run(std::size_t count, TaskRef task);

 private:
  struct Job;
  void stop();
  void work();
  void run_tasks(Job& job, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable job_offered_;
  std::condition_variable job_finished_;
  Job* open_jobs_ = nullptr;  // newest first; each lives on its caller's stack
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quadrille
