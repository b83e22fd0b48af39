// Hosts and their addresses: host n is 10.x.y.z:7746, where x.y.z is n. A restart keeps it.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/event_queue.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::sim {

inline constexpr std::uint16_t port = 7746;
inline constexpr std::uint32_t nodes_max = 1U << 20U;

wire::Endpoint endpoint_of(NodeIndex node);
// None when there can be no such host.
std::optional<NodeIndex> node_at(const wire::Endpoint& endpoint);

}  // namespace quadrille::sim
