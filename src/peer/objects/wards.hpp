// The copies of other peers' cells that this peer, a spare, keeps as their understudy: each is
// fetched anew every so many rounds, one at a time.
//
// A cell leaves the list of wards the moment its owner dies, which is when its copy is needed: a
// copy outlives its ward for a while.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/objects/objects.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

// A cell that this peer is the understudy of.
struct Ward {
  CellIndex cell;
  PeerId owner;
  Round round;  // the newest known
};

class Wards {
 public:
  static constexpr std::size_t copies_max = 256;
  static constexpr Duration retry_after = std::chrono::seconds(10);
  static constexpr Duration keep_after = std::chrono::seconds(120);

  explicit Wards(std::uint64_t copy_every_rounds) : copy_every_rounds_(copy_every_rounds) {}

  void set(const std::vector<Ward>& wards, TimePoint now, Objects& objects, ObjectsOutput& fetches,
           std::vector<WorkerCommand>& commands);
  // False: the answer is to somebody else's question.
  bool on_answer(const ObjectsOutput::Answer& answer, TimePoint now, Objects& objects,
                 ObjectsOutput& fetches, std::vector<WorkerCommand>& commands);
  void on_time(TimePoint now, Objects& objects, ObjectsOutput& fetches,
               std::vector<WorkerCommand>& commands);
  TimePoint wake_at() const;

 private:
  struct Copy {
    std::optional<Ward> ward;    // none: it is no ward any more
    std::optional<Round> round;  // of what is kept; none yet
    TimePoint not_before{};      // the next attempt
    TimePoint drop_at{};         // once it is no ward
  };
  struct Fetch {
    FetchId id;
    CellIndex cell;
  };

  bool is_due(const Copy& copy) const;
  // The next one after the last that was fetched, so that each has its turn.
  void fetch_next(TimePoint now, Objects& objects, ObjectsOutput& fetches);

  std::uint64_t copy_every_rounds_;
  std::map<CellIndex, Copy> copies_;
  std::optional<Fetch> fetching_;
  CellIndex last_;
};

}  // namespace quadrille::peer
