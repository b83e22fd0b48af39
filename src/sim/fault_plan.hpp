// What goes wrong and when. A plan is drawn as a whole from the seed before anything runs, so that
// it can be printed, and a run with it replayed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/time.hpp"
#include "sim/event_queue.hpp"
#include "sim/world_options.hpp"

namespace quadrille::sim {

enum class FaultKind : std::uint8_t {
  Start,        // node: a new process, on the disk that is left
  KillProcess,  // node: its machine closes its streams
  LoseMachine,  // node: nothing is heard of it again
  LoseDisk,     // node
  Upgrade,      // node: its next process is of the next version
  Downgrade,    // node: its next process is of this version
  Leave,        // node: gracefully
  Pause,        // node: takes no input
  Resume,       // node
  Split,        // amount: the share of hosts on the smaller side; other: which draw of them
  SplitOneWay,  // the same, but the smaller side is heard
  Isolate,      // node
  Join,         // all partitions end
  Slow,         // node to other: amount bytes per second
  Lossy,        // node to other: amount of loss
  Mute,         // node to other: nothing passes that way
  ClearLinks,   // all of these three end
};

struct Fault {
  TimePoint at;
  FaultKind kind = FaultKind::Join;
  NodeIndex node = 0;
  NodeIndex other = 0;
  double amount = 0;
};
std::string text_of(const Fault& fault);

// How much of each; drawn too, so that every run has its own mix.
struct FaultRates {
  Duration length = std::chrono::seconds(90);
  double crashes_per_host = 0;                    // in that time
  Duration stability = std::chrono::seconds(10);  // between a start and the next crash
  Duration downtime = std::chrono::seconds(20);   // on average
  double machine_share = 0.5;                     // of crashes: the whole machine is gone
  double disk_share = 0.3;                        // of crashes: its disk is lost
  double leaves_per_host = 0;
  double pauses_per_host = 0;
  Duration pause = std::chrono::seconds(3);  // on average
  std::uint32_t partitions = 0;
  Duration partition = std::chrono::seconds(30);  // on average
  std::uint32_t bad_links = 0;
};
FaultRates draw_rates(RandomStream& random);
std::vector<std::pair<std::string, std::string>> described(const FaultRates& rates);

// Hosts of two versions of the protocol. Drawn from a stream of its own: where there is one
// version, everything goes as if nobody had asked.
struct VersionMix {
  double next_share = 0;    // of hosts run the next version from the start
  double change_share = 0;  // of starts after that are drawn anew, by the same share
};
VersionMix draw_versions(RandomStream& random);
std::vector<std::pair<std::string, std::string>> described(const VersionMix& versions);
// The hosts that begin with the next version.
std::vector<NodeIndex> draw_first_versions(const VersionMix& versions, std::uint32_t hosts,
                                           RandomStream& random);
// Before some of the plan's starts, what is to be started.
void add_version_changes(const VersionMix& versions, std::vector<Fault>& plan,
                         RandomStream& random);

// Hosts that are lost for good when all other faults end, in some worlds: up to a quarter of all,
// never so many that the rest has no room for every cell, nor the last seed, without which nobody
// whose disk is gone finds the others. Drawn from a stream of its own, as are versions.
std::vector<NodeIndex> draw_lost(const WorldOptions& options, RandomStream& random);

// In order of time. All faults are over at `begin + length`, but for hosts that stay down.
std::vector<Fault> draw_plan(const FaultRates& rates, std::uint32_t hosts, TimePoint begin,
                             RandomStream& random);

}  // namespace quadrille::sim
