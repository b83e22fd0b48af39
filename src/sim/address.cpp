#include "sim/address.hpp"

#include "base/check.hpp"

namespace quadrille::sim {

wire::Endpoint endpoint_of(NodeIndex node) {
  CHECK(node < nodes_max, node);
  return wire::Endpoint::v4(10U << 24U | node, port);
}

std::optional<NodeIndex> node_at(const wire::Endpoint& endpoint) {
  const auto& bytes = endpoint.address;
  const NodeIndex node = NodeIndex{bytes[13]} << 16U | NodeIndex{bytes[14]} << 8U | bytes[15];
  if (node >= nodes_max || endpoint != endpoint_of(node)) return std::nullopt;
  return node;
}

}  // namespace quadrille::sim
