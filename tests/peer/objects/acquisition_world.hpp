// A peer that gains cells, among others that hold something of them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/overloaded.hpp"
#include "peer/objects/acquisition.hpp"
#include "peer/objects/object_pair.hpp"

namespace quadrille::peer::test {

inline std::string describe(Round round) {
  return std::to_string(round.index);
}

// "start 7 from snapshot of 7 jump 12", "keep 3 at 20: state of 3", "drop 3".
inline std::string describe(const WorkerCommand& command) {
  if (const auto* keep = std::get_if<KeepState>(&command)) {
    const std::string cell = std::to_string(keep->cell.value);
    if (!keep->state) return "drop " + cell;
    return "keep " + cell + " at " + describe(keep->round) + ": " + text_of(keep->state);
  }
  const auto& start = std::get<StartCell>(command);
  return "start " + std::to_string(start.cell.value) +
         std::visit(
             Overloaded{[](const StartFresh&) { return std::string(" fresh"); },
                        [](const StartFromCheckpoint&) { return std::string(" from checkpoint"); },
                        [](const StartFromState& from) { return " from " + text_of(from.state); },
                        [](const StartFromSnapshot& from) {
                          return " from " + text_of(from.snapshot) + " jump " +
                                 describe(from.jump_to);
                        }},
             start.origin);
}

inline constexpr PeerId gainer{1, 1};

// Its worker answers every StartCell at once.
struct AcquisitionWorld : ObjectWorld {
  Acquisition acquisition;
  std::vector<std::string> commands;
  std::set<std::string> refused;  // what does not start
  ErrorCode refusal = ErrorCode::Limit;
  std::vector<AcquisitionOutput::Result> results;

  explicit AcquisitionWorld(std::vector<StoredCell> stored = {})
      : acquisition({}, gainer, std::move(stored)) {
    add(gainer);
  }

  void adopt(CellIndex cell, std::vector<Acquisition::Holder> neighbours,
             std::optional<PeerId> understudy = {}) {
    step([&](Objects& objects, ObjectsOutput& fetches, AcquisitionOutput&) {
      acquisition.adopt(cell, std::move(neighbours), understudy, now, objects, fetches);
    });
  }
  void take_over(CellIndex cell, PeerId from) {
    step([&](Objects& objects, ObjectsOutput& fetches, AcquisitionOutput&) {
      acquisition.take_over(cell, from, now, objects, fetches);
    });
  }
  void set_wards(std::vector<Ward> wards) {
    step([&](Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out) {
      acquisition.set_wards(std::move(wards), now, objects, fetches, out);
    });
  }
  void run_acquisition_until(TimePoint until) {
    while (now < until) {
      run_until(std::min(until, std::max(acquisition.wake_at(), now)));
      tick();
      if (acquisition.wake_at() > until && now < until) run_until(until);
      pump();
    }
  }
  void tick() {
    step([&](Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out) {
      acquisition.on_time(now, objects, fetches, out);
    });
  }
  // Hands the answers that came over to the acquisition, and what follows from them.
  void pump() {
    while (!nodes.at(gainer).answers.empty()) {
      const auto answers = std::exchange(nodes.at(gainer).answers, {});
      for (const auto& answer : answers)
        carry_out([&](Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out) {
          acquisition.on_answer(answer, now, objects, fetches, out);
        });
    }
  }
  void tell(const WorkerReport& report) {
    carry_out([&](Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out) {
      acquisition.on_report(report, now, objects, fetches, out);
    });
  }
  void hold(PeerId peer, CellIndex cell, std::uint64_t round, CellIndex reader) {
    nodes.at(peer).worker.rounds[cell] = {.index = round};
    report(peer, PayloadTaken{.edge = {.source = cell, .reader = reader},
                              .round = {.index = round},
                              .fault = std::nullopt});
  }

 private:
  template <class Call>
  void carry_out(const Call& call) {
    ObjectsOutput fetches;
    AcquisitionOutput out;
    call(nodes.at(gainer).objects, fetches, out);
    results.insert(results.end(), out.results.begin(), out.results.end());
    settle(gainer, std::move(fetches));
    for (const WorkerCommand& command : out.commands) {
      commands.push_back(describe(command));
      if (const auto* start = std::get_if<StartCell>(&command)) answer(*start, commands.back());
    }
  }
  void answer(const StartCell& start, const std::string& description) {
    WorkerReport report = CellStarted{.cell = start.cell, .round = {}, .neighbours = {}};
    if (refused.contains(description))
      report =
          CellFailed{.cell = start.cell, .error = {refusal, "it does not start"}, .at_start = true};
    tell(report);
  }
  template <class Call>
  void step(const Call& call) {
    carry_out(call);
    pump();
  }
};

}  // namespace quadrille::peer::test
