// One machine: a peer, its worker, its disk, its clock. It hands inputs to the peer and carries its
// effects out. A paused host takes nothing; all that came is then taken at once, as when a process
// was starved of its CPU.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/peer.hpp"
#include "sim/disk.hpp"
#include "sim/event_queue.hpp"
#include "sim/next_version.hpp"
#include "sim/sim_network.hpp"
#include "sim/sim_stream.hpp"
#include "sim/sim_worker.hpp"
#include "sim/world_options.hpp"

namespace quadrille::sim {

// What all hosts share.
struct Surroundings {
  const WorldOptions& options;
  EventQueue& events;
  SimNetwork& network;
  SimStreams& streams;
  peer::RecordPool& pool;
};

class Host {
 public:
  // A driver's timer is no finer than this.
  static constexpr Duration timer_grain = std::chrono::milliseconds(1);

  struct Self {
    NodeIndex node = 0;
    RunId run;
    double drift_ppm = 0;
    std::int64_t clock_error_ms = 0;
  };
  Host(Self self, Surroundings surroundings) : self_(self), around_(surroundings) {}

  // What its next processes run.
  void install(Software software) { installed_ = software; }
  // A new process, on what is left of the disk.
  void start(TimePoint now);
  void end_process();
  void leave(TimePoint now);
  void pause() { is_paused_ = true; }
  void resume(TimePoint now);
  // From now on its worker makes finite payloads only.
  void end_worker_faults();
  void lose_disk() { disk_ = {}; }

  void on_datagram(SimNetwork::Datagram datagram, TimePoint now);
  void on_stream(const StreamNews& news, TimePoint now);
  void on_event(const Event& event, TimePoint now);  // Wake, WorkerStep, RoundEnd

  NodeIndex node() const { return self_.node; }
  RunId run() const { return self_.run; }
  bool is_up() const { return peer_ != nullptr; }
  bool is_paused() const { return is_paused_; }
  bool is_leaving() const { return is_leaving_; }
  bool has_left() const { return has_left_; }  // its process may end now
  std::uint32_t process() const { return process_; }
  const peer::Peer& peer() const { return *peer_; }
  // The peer's record as others are sent it.
  ByteBuffer sent_record() const;
  SimWorker& worker() { return *worker_; }
  const SimWorker& worker() const { return *worker_; }
  const Disk& disk() const { return disk_; }
  // That this process's worker could not go on with: its peer takes them no more.
  const std::set<CellIndex>& failed_cells() const { return failed_cells_; }
  std::size_t largest_datagram() const { return largest_datagram_; }  // that it ever sent
  std::size_t largest_frame() const { return largest_frame_; }        // that its peers ever gave it
  const SimStreams::Load& stream_load() const { return around_.streams.load_of(self_.node); }
  // What its own clock says then.
  TimePoint local_time(TimePoint now) const { return local(now).time; }
  bool is_given_seeds() const;  // other hosts' addresses
  // What the peer wanted told since the last call. Its memory goes with it: a newcomer's first view
  // of ten thousand members is as much news.
  std::vector<wire::WatchEvent> take_news() { return std::exchange(news_, {}); }

 private:
  // An input that came while the host was paused.
  struct Held {
    enum class Kind : std::uint8_t { Datagram, Stream, Event };
    Kind kind = Kind::Datagram;
    SimNetwork::Datagram datagram{};
    StreamNews news{};
    ByteBuffer bytes{};
    Event event{};
  };

  peer::Now local(TimePoint now) const;
  TimePoint global(TimePoint local_time) const;
  peer::PeerOptions peer_options() const;
  void take_datagram(const SimNetwork::Datagram& datagram, TimePoint now);
  void take_stream(const StreamNews& news, TimePoint now);
  void take_event(const Event& event, TimePoint now);
  void take(const Held& held, TimePoint now);
  void report(TimePoint now);
  void carry_out(TimePoint now);
  void carry_out_streams(TimePoint now);
  void send(peer::SendBytes& sending, TimePoint now);
  void set_timer(TimePoint now);

  Self self_;
  Surroundings around_;
  Disk disk_;
  std::set<CellIndex> failed_cells_;
  std::unique_ptr<peer::Peer> peer_;
  std::unique_ptr<SimWorker> worker_;
  Software installed_ = Software::ThisVersion;
  Software running_ = Software::ThisVersion;
  std::uint32_t process_ = 0;
  TimePoint timer_ = TimePoint::never();
  bool is_paused_ = false;
  bool is_leaving_ = false;
  bool has_left_ = false;
  std::deque<Held> held_;
  std::size_t held_datagram_bytes_ = 0;
  std::size_t largest_datagram_ = 0;
  std::size_t largest_frame_ = 0;
  peer::Effects effects_;
  std::vector<wire::WatchEvent> news_;
  std::vector<peer::WorkerReport> reports_;
};

}  // namespace quadrille::sim
