// An index into an array that somebody else owns: a hash table of places, four bytes a slot, with
// linear probing (Knuth, TAOCP 3, 6.4; Algorithm R removes). The keys stay in the array, so the
// owner says what the key at a place hashes to.
//
// A simulation holds one for every peer's view, a hundred million entries in all: an unordered_map
// would take eight times as much.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace quadrille::peer {

class PlaceTable {
 public:
  using Place = std::uint32_t;
  static constexpr Place none = std::numeric_limits<Place>::max();

  // For so many entries without growing. The table is empty still.
  void reserve(std::size_t count) {
    CHECK(count_ == 0, count_);
    slots_.assign(std::bit_ceil(std::max<std::size_t>(8, count / 3 * 4 + 4)), none);
  }

  // A place with this hash that `matches`, or none.
  template <class Matches>
  Place find(std::uint64_t hash, Matches matches) const {
    if (slots_.empty()) return none;
    std::size_t slot = home(hash);
    while (slots_[slot] != none && !matches(slots_[slot])) slot = after(slot);
    return slots_[slot];
  }

  template <class HashAt>
  void insert(std::uint64_t hash, Place place, HashAt hash_at) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow(hash_at);
    ++count_;
    fill(hash, place);
  }

  // Entries behind the hole move up, as long as that brings them no further than their home.
  template <class HashAt>
  void erase(std::uint64_t hash, Place place, HashAt hash_at) {
    std::size_t hole = slot_of(hash, place);
    for (std::size_t slot = after(hole); slots_[slot] != none; slot = after(slot)) {
      if (distance(home(hash_at(slots_[slot])), slot) < distance(hole, slot)) continue;
      slots_[hole] = slots_[slot];
      hole = slot;
    }
    slots_[hole] = none;
    --count_;
  }

  // What stood at one place of the array stands at another now.
  void move(std::uint64_t hash, Place from, Place to) { slots_[slot_of(hash, from)] = to; }
  void exchange(std::uint64_t hash_a, Place a, std::uint64_t hash_b, Place b) {
    std::swap(slots_[slot_of(hash_a, a)], slots_[slot_of(hash_b, b)]);
  }

  std::size_t bytes_held() const { return slots_.capacity() * sizeof(Place); }

 private:
  std::size_t home(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  std::size_t after(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const {
    return (to - from) & (slots_.size() - 1);
  }
  std::size_t slot_of(std::uint64_t hash, Place place) const {
    std::size_t slot = home(hash);
    while (slots_[slot] != place) {
      CHECK(slots_[slot] != none, place);
      slot = after(slot);
    }
    return slot;
  }
  void fill(std::uint64_t hash, Place place) {
    std::size_t slot = home(hash);
    while (slots_[slot] != none) slot = after(slot);
    slots_[slot] = place;
  }
  template <class HashAt>
  void grow(HashAt hash_at) {
    const std::vector<Place> before = std::exchange(
        slots_, std::vector<Place>(std::max<std::size_t>(8, slots_.size() * 2), none));
    for (const Place place : before)
      if (place != none) fill(hash_at(place), place);
  }

  std::vector<Place> slots_;  // a power of two of them, three quarters taken at most
  std::size_t count_ = 0;
};

}  // namespace quadrille::peer
