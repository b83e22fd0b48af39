#include "train/score/figure.hpp"

#include <algorithm>
#include <cstdio>

namespace quadrille::train {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

std::string report(std::span<const Figure> figures) {
  std::size_t name_width = 0;
  for (const Figure& figure : figures) name_width = std::max(name_width, figure.name.size());
  std::string out;
  for (const Figure& figure : figures) {
    out += padded(figure.name, name_width + 2) + padded(four_digits(figure.value), 11);
    out += padded("N " + std::to_string(figure.n), 10) + figure.features + "\n";
  }
  return out;
}

}  // namespace quadrille::train
