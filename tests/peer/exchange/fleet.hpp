// Several exchanges with their workers, in virtual time: streams whose rate, delay and fate a test
// sets, cells that are placed and moved. The order of events is the same every time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "peer/exchange/exchange.hpp"
#include "peer/exchange/toy_worker.hpp"

namespace quadrille::peer::test {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct FleetOptions {
  bool synchronous = false;
  Duration latency = milliseconds(1);
  double bytes_per_second = 100e6;  // from each peer to each other
  Duration training_time = milliseconds(10);
  Duration codec_time = milliseconds(1);
  std::size_t difference_bytes = 1000;
  std::size_t keyframe_bytes = 4000;
};

class Fleet {
 public:
  using MakeLearner = std::function<std::unique_ptr<Learner>(std::size_t peer)>;
  Fleet(std::size_t peers, FleetOptions options, MakeLearner make_learner);

  // Cells begin where they are placed, all at once.
  void place(CellIndex cell, std::size_t peer) { owners_[cell] = peer; }
  void start();
  // The cell goes on at another peer, from this round. Others hear of it each this much later.
  void move(CellIndex cell, std::size_t to, Round jump_to, Duration news_delay = {});
  // The process is gone.
  void stop(std::size_t peer);
  // The process is gone, and another one begins with nothing; its cells start again.
  void restart(std::size_t peer);

  void set_training_time(std::size_t peer, Duration time) { peers_[peer].training_time = time; }
  void set_rate(std::size_t from, std::size_t to, double bytes_per_second);
  void cut(std::size_t a, std::size_t b);  // every stream between them breaks, and none can be made
  void mend(std::size_t a, std::size_t b);
  void set_frozen(std::size_t from, std::size_t to, bool frozen);  // what is sent then is lost
  // The stream breaks that the n-th frame of the kind would be sent on, once.
  void break_at_frame(wire::FrameType type, int n);
  // Called for each frame that is sent; false loses the rest of its stream: both ends see it break.
  std::function<bool(std::size_t from, std::size_t to, const OutFrame& frame)> on_sent;

  void run_for(Duration duration);
  TimePoint now() const { return now_; }

  Exchange& exchange(std::size_t peer) { return *peers_[peer].exchange; }
  ToyWorker& worker(std::size_t peer) { return *peers_[peer].worker; }
  Learner& learner(std::size_t peer) { return *peers_[peer].learner; }
  ToyWorker& worker_of(CellIndex cell) { return worker(owners_.at(cell)); }
  EdgeStatistics statistics(EdgeId edge);  // at its reader's owner
  // The largest of the cell that anybody holds.
  std::uint64_t newest_round(CellIndex cell) const;
  // Something the worker says that its learner did not.
  void report(std::size_t peer, const WorkerReport& report);
  void send_frame(std::size_t from, std::size_t to, wire::FrameType type, ByteBuffer body);

  std::vector<std::string> offences;  // "peer 1: REASON"
  std::vector<std::string> faults;    // "peer 1: edge 0 to 1 from peer 0, fault 3"
  int dials = 0;
  std::uint64_t bytes_sent = 0;

  static PeerId id_of(std::size_t peer) { return {.high = 7, .low = peer}; }

 private:
  struct Peer {
    std::unique_ptr<Learner> learner;
    std::unique_ptr<ToyWorker> worker;
    std::unique_ptr<Exchange> exchange;
    TimePoint worker_free_at;
    std::optional<Duration> training_time;
    std::map<CellIndex, int> starts_due;  // commanded and not yet reported
    int life = 0;  // counts the processes: what was meant for an earlier one is lost
  };
  struct Stream {  // both directions
    std::size_t dialler;
    std::size_t listener;
    bool open = true;
  };
  using Way = std::pair<std::size_t, std::size_t>;  // from, to

  void begin_process(std::size_t peer);
  void set_sources(std::size_t peer);
  void at(TimePoint time, std::function<void()> event);
  void act(std::size_t peer, const std::function<void(ExchangeOutput&)>& input);
  void command(std::size_t peer, const WorkerCommand& command);
  bool is_of_this_start(std::size_t peer, const WorkerReport& report);
  void dial(std::size_t from, std::size_t to);
  void send(std::size_t from, const OutFrame& frame);
  void deliver(std::size_t to, std::uint64_t stream, const OutFrame& frame);
  void close(std::uint64_t stream, std::optional<std::size_t> by);
  TimePoint wake_at() const;

  FleetOptions options_;
  MakeLearner make_learner_;
  std::vector<Peer> peers_;
  std::map<CellIndex, std::size_t> owners_;
  std::map<std::uint64_t, Stream> streams_;  // odd number: the dialler's end; + 1: the listener's
  std::uint64_t next_stream_ = 1;
  std::map<Way, double> rates_;
  std::map<Way, TimePoint> free_at_;
  std::set<Way> cut_;
  std::set<Way> frozen_;
  std::multimap<TimePoint, std::function<void()>> events_;
  TimePoint now_;
};

}  // namespace quadrille::peer::test
