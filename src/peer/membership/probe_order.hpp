// In which order members are probed: each place of the view once a round, in another order each
// round (SWIM 4.3), so that nobody waits longer than two rounds, and no two peers march in step.
//
// An order that takes no memory: start + k * stride, modulo a power of two, with an odd stride,
// visits every place once. A member that dies moves another one in the view, which this round may
// then miss or meet twice; the next one finds it.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace quadrille::peer {

class ProbeOrder {
 public:
  // The next of the places 0 to count - 1; count > 0.
  std::uint32_t next(std::uint32_t count, RandomStream& random);

 private:
  void begin_round(std::uint32_t count, RandomStream& random);

  std::uint32_t size_ = 0;  // a power of two, count to 2 * count - 1 of when the round began
  std::uint32_t start_ = 0;
  std::uint32_t stride_ = 1;
  std::uint32_t step_ = 0;
};

}  // namespace quadrille::peer
