#include "base/worker_pool.hpp"

#include <exception>

#include "base/check.hpp"

namespace quadrille {

struct WorkerPool::Job {
  TaskRef task;
  std::size_t count;
  std::size_t next = 0;      // the first index that nobody has taken
  std::size_t finished = 0;  // how many have ended
  std::size_t error_index = 0;
  std::exception_ptr error = nullptr;  // of the lowest index that threw
  Job* older = nullptr;

  void keep(const std::exception_ptr& thrown, std::size_t index) {
    if (error && error_index < index) return;
    error = thrown;
    error_index = index;
  }
};

namespace {

std::exception_ptr exception_of(TaskRef task, std::size_t index) {
  try {
    task(index);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

WorkerPool::WorkerPool(std::size_t thread_count) {
  CHECK(thread_count >= 1, thread_count);
  try {
    for (std::size_t i = 1; i < thread_count; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  stop();
}

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  job_offered_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(std::size_t count, TaskRef task) {
  Job job{.task = task, .count = count};
  if (threads_.empty() || count < 2) {
    for (std::size_t i = 0; i < count; ++i)
      if (const std::exception_ptr thrown = exception_of(task, i)) job.keep(thrown, i);
    if (job.error) std::rethrow_exception(job.error);
    return;
  }
  std::unique_lock lock(mutex_);
  job.older = open_jobs_;
  open_jobs_ = &job;
  job_offered_.notify_all();
  run_tasks(job, lock);
  job_finished_.wait(lock, [&job] { return job.finished == job.count; });
  if (job.error) std::rethrow_exception(job.error);
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    job_offered_.wait(lock, [this] { return stopping_ || open_jobs_ != nullptr; });
    if (stopping_) return;
    run_tasks(*open_jobs_, lock);
  }
}

// Takes tasks of the job until none is left. A job leaves the list with its last task taken, and
// its caller's stack only when all have finished.
void WorkerPool::run_tasks(Job& job, std::unique_lock<std::mutex>& lock) {
  while (job.next < job.count) {
    const std::size_t index = job.next++;
    if (job.next == job.count) {
      Job** link = &open_jobs_;
      while (*link != &job) link = &(*link)->older;
      *link = job.older;
    }
    lock.unlock();
    const std::exception_ptr thrown = exception_of(job.task, index);
    lock.lock();
    if (thrown) job.keep(thrown, index);
    if (++job.finished < job.count) continue;
    // All have finished: once the lock is given up, the caller may be gone with the job.
    job_finished_.notify_all();
    return;
  }
}

}  // namespace quadrille
