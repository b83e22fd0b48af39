#include "sim/fault_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/printed.hpp"

namespace quadrille::sim {
namespace {

Duration duration_of(double count) {
  return Duration(static_cast<Duration::rep>(count * 1e9));
}

// A time to wait whose average that is: most are short, some are long.
Duration draw_wait(Duration average, RandomStream& random) {
  return duration_of(-std::log(1.0 - random.uniform()) * in_seconds(average));
}

Duration draw_moment(Duration length, RandomStream& random) {
  return duration_of(random.uniform() * in_seconds(length));
}

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::Start:
      return "start";
    case FaultKind::KillProcess:
      return "kill process";
    case FaultKind::LoseMachine:
      return "lose machine";
    case FaultKind::LoseDisk:
      return "lose disk";
    case FaultKind::Upgrade:
      return "upgrade";
    case FaultKind::Downgrade:
      return "downgrade";
    case FaultKind::Leave:
      return "leave";
    case FaultKind::Pause:
      return "pause";
    case FaultKind::Resume:
      return "resume";
    case FaultKind::Split:
      return "split";
    case FaultKind::SplitOneWay:
      return "split one way";
    case FaultKind::Isolate:
      return "isolate";
    case FaultKind::Join:
      return "join";
    case FaultKind::Slow:
      return "slow";
    case FaultKind::Lossy:
      return "lossy";
    case FaultKind::Mute:
      return "mute";
    case FaultKind::ClearLinks:
      return "clear links";
  }
  return "?";
}

class Drawing {
 public:
  Drawing(const FaultRates& rates, std::uint32_t hosts, TimePoint begin, RandomStream& random)
      : rates_(rates), hosts_(hosts), begin_(begin), end_(begin + rates.length), random_(random) {}

  std::vector<Fault> draw() {
    for (NodeIndex node = 0; node < hosts_; ++node) {
      draw_ends_of(node);
      draw_pauses_of(node);
    }
    draw_partitions();
    draw_links();
    std::ranges::stable_sort(plan_, {}, &Fault::at);
    return std::move(plan_);
  }

 private:
  void add(Fault fault) {
    if (fault.at < end_) plan_.push_back(fault);
  }

  // Crashes and leaves of one host, each followed by a start.
  void draw_ends_of(NodeIndex node) {
    const double rate = rates_.crashes_per_host + rates_.leaves_per_host;
    if (rate <= 0) return;
    const Duration between = duration_of(in_seconds(rates_.length) / rate);
    for (TimePoint at = begin_ + draw_wait(between, random_); at < end_;) {
      const bool leaves = random_.uniform() * rate < rates_.leaves_per_host;
      const bool machine = random_.uniform() < rates_.machine_share;
      const FaultKind crash = machine ? FaultKind::LoseMachine : FaultKind::KillProcess;
      add({.at = at, .kind = leaves ? FaultKind::Leave : crash, .node = node});
      if (!leaves && random_.uniform() < rates_.disk_share)
        add({.at = at, .kind = FaultKind::LoseDisk, .node = node});
      at = at + draw_wait(rates_.downtime, random_);
      add({.at = at, .kind = FaultKind::Start, .node = node});
      at = at + rates_.stability + draw_wait(between, random_);
    }
  }

  void draw_pauses_of(NodeIndex node) {
    if (rates_.pauses_per_host <= 0) return;
    const Duration between = duration_of(in_seconds(rates_.length) / rates_.pauses_per_host);
    for (TimePoint at = begin_ + draw_wait(between, random_); at < end_;) {
      add({.at = at, .kind = FaultKind::Pause, .node = node});
      at = at + draw_wait(rates_.pause, random_);
      add({.at = at, .kind = FaultKind::Resume, .node = node});
      at = at + draw_wait(between, random_);
    }
  }

  void draw_partitions() {
    TimePoint at = begin_;
    for (std::uint32_t count = 0; count < rates_.partitions; ++count) {
      at = at + draw_moment(rates_.length / (1 + rates_.partitions), random_);
      constexpr FaultKind kinds[] = {FaultKind::Split, FaultKind::Split, FaultKind::SplitOneWay,
                                     FaultKind::Isolate};
      add({.at = at,
           .kind = kinds[random_.below(4)],
           .node = random_.below(hosts_),
           .other = random_.next_u32(),
           .amount = 0.05 + 0.45 * random_.uniform()});
      at = at + draw_wait(rates_.partition, random_);
      add({.at = at, .kind = FaultKind::Join});
    }
  }

  void draw_links() {
    for (std::uint32_t count = 0; count < rates_.bad_links; ++count) {
      const std::uint32_t kind = random_.below(3);
      const Fault fault{.at = begin_ + draw_moment(rates_.length, random_),
                        .kind = kind == 0   ? FaultKind::Slow
                                : kind == 1 ? FaultKind::Lossy
                                            : FaultKind::Mute,
                        .node = random_.below(hosts_),
                        .other = random_.below(hosts_),
                        .amount = kind == 0 ? 20'000 : random_.uniform()};
      if (fault.node != fault.other) add(fault);
    }
    if (rates_.bad_links > 0)
      add({.at = begin_ + draw_moment(rates_.length, random_), .kind = FaultKind::ClearLinks});
  }

  const FaultRates& rates_;
  std::uint32_t hosts_;
  TimePoint begin_;
  TimePoint end_;
  RandomStream& random_;
  std::vector<Fault> plan_;
};

// All that the fault goes by, and nothing else.
std::string details(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::Start:
    case FaultKind::KillProcess:
    case FaultKind::LoseMachine:
    case FaultKind::LoseDisk:
    case FaultKind::Upgrade:
    case FaultKind::Downgrade:
    case FaultKind::Leave:
    case FaultKind::Pause:
    case FaultKind::Resume:
    case FaultKind::Isolate:
      return printed(" host ", fault.node);
    case FaultKind::Split:
    case FaultKind::SplitOneWay:
      return printed(" share ", fault.amount, ", draw ", fault.other);
    case FaultKind::Slow:
      return printed(" host ", fault.node, " to ", fault.other, ", bytes per second ",
                     fault.amount);
    case FaultKind::Lossy:
      return printed(" host ", fault.node, " to ", fault.other, ", loss ", fault.amount);
    case FaultKind::Mute:
      return printed(" host ", fault.node, " to ", fault.other);
    case FaultKind::Join:
    case FaultKind::ClearLinks:
      break;
  }
  return "";
}

}  // namespace

