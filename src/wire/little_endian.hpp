// Numbers in the fixed heads of datagrams, frames and chunks. The wire is little-endian, and so is
// every platform that we support.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace quadrille::wire {

static_assert(std::endian::native == std::endian::little);

// The caller has checked that there are sizeof(Number) bytes.
template <class Number>
Number load_little(const std::byte* from) {
  static_assert(std::is_integral_v<Number>);
  Number value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Number>
void store_little(std::byte* to, Number value) {
  static_assert(std::is_integral_v<Number>);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace quadrille::wire
