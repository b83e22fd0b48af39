// A hash over many bytes, for the history of a world: several times as fast as hash_of(), since
// four lanes do not wait for each other. Compared between runs of one build only.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace quadrille::sim {

// Of the bytes and their count, after what was hashed before. Inputs that differ in one word differ
// in their hashes: every step is a bijection of its lane.
std::uint64_t quick_hash(Bytes bytes, std::uint64_t before);

}  // namespace quadrille::sim
