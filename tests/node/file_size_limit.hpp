// No file may grow past some bytes while this lives: a write fails half-way, as on a full disk.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include "base/check.hpp"

namespace quadrille::testing {

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    CHECK(::getrlimit(RLIMIT_FSIZE, &old_) == 0);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

}  // namespace quadrille::testing
