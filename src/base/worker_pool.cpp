#include "base/worker_pool.hpp"

#include <exception>

#include "base/check.hpp"

namespace quadrille {

struct WorkerPool::Job {
  TaskRef task;
  std::size_t count;
  std::size_t next = 0;      // the first index that nobody has taken
  std::size_t finished = 0;  // how many have ended
  std::exception_ptr error = nullptr;
  Job* older = nullptr;
};

WorkerPool::WorkerPool(std::size_t thread_count) {
  CHECK(thread_count >= 1, thread_count);
  for (std::size_t i = 1; i < thread_count; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  job_offered_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(std::size_t count, TaskRef task) {
  if (threads_.empty() || count < 2) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  Job job{.task = task, .count = count};
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

// Takes tasks of the job until none is left. A job leaves the list with its last task taken, and its
// caller's stack only when all have finished.
void WorkerPool::run_tasks(Job& job, std::unique_lock<std::mutex>& lock) {
  while (job.next < job.count) {
    const std::size_t index = job.next++;
    if (job.next == job.count) {
      Job** link = &open_jobs_;
      while (*link != &job) link = &(*link)->older;
      *link = job.older;
    }
    lock.unlock();
    std::exception_ptr error;
    try {
      job.task(index);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !job.error) job.error = error;
    if (++job.finished == job.count) job_finished_.notify_all();
    // Once all have finished the caller may be gone with the job: only those who still hold tasks look again.
    else if (job.next < job.count)
      continue;
    return;
  }
}

}  // namespace quadrille
