#include "sim/address.hpp"

#include "base/check.hpp"

namespace quadrille::sim {

wire::Endpoint endpoint_of(NodeIndex node) {
  CHECK(node < nodes_max, node);
  wire::Endpoint endpoint;
  endpoint.address[10] = 0xFF;
  endpoint.address[11] = 0xFF;
  endpoint.address[12] = 10;
  endpoint.address[13] = static_cast<std::uint8_t>(node >> 16U);
  endpoint.address[14] = static_cast<std::uint8_t>(node >> 8U);
  endpoint.address[15] = static_cast<std::uint8_t>(node);
  endpoint.port = port;
  return endpoint;
}

std::optional<NodeIndex> node_at(const wire::Endpoint& endpoint) {
  const auto& bytes = endpoint.address;
  const NodeIndex node = NodeIndex{bytes[13]} << 16U | NodeIndex{bytes[14]} << 8U | bytes[15];
  if (node >= nodes_max || endpoint != endpoint_of(node)) return std::nullopt;
  return node;
}

}  // namespace quadrille::sim
