// Two views become one over a stream of purpose Sync.
#include "peer/session/anti_entropy.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(anti_entropy)

BOOST_AUTO_TEST_SUITE_END()
