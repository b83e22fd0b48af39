#include "peer/membership/probe_order.hpp"

#include <bit>

#include "base/check.hpp"

namespace quadrille::peer {

std::uint32_t ProbeOrder::next(std::uint32_t count, RandomStream& random) {
  CHECK(count > 0);
  for (;;) {
    if (step_ == size_ || std::bit_ceil(count) != size_) begin_round(count, random);
    const std::uint32_t place = (start_ + step_++ * stride_) & (size_ - 1);
    if (place < count) return place;
  }
}

void ProbeOrder::begin_round(std::uint32_t count, RandomStream& random) {
  size_ = std::bit_ceil(count);
  start_ = random.next_u32();
  stride_ = random.next_u32() | 1U;
  step_ = 0;
}

}  // namespace quadrille::peer
