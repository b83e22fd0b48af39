#include "sim/host_rules.hpp"

#include "base/printed.hpp"
#include "wire/limits.hpp"

namespace quadrille::sim {

std::optional<Violation> check_training(NodeIndex node, PeerId self,
                                        const std::vector<CellIndex>& training,
                                        const OwnerInView& owner_of) {
  for (const CellIndex cell : training) {
    const std::optional<PeerId> owner = owner_of(cell);
    if (owner == self) continue;
    return broken("I3", node, "it trains cell ", cell, ", which in its own view is ",
                  owner ? printed("owned by ", *owner) : "vacant");
  }
  return std::nullopt;
}

std::optional<Violation> check_yields(NodeIndex node, const std::vector<wire::CellYield>& yields,
                                      const peer::View& view) {
  for (const wire::CellYield& yield : yields) {
    const peer::Member* target = view.find(yield.to);
    if (target == nullptr || !peer::is_live(target->state()))
      return broken("I6", node, "it yields cell ", yield.first, " to ", yield.to,
                    ", which is not live in its view");
  }
  return std::nullopt;
}

std::optional<Violation> check_sizes(NodeIndex node, const HostSizes& sizes,
                                     std::size_t cells_max) {
  constexpr std::size_t datagram_max = wire::envelope_bytes + wire::datagram_body_bytes_max;
  constexpr std::size_t frame_max = wire::frame_header_bytes + wire::control_frame_bytes_max;
  const std::size_t objects_max =
      peer::ObjectServer::served_in_all_max + peer::ObjectServer::served_self_max + cells_max;
  const struct {
    const char* what;
    std::size_t size;
    std::size_t most;
  } rows[] = {
      {"the bytes of a datagram", sizes.datagram_bytes, datagram_max},
      {"the bytes of a frame", sizes.frame_bytes, frame_max},
      {"the bytes that a stream holds", sizes.backlog_bytes, HostSizes::backlog_bytes_max},
      {"the bytes of its record", sizes.record_bytes, wire::record_bytes_max},
      {"the runs that it claims", sizes.claim_runs, wire::claim_runs_max},
      {"the stretches that it yields", sizes.yields, wire::yields_max},
      {"the members that it knows", sizes.members, wire::members_max},
      {"its streams", sizes.streams, peer::Sessions::streams_max},
      {"the streams that it accepted", sizes.accepted, peer::Sessions::accepted_max},
      {"the objects that wait for its worker", sizes.objects, objects_max},
  };
  for (const auto& row : rows)
    if (row.size > row.most)
      return broken("I8", node, row.what, " are ", row.size, "; the most is ", row.most);
  return std::nullopt;
}

}  // namespace quadrille::sim
