// Many memberships and a network between them, in one thread: datagrams are handed over as structs,
// late, or not at all; a sync or probe that is dialled takes some round trips. One seed, one story.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "peer/membership/membership.hpp"

namespace quadrille::peer::test {

struct Network {
  std::uint64_t seed = 1;
  double loss = 0;
  Duration delay_min = std::chrono::microseconds(300);
  Duration delay_max = std::chrono::milliseconds(5);
};

class Cluster {
 public:
  using Index = std::size_t;

  explicit Cluster(Network network, MembershipOptions options = {});

  // A new process at its own address, or at that of an earlier one. It knows these seeds.
  Index add(std::vector<Index> seeds);
  void add_many(std::size_t peers, std::size_t seeds = 3);  // the first ones are the others' seeds
  Index add_in_place_of(Index other, std::vector<Index> seeds);
  void crash(Index peer);
  void leave(Index peer);
  void pause(Index peer, Duration time);  // as one that gets no processor: all of it comes later
  // Datagrams and streams between the two sides are lost. heal() undoes it.
  void split(const std::function<bool(Index)>& is_left);
  void heal();

  void run_for(Duration time);
  // Until `done`, asked at every grain; false when it is not in that time.
  bool run_until(const std::function<bool()>& done, Duration time,
                 Duration grain = std::chrono::milliseconds(100));

  Membership& operator[](Index peer) { return *nodes_[peer].membership; }
  PeerId id(Index peer) const { return nodes_[peer].id; }
  TimePoint now() const { return now_; }
  std::size_t running() const;
  // Every running peer's view has exactly the running ones, all unsuspected.
  bool converged() const;
  bool all_see_gone(Index peer) const;
  std::size_t death_count() const { return deaths_.size(); }  // of running peers, at any other
  const std::vector<std::pair<PeerId, Index>>& deaths() const { return deaths_; }
  std::uint64_t datagram_count() const { return datagram_count_; }
  std::uint64_t update_count() const { return update_count_; }
  std::uint64_t calls_to_the_dead() const {
    return calls_to_the_dead_;
  }  // datagrams to crashed ones
  std::uint64_t sync_count() const { return sync_count_; }

 private:
  struct Node {
    PeerId id;
    wire::Endpoint endpoint;
    std::unique_ptr<Membership> membership;
    bool is_running = true;
    TimePoint paused_until;
    TimePoint wake_at;
    bool is_left = false;
  };
  struct Event {
    TimePoint at;
    std::uint64_t sequence;
    Index to;
    std::function<void()> what;
    bool operator>(const Event& other) const {
      return std::tie(at, sequence) > std::tie(other.at, other.sequence);
    }
  };

  Index start(const wire::Endpoint& endpoint, const std::vector<Index>& seeds);
  void later(Index to, std::function<void()> what, int trips = 1);
  void deliver(Index from, MembershipOutput& out);
  void dial(Index from, const MembershipOutput::Dial& dial);
  void sync(Index from, Index to);
  void step();
  bool reaches(Index from, Index to) const;
  std::optional<Index> at(const wire::Endpoint& endpoint) const;
  void reschedule(Index peer);

  Network network_;
  MembershipOptions options_;
  RandomStream random_;
  RecordPool pool_;
  TimePoint now_{std::chrono::seconds(1)};
  std::vector<Node> nodes_;
  std::map<wire::Endpoint, Index> by_endpoint_;
  std::set<std::pair<TimePoint, Index>> timers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t next_sequence_ = 0;
  bool is_split_ = false;
  std::vector<std::pair<PeerId, Index>> deaths_;
  std::uint64_t datagram_count_ = 0;
  std::uint64_t update_count_ = 0;
  std::uint64_t calls_to_the_dead_ = 0;
  std::uint64_t sync_count_ = 0;
};

}  // namespace quadrille::peer::test
