// All that an error says, a problem a line, as a person sees it.
#pragma once

#include <string>

#include "base/result.hpp"

namespace quadrille::test {

inline std::string text_of(const Error& error) {
  std::string text = error.detail;
  for (const std::string& problem : error.more) text += "\n" + problem;
  return text;
}

}  // namespace quadrille::test
