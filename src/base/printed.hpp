// Values as one text, one after the other, each as its stream operator prints it.
#pragma once

#include <sstream>
#include <string>
#include <utility>

namespace quadrille {

template <class... Values>
std::string printed(const Values&... values) {
  std::ostringstream out;
  (out << ... << values);
  return std::move(out).str();
}

}  // namespace quadrille
