#include "node/run/stop_signal.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace quadrille::node {
namespace {

constexpr std::string_view nothing_lost = "stopped before it trained: nothing to save\n";

std::atomic<int> stop_requests = 0;
std::atomic<bool> counted = false;
// A handler may touch them.
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Data may take long to read, and a classifier long to train: neither looks up in between, and
// there is nothing to put in order.
[[noreturn]] void leave_unprepared() {
  const ssize_t written = ::write(STDOUT_FILENO, nothing_lost.data(), nothing_lost.size());
  ::_exit(written >= 0 || errno == EPIPE ? 0 : 1);
}

void on_signal(int number) {
  constexpr int killed_by_signal = 128;
  if (!counted) leave_unprepared();
  if (stop_requests.fetch_add(1) > 0) ::_exit(killed_by_signal + number);
}

}  // namespace

const std::atomic<int>& install_stop_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction present{};
  sigaction(SIGHUP, nullptr, &present);
  if (present.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup means it
  return stop_requests;
}

void answer_stop_signals_by_count() {
  counted = true;
}

}  // namespace quadrille::node
