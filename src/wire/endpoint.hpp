// Where a peer listens: an IP address and a port, the same for datagrams and streams.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace quadrille::wire {

struct Endpoint {
  // In network order; IPv4 as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port = 0;

  static Endpoint v4(std::uint32_t address, std::uint16_t port);
  // Of one host, which could be dialled: no multicast or broadcast address, none that is nobody's
  // (0.0.0.0, ::), and a port.
  bool is_of_one_host() const;
  auto operator<=>(const Endpoint&) const = default;
};

// "10.0.0.7:7746" or "[fe80::1]:7746".
std::ostream& operator<<(std::ostream& out, const Endpoint& endpoint);

}  // namespace quadrille::wire

template <>
struct std::hash<quadrille::wire::Endpoint> {
  std::size_t operator()(const quadrille::wire::Endpoint& endpoint) const noexcept;
};
