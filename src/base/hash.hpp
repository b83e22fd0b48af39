// Hashes that every peer computes alike: of numbers, and of short byte strings. Fixed for ever,
// since peers compare them; not against an adversary (who has the run's key is trusted).
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace quadrille {

// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014): a bijection whose every output bit depends on every input bit.
constexpr std::uint64_t mix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// A hash over a sequence of numbers, in order: hash = chain(chain(seed, a), b).
constexpr std::uint64_t chain(std::uint64_t hash, std::uint64_t value) {
  return mix64(hash ^ mix64(value));
}

// The bytes as little-endian words of eight, the last one padded with zeros, after their count.
std::uint64_t hash_of(Bytes bytes, std::uint64_t seed = 0);

}  // namespace quadrille
