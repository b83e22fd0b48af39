// The shared main of every test executable: Boost.Test's own costs 14 s a file when it is included.
#define BOOST_TEST_MODULE quadrille
#include <boost/test/unit_test.hpp>
