#include "base/hash.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace quadrille {

std::uint64_t hash_of(Bytes bytes, std::uint64_t seed) {
  std::uint64_t hash = chain(seed, bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof(word));
    std::memcpy(&word, bytes.data(), count);
    hash = chain(hash, word);
    bytes = bytes.subspan(count);
  }
  return hash;
}

}  // namespace quadrille
