// What a fault of the plan does to the world.
#include <algorithm>

#include "base/hash.hpp"
#include "sim/world.hpp"

namespace quadrille::sim {
namespace {

// Group 1 is the named side.
constexpr std::uint8_t named = 1;
constexpr std::uint8_t rest = 0;

}  // namespace

void World::split(const std::vector<NodeIndex>& side, bool one_way) {
  network_.join_groups();
  for (const NodeIndex node : side) network_.set_group(node, named);
  network_.set_heard(named, rest, one_way);
  streams_.on_paths_changed(now_);
}

void World::join() {
  network_.join_groups();
  streams_.on_paths_changed(now_);
}

// Whether a host is on the smaller side follows from the fault's draw, not from how the run went.
void World::run_draw(const Fault& fault) {
  std::vector<NodeIndex> side;
  for (NodeIndex node = 0; node < options_.hosts; ++node) {
    const std::uint64_t drawn = chain(fault.other, node) >> 11U;
    if (static_cast<double>(drawn) * 0x1p-53 < fault.amount) side.push_back(node);
  }
  split(side, fault.kind == FaultKind::SplitOneWay);
}

void World::carry_out(const Fault& fault) {
  LinkFault link;
  switch (fault.kind) {
    case FaultKind::Start:
      return start(fault.node);
    case FaultKind::KillProcess:
      return kill_process(fault.node);
    case FaultKind::LoseMachine:
      return lose_machine(fault.node);
    case FaultKind::LoseDisk:
      if (!hosts_[fault.node].is_up()) hosts_[fault.node].lose_disk();
      return;
    case FaultKind::Upgrade:
      return install(fault.node, Software::NextVersion);
    case FaultKind::Downgrade:
      return install(fault.node, Software::ThisVersion);
    case FaultKind::Leave:
      return leave(fault.node);
    case FaultKind::Pause:
      return pause(fault.node);
    case FaultKind::Resume:
      return resume(fault.node);
    case FaultKind::Split:
    case FaultKind::SplitOneWay:
      return run_draw(fault);
    case FaultKind::Isolate:
      return split({fault.node});
    case FaultKind::Join:
      return join();
    case FaultKind::Slow:
      link.bytes_per_second = static_cast<std::uint64_t>(fault.amount);
      break;
    case FaultKind::Lossy:
      link.loss = fault.amount;
      break;
    case FaultKind::Mute:
      link.blocked = true;
      break;
    case FaultKind::ClearLinks:
      network_.clear_faults();
      break;
  }
  if (fault.kind != FaultKind::ClearLinks) network_.set_fault(fault.node, fault.other, link);
  streams_.on_paths_changed(now_);
}

void World::schedule(std::vector<Fault> plan) {
  for (Fault& fault : plan) {
    events_.push(fault.at, {.kind = EventKind::Fault,
                            .node = fault.node,
                            .subject = static_cast<std::uint32_t>(plan_.size())});
    plan_.push_back(fault);
  }
}

void World::end_all_faults(NetworkQuality quality, const std::vector<NodeIndex>& lost) {
  network_.set_quality(quality);
  network_.clear_faults();
  join();
  options_.toy.end_faults();
  for (const NodeIndex node : lost) lose_machine(node);
  for (NodeIndex node = 0; node < host_count(); ++node) {
    if (std::ranges::find(lost, node) != lost.end()) continue;
    resume(node);
    start(node);
    hosts_[node].end_worker_faults();
  }
}

}  // namespace quadrille::sim
