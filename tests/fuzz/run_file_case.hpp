// One fuzzed run file. CHECKs that every complaint is a line that names the file, and that what is
// accepted prints as a file of the same run.
#pragma once

#include <string_view>

namespace quadrille::fuzz {

void run_file_case(std::string_view text);

}  // namespace quadrille::fuzz
