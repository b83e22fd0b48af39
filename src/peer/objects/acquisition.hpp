// How a cell that this peer gained comes by its state: from its owner when it is yielded, else from
// the newest of what is stored here, its understudy's copy and its neighbours' replicas; fresh when
// nobody has anything. And the copies that this peer keeps as an understudy.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/objects/objects.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

struct AcquisitionOptions {
  Duration ask_patience = std::chrono::seconds(3);     // for all who may hold something
  Duration fetch_patience = std::chrono::seconds(60);  // without progress
  std::uint64_t copy_every_rounds = 10;
};

struct AcquisitionOutput {
  std::vector<WorkerCommand> commands;  // StartCell, KeepState
  struct Result {
    CellIndex cell;
    bool acquired = false;  // false: the donor is gone or had nothing
    bool adopted = false;   // from something older than where the cell may have been
  };
  std::vector<Result> results;
};

class Acquisition {
 public:
  struct Holder {
    CellIndex cell;  // the neighbouring cell
    PeerId owner;
  };
  Acquisition(AcquisitionOptions options, PeerId self, std::vector<StoredCell> stored);

  // A vacant cell that was claimed: asks everybody who may hold something of it.
  void adopt(CellIndex cell, std::vector<Holder> neighbours, std::optional<PeerId> understudy,
             TimePoint now, Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out);
  // One that its owner yields.
  void take_over(CellIndex cell, PeerId from, TimePoint now, Objects& objects,
                 ObjectsOutput& fetches, AcquisitionOutput& out);
  void abandon(CellIndex cell);  // lost before it began

  // The cells that this peer is the understudy of, with their owners and newest known rounds.
  struct Ward {
    CellIndex cell;
    PeerId owner;
    Round round;
  };
  void set_wards(std::vector<Ward> wards, TimePoint now, Objects& objects, ObjectsOutput& fetches,
                 AcquisitionOutput& out);

  void on_answer(const ObjectsOutput::Answer& answer, TimePoint now, Objects& objects,
                 ObjectsOutput& fetches, AcquisitionOutput& out);
  void on_time(TimePoint now, Objects& objects, ObjectsOutput& fetches, AcquisitionOutput& out);
  TimePoint wake_at() const;
};

}  // namespace quadrille::peer
