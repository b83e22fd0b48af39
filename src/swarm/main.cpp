// swarm-sim: runs a scenario, with toys or with real learners. The only place of the simulator that
// reads a clock: for its cost, and to show a person that it goes on.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <iomanip>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/printed.hpp"
#include "sim/command_line.hpp"
#include "sim/report.hpp"
#include "sim/scenario.hpp"
#include "sim/shell_word.hpp"
#include "sim/world.hpp"
#include "swarm/event_line.hpp"
#include "swarm/lipizzaner_fleet.hpp"
#include "swarm/progress.hpp"

namespace quadrille::swarm {
namespace {

using namespace sim;

// Beside what a run comes to (Outcome); names and numbers are those of sysexits.h.
constexpr int failed = 70;       // EX_SOFTWARE: swarm-sim itself, out of memory above all
constexpr int not_written = 74;  // EX_IOERR: all was well, but not the telling of it

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// The most memory that this process has held, as Linux tells it; 0 elsewhere.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

TimePoint clock_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<Duration>(now)};
}

// A recording must not take the place of a standard stream and get what is printed there. They stay
// unwritable, so that what cannot be said is an error.
void open_missing_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest one that is free is this one.
    if (::open("/dev/null", O_RDONLY) != descriptor) ::_exit(failed);
  }
}

void say(const std::string& line) {
  std::fprintf(stderr, "swarm-sim: %s\n", line.c_str());
}

// Of standard error; none when that is no terminal.
std::optional<std::size_t> terminal_columns() {
  constexpr std::size_t fallback = 80;
  if (::isatty(STDERR_FILENO) != 1) return std::nullopt;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

// Whether all of it, and of what was printed before, has gone where it should.
bool print(const std::string& text, const char* what) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  say(std::string(what) + " not written whole: standard output cannot be written");
  return false;
}

std::string seed_line(const Command& command) {
  return printed("SEED=", command.world.seed, " SCENARIO=", command.scenario->name, '\n');
}

std::string options_text(const Command& command) {
  std::ostringstream out;
  for (const auto& [key, value] : described(command))
    out << "  " << std::left << std::setw(20) << key << ' ' << value << '\n';
  return std::move(out).str();
}

int refuse(const Error& error) {
  say(error.detail);
  return static_cast<int>(Outcome::Usage);
}

// What a run came to, unless it was well and the telling was not.
int exit_code(Outcome outcome, bool is_written) {
  return outcome == Outcome::Ok && !is_written ? not_written : static_cast<int>(outcome);
}

bool close_recording(std::ofstream& recording, const std::string& name) {
  if (!recording.is_open()) return true;
  recording.close();
  if (recording) return true;
  say(name + " was not written whole");
  return false;
}

// The progress of one run, where somebody is to see it.
class Shown {
 public:
  explicit Shown(const Command& command) {
    // Among events a line that is drawn over would not stay one, and they show that it goes on.
    if (command.quiet || command.events) return;
    progress_.emplace(terminal_columns(), clock_now());
  }
  // Also when memory runs out: what is said then has its own line.
  ~Shown() { end(); }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  void show(const World& world) {
    if (!progress_) return;
    if (const auto text = progress_->at(clock_now(), world)) std::fputs(text->c_str(), stderr);
  }
  void end() {
    if (progress_) std::fputs(progress_->end().c_str(), stderr);
  }

 private:
  std::optional<Progress> progress_;
};

ReportHead head_of(const Command& command, const std::string& program) {
  return {.scenario = std::string(command.scenario->name),
          .seed = command.world.seed,
          .options = described(command),
          .replay = shell_word(program) + " " + command.replay};
}

// First of all, and where no JSON is: should the program itself fail, the seed is known.
bool print_head(const Command& command) {
  if (!command.json) return print(seed_line(command) + options_text(command), "the options were");
  std::fputs(seed_line(command).c_str(), stderr);
  return true;
}

// Nothing is left that can be refused.
int run(const Command& command, LipizzanerFleet* fleet, std::ofstream& recording,
        const std::string& program) {
  if (!print_head(command)) return not_written;
  World world(command.world);
  if (command.events)
    world.set_news_reader([&](NodeIndex node, const wire::WatchEvent& event) {
      std::fputs((event_line(world, node, event) + '\n').c_str(), stderr);
    });
  if (recording.is_open())
    world.attach_watcher([&](Bytes bytes) {
      recording.write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
    });
  Shown shown(command);
  world.set_pulse([&] { shown.show(world); });
  const double before = cpu_seconds();
  Report report = run_scenario(*command.scenario, world, command.options);
  if (fleet != nullptr) fleet->add_figures(world, report);
  report.add({.name = "cpu_seconds", .value = cpu_seconds() - before});
  shown.end();
  const ReportHead head = head_of(command, program);
  const bool is_recorded = close_recording(recording, command.record);
  const bool is_printed = print(
      command.json ? to_json(head, report, world) : to_text(head, report, world), "the report was");
  return exit_code(report.outcome(), is_recorded && is_printed);
}

int print_options(const Command& command, const std::string& program) {
  const bool is_printed = print(command.json ? options_to_json(head_of(command, program))
                                             : seed_line(command) + options_text(command),
                                "the options were");
  return exit_code(Outcome::Ok, is_printed);
}

int run(const std::vector<std::string>& arguments, const std::string& program) {
  auto command = parse_command_line(arguments);
  if (!command) return refuse(command.error());
  if (!command->help.empty()) return exit_code(Outcome::Ok, print(command->help, "the help was"));
  command->options.cpu_seconds = cpu_seconds;
  command->options.peak_bytes = peak_bytes;
  std::unique_ptr<LipizzanerFleet> fleet;
  if (command->worker == "lipizzaner") {
    auto made = LipizzanerFleet::make(command->world);
    if (!made) return refuse(made.error());
    fleet = std::move(*made);
    command->world.make_worker = fleet->factory();
  }
  if (command->print_options) return print_options(*command, program);
  std::ofstream recording;
  if (!command->record.empty()) {
    recording.open(command->record, std::ios::binary);
    if (!recording.is_open())
      return refuse({.code = ErrorCode::Usage,
                     .detail = "--record is " + shell_word(command->record) +
                               ", which cannot be written (" + std::strerror(errno) +
                               "); it names a file in a folder that is there"});
  }
  return run(*command, fleet.get(), recording, program);
}

}  // namespace
}  // namespace quadrille::swarm

int main(int count, char** values) {
  using namespace quadrille::swarm;
  // A reader that leaves and a file that may not grow are told as all that cannot be written.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  open_missing_descriptors();
  try {
    // A caller may give no name at all.
    if (count < 1) return run({}, "swarm-sim");
    return run({values + 1, values + count}, values[0]);
  } catch (const std::bad_alloc&) {
    say("out of memory; fewer --peers or smaller --payload-bytes need less");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return quadrille::swarm::failed;
}
