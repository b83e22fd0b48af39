// Whose fault it is that a path cannot be looked at: the path's, or the system's.
#include "base/look_error.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(look_errors)

namespace {

Error error_of(std::errc reason) {
  return look_error("a/b", std::make_error_code(reason), "give another");
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_path_the_reason_and_the_next_step_are_named) {
  BOOST_TEST(error_of(std::errc::permission_denied).detail ==
             "a/b: cannot be looked at: Permission denied; give another");
}

BOOST_AUTO_TEST_CASE(a_path_that_can_be_none_is_no_fault_of_the_system) {
  BOOST_TEST((error_of(std::errc::filename_too_long).code == ErrorCode::Mismatch));
  BOOST_TEST((error_of(std::errc::too_many_symbolic_link_levels).code == ErrorCode::Mismatch));
  BOOST_TEST((error_of(std::errc::permission_denied).code == ErrorCode::Io));
  BOOST_TEST((error_of(std::errc::io_error).code == ErrorCode::Io));
}

BOOST_AUTO_TEST_SUITE_END()
