// What --help says beyond the list of flags.
#pragma once

#include <string_view>

namespace quadrille::node::help {

extern const std::string_view overview;
extern const std::string_view overview_end;
extern const std::string_view sample;
extern const std::string_view evaluate;
extern const std::string_view data_check;
extern const std::string_view check;
extern const std::string_view extend;
extern const std::string_view bench;

}  // namespace quadrille::node::help
