#include "node/run/stop_signal.hpp"

#include <unistd.h>

#include <csignal>

namespace quadrille::node {
namespace {

std::atomic<int> stop_requests = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a handler may touch it

void on_signal(int number) {
  constexpr int killed_by_signal = 128;
  if (stop_requests.fetch_add(1) > 0) ::_exit(killed_by_signal + number);
}

}  // namespace

const std::atomic<int>& install_stop_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  return stop_requests;
}

}  // namespace quadrille::node
