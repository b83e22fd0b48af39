// How a cell that this peer gained comes by its state: from its owner when it is yielded, else from
// the newest of what is stored here, its understudy's copy and its neighbours' replicas; fresh when
// nobody has anything. And the copies that this peer keeps as an understudy.
//
// The largest number wins: a complete state is worth more than a snapshot of the same round, but a
// newer snapshot is later work. What cannot be had, or does not start, makes way for the next best.
// So a cell is acquired when its worker has it, and not before.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/objects/objects.hpp"
#include "peer/objects/wards.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

struct AcquisitionOptions {
  Duration ask_patience = std::chrono::seconds(3);  // for all who may hold something
  std::uint64_t copy_every_rounds = 10;
};

struct AcquisitionOutput {
  std::vector<WorkerCommand> commands;  // StartCell, KeepState
  enum class Outcome : std::uint8_t {
    Started,
    Missing,  // what is taken over: its donor is gone, or has no state of it
    NoState,  // or what it sent is none of this run
    Refused,  // a state that is sound does not start; a vacant cell does not even start afresh
  };
  struct Result {
    CellIndex cell;
    Outcome outcome = Outcome::Started;
    bool adopted = false;  // from something older than where the cell may have been
  };
  std::vector<Result> results;

  bool empty() const { return commands.empty() && results.empty(); }
};

class Acquisition {
 public:
  // Adoptions that fetch at once: what arrives is held in memory. The others wait their turn.
  static constexpr std::size_t adoption_fetches_max = 8;

  struct Holder {
    CellIndex cell;  // the neighbouring cell
    PeerId owner;
  };
  using Ward = peer::Ward;

  Acquisition(AcquisitionOptions options, PeerId self, std::vector<StoredCell> stored);

  // A vacant cell that was claimed: asks everybody who may hold something of it, itself included.
  void adopt(CellIndex cell, std::vector<Holder> neighbours, std::optional<PeerId> understudy,
             TimePoint now, Objects& objects, ObjectsOutput& fetches);
  // One that its owner yields.
  void take_over(CellIndex cell, PeerId from, TimePoint now, Objects& objects,
                 ObjectsOutput& fetches);
  void abandon(CellIndex cell);  // lost before it began
  // Whether a cell started counts here, and what is stored.
  void on_report(const WorkerReport& report, TimePoint now, Objects& objects,
                 ObjectsOutput& fetches, AcquisitionOutput& out);

  // The cells that this peer is the understudy of, with their owners and newest known rounds.
  void set_wards(std::vector<Ward> wards, TimePoint now, Objects& objects, ObjectsOutput& fetches,
                 AcquisitionOutput& out);

  void on_answer(const ObjectsOutput::Answer& answer, TimePoint now, Objects& objects,
                 ObjectsOutput& fetches, AcquisitionOutput& out);
  void on_time(TimePoint now, Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out);
  TimePoint wake_at() const;

 private:
  // From worse to better among those of one round.
  enum class Source : std::uint8_t { Fresh, Snapshot, State, Checkpoint };
  struct Candidate {
    Round round;
    Source source = Source::Fresh;
    PeerId holder;
  };
  struct Adoption {
    // The best last, once nobody is asked any more. The first is a fresh start.
    std::vector<Candidate> candidates = {Candidate{}};
    Candidate tried;              // last: it is fetched, or the worker starts from it
    std::set<FetchId> questions;  // not answered yet
    TimePoint ask_until;
    bool is_waiting = false;  // for its turn
    Round furthest;           // that the cell or a neighbour is known to have come
    Round neighbours_furthest;
  };
  // What was asked, for the adoption of which cell.
  struct Question {
    CellIndex adopted;
    std::optional<Candidate> candidate;  // if it is found; none: it is about a neighbour's round
  };

  void ask(const Question& question, PeerId peer, CellIndex about, TimePoint now, Objects& objects,
           ObjectsOutput& fetches);
  void note_found(const Question& question, const ObjectsOutput::Answer& answer);
  void stop_asking(CellIndex cell, Adoption& adoption);
  void decide(CellIndex cell, Adoption& adoption);
  void wait(CellIndex cell, bool in_front);
  // Gives the waiting adoptions their turns.
  void fetch_waiting(TimePoint now, Objects& objects, ObjectsOutput& fetches,
                     AcquisitionOutput& out);
  void try_best(CellIndex cell, Adoption& adoption, TimePoint now, Objects& objects,
                ObjectsOutput& fetches, AcquisitionOutput& out);
  void take_fetched(CellIndex cell, const ObjectsOutput::Answer& answer, AcquisitionOutput& out);
  void take_yielded(const ObjectsOutput::Answer& answer, AcquisitionOutput& out);
  void on_started(CellIndex cell, AcquisitionOutput& out);
  void on_start_failed(const CellFailed& failed, AcquisitionOutput& out);

  AcquisitionOptions options_;
  PeerId self_;
  std::map<CellIndex, Round> stored_;  // the checkpoints that there are
  std::map<CellIndex, Adoption> adoptions_;
  std::set<std::pair<TimePoint, CellIndex>> asking_;  // until when, for which adoption
  std::map<FetchId, Question> questions_;
  std::deque<CellIndex> waiting_;            // for their turn to try the best that is left
  std::map<FetchId, CellIndex> fetching_;    // adoptions
  std::map<CellIndex, FetchId> take_overs_;  // until they have started
  Wards wards_;
};

}  // namespace quadrille::peer
