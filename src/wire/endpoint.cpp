#include "wire/endpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/bytes.hpp"
#include "base/hash.hpp"

namespace quadrille::wire {
namespace {

constexpr std::array<std::uint8_t, 12> v4_prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr std::size_t group_count = 8;
using Groups = std::array<std::uint16_t, group_count>;

bool is_v4(const Endpoint& endpoint) {
  return std::equal(v4_prefix.begin(), v4_prefix.end(), endpoint.address.begin());
}

Groups groups_of(const Endpoint& endpoint) {
  Groups groups;
  for (std::size_t i = 0; i < group_count; ++i)
    groups[i] =
        static_cast<std::uint16_t>(endpoint.address[2 * i] << 8U | endpoint.address[2 * i + 1]);
  return groups;
}

struct ZeroRun {
  std::size_t first = group_count;
  std::size_t count = 0;
};

// The first of the longest runs of two or more zeros (RFC 5952, 4.2): "::" stands for it.
ZeroRun longest_zeros(const Groups& groups) {
  ZeroRun longest;
  ZeroRun run;
  for (std::size_t i = 0; i < group_count; ++i) {
    if (groups[i] != 0)
      run = {};
    else if (run.count == 0)
      run = {.first = i, .count = 1};
    else
      ++run.count;
    if (run.count >= 2 && run.count > longest.count) longest = run;
  }
  return longest;
}

void write_v6(std::ostream& out, const Groups& groups) {
  const ZeroRun zeros = longest_zeros(groups);
  const std::ios_base::fmtflags flags = out.setf(std::ios_base::hex, std::ios_base::basefield);
  for (std::size_t i = 0; i < group_count; ++i) {
    if (i == zeros.first) {
      out << "::";
      i += zeros.count - 1;
      continue;
    }
    if (i != 0 && i != zeros.first + zeros.count) out << ':';
    out << groups[i];
  }
  out.flags(flags);
}

}  // namespace

Endpoint Endpoint::v4(std::uint32_t address, std::uint16_t port) {
  Endpoint endpoint{.port = port};
  std::copy(v4_prefix.begin(), v4_prefix.end(), endpoint.address.begin());
  for (std::size_t i = 0; i < 4; ++i)
    endpoint.address[12 + i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
  return endpoint;
}

bool Endpoint::is_of_one_host() const {
  if (port == 0) return false;
  if (!is_v4(*this)) return address[0] != 0xFF && address != decltype(address){};
  const bool is_nobodys = address[12] == 0;                         // RFC 1122, 3.2.1.3
  const bool is_of_many = address[12] >= 224 && address[12] < 240;  // RFC 5771
  const bool is_broadcast = std::all_of(address.begin() + 12, address.end(),
                                        [](std::uint8_t byte) { return byte == 0xFF; });
  return !is_nobodys && !is_of_many && !is_broadcast;
}

std::ostream& operator<<(std::ostream& out, const Endpoint& endpoint) {
  const auto& address = endpoint.address;
  if (is_v4(endpoint)) {
    for (std::size_t i = 12; i < 16; ++i) out << (i == 12 ? "" : ".") << +address[i];
  } else {
    out << '[';
    write_v6(out, groups_of(endpoint));
    out << ']';
  }
  return out << ':' << endpoint.port;
}

}  // namespace quadrille::wire

std::size_t std::hash<quadrille::wire::Endpoint>::operator()(
    const quadrille::wire::Endpoint& endpoint) const noexcept {
  return quadrille::hash_of(quadrille::bytes_of(std::span<const std::uint8_t>(endpoint.address)),
                            endpoint.port);
}
