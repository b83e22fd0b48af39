// peer: the one program.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
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
  std::fprintf(stderr, "peer: %s\n", printable(problem).c_str());
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
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::perror("peer: standard output");
    return end(ExitCode::Failed);
  }
  return end(*ended);
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
    std::fputs("peer: out of memory: make batch, model, samples or --cells smaller\n", stderr);
  } catch (const std::exception& error) {
    quadrille::node::say(error.what());
  }
  return static_cast<int>(quadrille::node::ExitCode::Failed);
}
