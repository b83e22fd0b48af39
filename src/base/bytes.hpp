// Bytes as every module passes them: a view to read, a vector to own.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace quadrille {

using Bytes = std::span<const std::byte>;
using ByteBuffer = std::vector<std::byte>;

// The memory of plain values, as bytes in this machine's
// order (little-endian on every platform we support).
template <class T>
Bytes bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

// Whether they are the same. std::ranges::equal() compares std::byte one by one (GCC 12).
inline bool same_bytes(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace quadrille