std::string text_of(const Fault& fault) {
  return printed(in_seconds(fault.at.since_start), " s: ", name_of(fault.kind), details(fault));
}

FaultRates draw_rates(RandomStream& random) {
  const auto often = [&](double share, double most) {
    return random.uniform() < share ? random.uniform() * most : 0.0;
  };
  FaultRates rates;
  rates.length = duration_of(30 + 90 * random.uniform());
  rates.crashes_per_host = often(0.7, 1.0);
  rates.stability = duration_of(2 + 30 * random.uniform());
  rates.downtime = duration_of(1 + 30 * random.uniform());
  rates.machine_share = random.uniform();
  rates.disk_share = random.uniform() * 0.6;
  rates.leaves_per_host = often(0.4, 0.4);
  rates.pauses_per_host = often(0.5, 1.0);
  rates.pause = duration_of(0.5 + 5 * random.uniform());
  rates.partitions = random.below(3);
  rates.partition = duration_of(5 + 60 * random.uniform());
  const std::uint32_t has_bad_links = random.below(2);
  rates.bad_links = has_bad_links * random.below(12);
  return rates;
}

std::vector<std::pair<std::string, std::string>> described(const FaultRates& rates) {
  return {{"faults_for", printed(in_seconds(rates.length), " s")},
          {"crashes_per_host", printed(rates.crashes_per_host)},
          {"stability", printed(in_seconds(rates.stability), " s")},
          {"downtime", printed(in_seconds(rates.downtime), " s")},
          {"machine_share", printed(rates.machine_share)},
          {"disk_share", printed(rates.disk_share)},
          {"leaves_per_host", printed(rates.leaves_per_host)},
          {"pauses_per_host", printed(rates.pauses_per_host)},
          {"pause", printed(in_seconds(rates.pause), " s")},
          {"partitions", printed(rates.partitions)},
          {"partition", printed(in_seconds(rates.partition), " s")},
          {"bad_links", printed(rates.bad_links)}};
}

VersionMix draw_versions(RandomStream& random) {
  if (random.below(2) == 0) return {};
  return {.next_share = random.uniform(), .change_share = random.uniform()};
}

std::vector<std::pair<std::string, std::string>> described(const VersionMix& versions) {
  return {{"next_version_share", printed(versions.next_share)},
          {"version_changes", printed(versions.change_share)}};
}

std::vector<NodeIndex> draw_first_versions(const VersionMix& versions, std::uint32_t hosts,
                                           RandomStream& random) {
  std::vector<NodeIndex> next;
  for (NodeIndex node = 0; node < hosts; ++node)
    if (random.uniform() < versions.next_share) next.push_back(node);
  return next;
}

void add_version_changes(const VersionMix& versions, std::vector<Fault>& plan,
                         RandomStream& random) {
  std::vector<Fault> whole;
  for (const Fault& fault : plan) {
    if (fault.kind == FaultKind::Start && random.uniform() < versions.change_share) {
      const bool is_next = random.uniform() < versions.next_share;
      whole.push_back({.at = fault.at,
                       .kind = is_next ? FaultKind::Upgrade : FaultKind::Downgrade,
                       .node = fault.node});
    }
    whole.push_back(fault);
  }
  plan = std::move(whole);
}

std::vector<NodeIndex> draw_lost(const WorldOptions& options, RandomStream& random) {
  if (random.below(4) != 0) return {};
  const std::uint32_t capacity =
      std::max(options.capacity == 0 ? default_capacity(options) : options.capacity, 1U);
  const std::uint32_t needed = (options.grid.cell_count() + capacity - 1) / capacity;
  const std::uint32_t most =
      std::min(options.hosts / 4, options.hosts - std::min(needed, options.hosts));
  if (most == 0) return {};
  const NodeIndex kept_seed = random.below(std::max(options.seed_hosts, 1U));
  std::vector<NodeIndex> lost;
  for (NodeIndex node = 0; node < options.hosts; ++node)
    if (node != kept_seed) lost.push_back(node);
  const std::uint32_t count = 1 + random.below(most);
  for (std::uint32_t chosen = 0; chosen < count; ++chosen) {
    const auto left = static_cast<std::uint32_t>(lost.size()) - chosen;
    std::swap(lost[chosen], lost[chosen + random.below(left)]);
  }
  lost.resize(count);
  std::ranges::sort(lost);
  return lost;
}

std::vector<Fault> draw_plan(const FaultRates& rates, std::uint32_t hosts, TimePoint begin,
                             RandomStream& random) {
  return Drawing(rates, hosts, begin, random).draw();
}

}  // namespace quadrille::sim
