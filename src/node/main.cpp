// peer: the one program.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "node/cli/command_line.hpp"
#include "node/cli/commands.hpp"
#include "node/cli/exit_code.hpp"
#include "node/run/printable.hpp"

namespace quadrille::node {
namespace {

int end(ExitCode code) {
  return static_cast<int>(code);
}

// A file opened later must not take the place of a standard stream and be written over. Standard
// output and error stay unwritable, so that what cannot be said is an error.
void open_missing_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest one that is free is this one.
    if (::open("/dev/null", O_RDONLY) != descriptor) ::_exit(static_cast<int>(ExitCode::Failed));
  }
}

void say(std::string_view problem) {
  std::fprintf(stderr, "peer: %s\n", with_short_words(printable(problem)).c_str());
}

// Whoever read it has seen enough (`peer check --keys | head`): that is no error of ours.
bool reader_is_gone(int descriptor) {
  pollfd state{.fd = descriptor, .events = 0, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & POLLERR) != 0;
}

// Whether all that was printed has gone where it should.
bool printed() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  const int reason = errno;  // 0: an earlier write failed
  if (reader_is_gone(STDOUT_FILENO)) return true;
  say(std::string("standard output cannot be written") +
      (reason == 0 ? "" : ": " + std::generic_category().message(reason)));
  return false;
}

int run(const std::vector<std::string>& arguments, const char* const* variables) {
  const auto command = parse_command_line(arguments, quadrille_environment(variables));
  const auto ended = command
                         ? std::visit([](const auto& verb) { return run_command(verb); }, *command)
                         : Result<ExitCode>(Failure(command.error()));
  if (!ended) {
    say(ended.error().detail);
    for (const std::string& problem : ended.error().more) say(problem);
    return end(exit_code(ended.error().code));
  }
  return end(printed() ? *ended : ExitCode::Failed);
}

}  // namespace
}  // namespace quadrille::node

int main(int count, char** values, char** variables) {
  quadrille::node::open_missing_descriptors();
  // A write past the limit on file sizes is then an error like any other, and no end.
  std::signal(SIGXFSZ, SIG_IGN);
  // Nobody reads what is said any more: that is no reason to stop training.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return quadrille::node::run({values + 1, values + count}, variables);
  } catch (const std::bad_alloc&) {
    std::fputs(
        "peer: out of memory: make batch, model, samples or --cells smaller, or use a smaller "
        "data set\n",
        stderr);
  } catch (const std::exception& error) {
    quadrille::node::say(error.what());
  }
  return static_cast<int>(quadrille::node::ExitCode::Failed);
}
