// Several placements whose records reach each other late: a membership that loses nothing and takes
// its time, an acquisition that takes some, and one queue of events. One seed replays everything.
//
// After every event the cells that a peer was told to train are compared with those that it owns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "peer/placement/placement.hpp"

namespace quadrille::peer::test {

using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

// A fixed grid of that size; capacity for all of it unless it is given.
PlacementOptions options_of(std::uint16_t rows, std::uint16_t columns,
                            std::optional<std::uint32_t> capacity = {});

// What a case is about: how many peers share a grid, and what each can hold.
struct Fleet {
  std::size_t peers = 0;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  std::optional<std::uint32_t> capacity = {};
  std::uint64_t seed = 1;

  PlacementOptions options() const { return options_of(rows, columns, capacity); }
};
std::ostream& operator<<(std::ostream& out, const Fleet& fleet);

class Cluster {
 public:
  using Owners = std::map<CellIndex, std::size_t>;  // by the numbers that join() gave

  struct Delay {
    Duration min{};
    Duration max{};
  };
  struct Network {
    Delay record = {Milliseconds(200), Milliseconds(2000)};
    Delay message = {Milliseconds(10), Milliseconds(50)};
    Delay sync = {Milliseconds(200), Milliseconds(500)};
    Delay fetch = {Milliseconds(100), Milliseconds(400)};
    Delay detection = {Seconds(6), Seconds(14)};  // of a crash, by each for itself
    Delay heal = {Seconds(1), Seconds(10)};       // until two sides know of each other again
  };
  Cluster(PlacementOptions options, std::uint64_t seed, Network network);
  Cluster(PlacementOptions options, std::uint64_t seed) : Cluster(std::move(options), seed, {}) {}
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // At that time; the first to join is everybody's seed. With other options than the cluster's when
  // they are given. The number by which the peer is known here.
  std::size_t join(Duration at, std::optional<PlacementOptions> options = {});
  void join_all(std::size_t count, Duration within);
  void crash(std::size_t peer);
  void leave(std::size_t peer);
  // From now on the cell fails with that peer: at once where it trains it, else when it starts.
  void break_cell(std::size_t peer, CellIndex cell);
  void remove_leavers();  // they are gone, and everybody knows at once
  // The first so many on one side, the others on the other.
  void split(std::size_t first_side);
  void heal();
  // Somebody who is no placement states this record of itself, everywhere.
  void state(wire::PeerRecord record);

  void run_for(Duration duration);
  // Until it holds, looked at every 100 ms; nothing when it does not within that time.
  std::optional<Duration> run_until(const std::function<bool()>& holds, Duration at_most);

  TimePoint now() const { return now_; }
  std::vector<std::size_t> live() const;
  const Placement& placement(std::size_t peer) const { return *peers_[peer].placement; }
  PeerId id(std::size_t peer) const { return peers_[peer].id; }
  const Network& network() const { return network_; }

  // As all live peers see it.
  bool views_agree() const;
  bool grid_is_full() const;             // every live peer sees an owner of each cell
  bool each_cell_has_one_owner() const;  // that holds it
  std::uint32_t load_spread() const;     // largest load less smallest
  // All of these, loads that differ by one at most, and nothing on its way.
  bool is_at_rest() const;
  Owners owners() const;                              // as the first live peer sees it
  std::size_t runs_max() const;                       // of any record, ever
  std::uint64_t moves() const { return moves_; }      // cells that one lost to another, ever
  std::uint64_t hash() const { return event_hash_; }  // over all events: the same for one seed

 private:
  struct Known {
    RecordRef record;
    std::uint32_t version = 0;
  };
  struct Peer {
    PeerId id;
    std::unique_ptr<Placement> placement;
    RecordRef record;
    bool has_joined = false;
    bool alive = true;
    bool leaving = false;
    int side = 0;
    std::vector<Known> known;  // by peer; null when not live there
    std::set<CellIndex> trained;
    std::set<CellIndex> broken;
    TimePoint armed;
  };
  void at(TimePoint time, std::function<void()> run);
  Duration draw(const Delay& delay);
  void enter(std::size_t peer);
  void tell(std::size_t from, std::size_t to, Duration after);
  void learn(std::size_t to, std::size_t from, const RecordRef& record);
  void lose_sight(std::size_t of, std::size_t by);
  void with(std::size_t peer, const std::function<void(Placement&, PlacementOutput&)>& act);
  void carry_out(std::size_t peer, const PlacementOutput& out);
  void fetch(std::size_t peer, const PlacementOutput::Offered& offer);
  void deliver(std::size_t from, std::size_t to, const wire::Message& message);
  void publish(std::size_t peer);
  void arm(std::size_t peer);
  std::optional<std::size_t> find(PeerId id) const;

  PlacementOptions options_;
  Network network_;
  RandomStream random_;
  TimePoint now_;
  std::uint64_t moves_ = 0;
  std::uint64_t event_hash_ = 0;
  std::size_t runs_max_ = 0;
  std::vector<Peer> peers_;
  std::map<PeerId, std::size_t> numbers_;
  std::map<TimePoint, std::vector<std::function<void()>>> events_;  // on whole milliseconds
};

}  // namespace quadrille::peer::test
