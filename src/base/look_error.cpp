#include "base/look_error.hpp"

namespace quadrille {

Error look_error(std::error_code reason, std::string_view next_step) {
  const bool no_path =
      reason == std::errc::filename_too_long || reason == std::errc::too_many_symbolic_link_levels;
  return {no_path ? ErrorCode::Mismatch : ErrorCode::Io,
          "cannot be looked at: " + reason.message() + "; " + std::string(next_step)};
}

Error look_error(const std::filesystem::path& path, std::error_code reason,
                 std::string_view next_step) {
  return failure_in(path.string(), look_error(reason, next_step)).error();
}

}  // namespace quadrille
