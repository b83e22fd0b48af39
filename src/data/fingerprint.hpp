// The name that a data set's content gives it: two peers train on the same data exactly when
// their fingerprints are equal, and what was learnt of a set is cached beside it.
#pragma once

#include <string>

#include "data/dataset.hpp"

namespace quadrille::data {

// 32 hexadecimal digits: XXH3 of 128 bits over shape, count, labels and content, not the name.
std::string fingerprint_of(const Dataset& dataset);

}  // namespace quadrille::data
