// The error of a path whose state the system does not tell: it may be there or not, so it is not
// called missing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.hpp"

namespace quadrille {

// "PATH: cannot be looked at: File name too long; NEXT STEP". Io where the system refuses or fails;
// Mismatch where the path itself can be none: a name too long, links that go round.
Error look_error(const std::filesystem::path& path, std::error_code reason,
                 std::string_view next_step);

// The same for a caller who names the path: "cannot be looked at: ...".
Error look_error(std::error_code reason, std::string_view next_step);

}  // namespace quadrille
