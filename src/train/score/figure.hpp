// One number about generated samples, with what it was measured on. A
// figure is never shown without its features and its N: the same name
// over other features, or over fewer samples, is another number.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace quadrille::train {

struct Figure {
  std::string name;  // "Frechet distance"
  double value;
  std::string features;  // "64 features of classifier 5f0c1a2b"
  std::size_t n;         // generated samples

  bool operator==(const Figure&) const = default;
};

// One line for each figure, in columns: name, value, N, features.
std::string report(std::span<const Figure> figures);

}  // namespace quadrille::train
