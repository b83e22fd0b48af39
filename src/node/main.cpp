// peer: the one program.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "node/command_line.hpp"
#include "node/commands.hpp"
#include "node/exit_code.hpp"

namespace quadrille::node {
namespace {

int end(ExitCode code) {
  return static_cast<int>(code);
}

int run(const std::vector<std::string>& arguments, const char* const* variables) {
  const auto command = parse_command_line(arguments, quadrille_environment(variables));
  const auto ended = command
                         ? std::visit([](const auto& verb) { return run_command(verb); }, *command)
                         : Result<ExitCode>(Failure(command.error()));
  if (!ended) {
    std::fprintf(stderr, "peer: %s\n", ended.error().detail.c_str());
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
  // A write past the limit on file sizes is then an error like any other, and no end.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return quadrille::node::run({values + 1, values + count}, variables);
  } catch (const std::bad_alloc&) {
    std::fputs("peer: out of memory: make batch, model, samples or --cells smaller\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "peer: %s\n", error.what());
  }
  return static_cast<int>(quadrille::node::ExitCode::Failed);
}
