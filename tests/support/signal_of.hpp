// Runs work that is expected to end the program, in a child process: what a failed CHECK is tested
// with.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>

namespace quadrille::test {

// The signal that ended the work; 0 if it came to its end. The child's stderr is dropped.
inline int signal_of(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const int fatal : {SIGSEGV, SIGABRT}) std::signal(fatal, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace quadrille::test
