// The world: hosts, the network between them, and time, which is nothing but the order of events.
//
// A run ends where an invariant breaks: whatever is asked of the world after that does nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "sim/event_queue.hpp"
#include "sim/fault_plan.hpp"
#include "sim/host.hpp"
#include "sim/invariants.hpp"
#include "sim/ledger.hpp"
#include "sim/sim_network.hpp"
#include "sim/sim_stream.hpp"
#include "sim/violation.hpp"
#include "sim/watcher.hpp"
#include "sim/world_options.hpp"

namespace quadrille::sim {

class World {
 public:
  explicit World(const WorldOptions& options);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Time. It never goes back: to run until what has passed does nothing.
  TimePoint now() const { return now_; }
  void run_until(TimePoint end);
  void run_for(Duration time) { run_until(now_ + time); }
  // Looks every `grain` until the condition holds; how long that took, or nothing when it did not
  // within `limit`.
  std::optional<Duration> run_until_true(const std::function<bool()>& condition, Duration limit,
                                         Duration grain = std::chrono::milliseconds(100));

  // What happens to hosts. What makes no sense (a start of one that runs) is passed over, since a
  // drawn plan does not know how the run went.
  void start(NodeIndex node);
  void install(NodeIndex node, Software software);  // its next processes run that
  void kill_process(NodeIndex node);
  void lose_machine(NodeIndex node);
  void leave(NodeIndex node);
  void pause(NodeIndex node);
  void resume(NodeIndex node);
  // The named hosts on one side, all others on the other; one_way: the named are still heard.
  void split(const std::vector<NodeIndex>& side, bool one_way = false);
  void join();
  void carry_out(const Fault& fault);
  void schedule(std::vector<Fault> plan);
  // Everybody but the lost, whose machines are gone for good, is up, heard and reads; the network
  // is as good as `quality`.
  void end_all_faults(NetworkQuality quality, const std::vector<NodeIndex>& lost = {});

  const WorldOptions& options() const { return options_; }
  SimNetwork& network() { return network_; }
  const SimNetwork& network() const { return network_; }
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  const Host& host(NodeIndex node) const { return hosts_[node]; }
  std::vector<NodeIndex> up_hosts() const;  // of the run, ascending
  // Where a peer runs or, since its process ended, ran.
  std::optional<NodeIndex> host_of(PeerId peer) const;
  const Ledger& ledger() const { return ledger_; }

  bool is_ok() const { return !violation_; }
  const std::optional<Violation>& violation() const { return violation_; }
  void violate(Violation violation);
  std::uint64_t event_count() const { return event_count_; }
  // Over time, host and kind of all events, and over all bytes that arrive.
  std::uint64_t history_hash() const { return history_hash_; }
  // Rounds that adopted cells were behind what their owner had last published, summed up.
  std::uint64_t rounds_lost() const { return rounds_lost_; }

  // Somebody watches the first host that is up, and makes a recording.
  void attach_watcher(Watcher::Sink sink);
  const std::optional<Watcher>& watcher() const { return watcher_; }

  // Of whoever wants to see what all peers tell.
  using NewsReader = std::function<void(NodeIndex, const wire::WatchEvent&)>;
  void set_news_reader(NewsReader reader) { news_reader_ = std::move(reader); }

  // Called every so many events, for whoever shows how far the world is. It changes nothing here.
  static constexpr std::uint64_t pulse_events = 1024;
  void set_pulse(std::function<void()> pulse) { pulse_ = std::move(pulse); }

 private:
  void step();
  void dispatch(const Event& event);
  void note_bytes(Bytes bytes);
  void tell(const StreamNews& news);
  void after(Host& host);
  void read_news(Host& host);
  void note_published(const Host& host, CellIndex cell);
  void check_starts(Host& host);
  void end_process(Host& host, Presence presence);
  void run_draw(const Fault& fault);

  WorldOptions options_;
  TimePoint now_;
  EventQueue events_;
  SimNetwork network_;
  SimStreams streams_;
  peer::RecordPool pool_;
  std::vector<Host> hosts_;
  Invariants invariants_;
  Ledger ledger_;
  std::unordered_map<PeerId, NodeIndex> processes_;  // that run or ran; looked up only
  std::unordered_map<CellIndex, Round> published_;   // the newest of each cell; looked up only
  std::vector<Fault> plan_;
  std::optional<Violation> violation_;
  std::uint64_t event_count_ = 0;
  std::uint64_t history_hash_ = 0;
  std::uint64_t rounds_lost_ = 0;
  NewsReader news_reader_;
  std::function<void()> pulse_;
  std::optional<Watcher> watcher_;
};

}  // namespace quadrille::sim
