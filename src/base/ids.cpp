#include "base/ids.hpp"

#include <iomanip>

namespace quadrille {
namespace {

std::ostream& print(std::ostream& out, std::uint64_t high, std::uint64_t low) {
  const auto flags = out.flags();
  const char fill = out.fill('0');
  out << std::hex << std::setw(16) << high << std::setw(16) << low;
  out.fill(fill);
  out.flags(flags);
  return out;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, PeerId peer) {
  return print(out, peer.high, peer.low);
}

std::ostream& operator<<(std::ostream& out, RunId run) {
  return print(out, run.high, run.low);
}

}  // namespace quadrille
