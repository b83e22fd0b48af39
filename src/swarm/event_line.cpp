#include "swarm/event_line.hpp"

#include <iomanip>
#include <sstream>
#include <utility>

#include "base/printed.hpp"

namespace quadrille::swarm {
namespace {

using wire::EventKind;

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::Unknown:
      break;
    case EventKind::Joined:
      return "joined";
    case EventKind::Suspected:
      return "suspected";
    case EventKind::Refuted:
      return "refuted";
    case EventKind::Died:
      return "died";
    case EventKind::Left:
      return "left";
    case EventKind::CellGained:
      return "cell gained";
    case EventKind::CellLost:
      return "cell lost";
    case EventKind::CellAdopted:
      return "cell adopted";
    case EventKind::GridGrew:
      return "grid grew";
    case EventKind::EdgeKeyframe:
      return "edge keyframe";
    case EventKind::EdgeFault:
      return "edge fault";
    case EventKind::PeerIgnored:
      return "peer ignored";
    case EventKind::Notice:
      return "notice";
  }
  return "unknown";
}

// Eight of its 32 digits tell peers of one world apart.
std::string short_name(const sim::World& world, PeerId peer) {
  if (const auto host = world.host_of(peer)) return printed("host-", *host);
  return "peer " + printed(peer).substr(0, 8);
}

}  // namespace

std::string event_line(const sim::World& world, sim::NodeIndex teller,
                       const wire::WatchEvent& event) {
  const bool is_about_teller = world.host_of(event.peer) == teller;
  std::string who;
  if (event.peer != PeerId{} && !is_about_teller) who = short_name(world, event.peer);
  std::ostringstream line;
  line << std::fixed << std::setprecision(3) << in_seconds(world.now().since_start) << " s host-"
       << teller << ' ' << name_of(event.kind);
  if (!who.empty()) line << ' ' << who;
  if (event.cell) line << " cell " << *event.cell;
  // A host that joins tells its name, which has just been said.
  if (!event.text.empty() && event.text != who) line << ": " << event.text;
  return std::move(line).str();
}

}  // namespace quadrille::swarm
