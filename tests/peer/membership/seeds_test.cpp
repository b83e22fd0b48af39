// A peer tries its seeds in turn, for ever, in ever longer and random pauses.
#include "peer/membership/seeds.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(seeds)

namespace {

using Endpoints = std::vector<wire::Endpoint>;
const MembershipOptions options;

}  // namespace

BOOST_AUTO_TEST_CASE(own_addresses_and_repetitions_are_no_seeds) {
  const Endpoints own = {endpoint_of(1), endpoint_of(2)};
  BOOST_TEST(Seeds(own, own).empty());
  RandomStream random(stream_key(1, "seeds", 0));
  Seeds seeds(Endpoints{endpoint_of(1), endpoint_of(3), endpoint_of(3)}, own);
  seeds.begin(at(seconds(1)), random);
  BOOST_TEST(seeds.take_due(at(seconds(1))).value() == endpoint_of(3));
}

BOOST_AUTO_TEST_CASE(all_have_their_turn_and_pauses_grow_to_the_longest_and_no_further) {
  RandomStream random(stream_key(1, "seeds", 1));
  Seeds seeds(Endpoints{endpoint_of(1), endpoint_of(2), endpoint_of(3)}, {});
  TimePoint now = at(seconds(1));
  seeds.begin(now, random);
  std::map<wire::Endpoint, int> attempts;
  Duration longest{};
  for (int attempt = 0; attempt < 300; ++attempt) {
    const auto seed = seeds.take_due(now);
    BOOST_REQUIRE(seed.has_value());
    ++attempts[*seed];
    seeds.on_failed(*seed, options, now, random);
    const Duration pause = *seeds.wake_at() - now;
    BOOST_REQUIRE((pause <= options.join_retry_max));
    if (attempt < 3) BOOST_TEST((pause <= options.join_retry_min));
    longest = std::max(longest, pause);
    now = *seeds.wake_at();
  }
  BOOST_TEST((longest > seconds(25)));
  for (std::uint32_t number = 1; number <= 3; ++number)
    BOOST_TEST(attempts[endpoint_of(number)] == 100);
}

BOOST_AUTO_TEST_CASE(an_attempt_that_nobody_reports_on_ends_by_itself) {
  RandomStream random(stream_key(1, "seeds", 2));
  Seeds seeds(Endpoints{endpoint_of(1)}, {});
  seeds.begin(at(seconds(1)), random);
  BOOST_TEST(seeds.take_due(at(seconds(1))).has_value());
  BOOST_TEST(!seeds.take_due(at(seconds(2))).has_value());
  BOOST_TEST(seeds.take_due(at(seconds(16))).has_value());
}

BOOST_AUTO_TEST_CASE(the_failure_of_another_stream_is_not_the_attempts) {
  RandomStream random(stream_key(1, "seeds", 3));
  Seeds seeds(Endpoints{endpoint_of(1)}, {});
  seeds.begin(at(seconds(1)), random);
  seeds.take_due(at(seconds(1)));
  seeds.on_failed(endpoint_of(2), options, at(seconds(2)), random);
  BOOST_TEST((seeds.wake_at() == at(seconds(16))));
}

BOOST_AUTO_TEST_CASE(after_joining_there_are_no_more_attempts) {
  RandomStream random(stream_key(1, "seeds", 4));
  Seeds seeds(Endpoints{endpoint_of(1)}, {});
  seeds.begin(at(seconds(1)), random);
  seeds.end();
  BOOST_TEST(!seeds.take_due(at(seconds(100))).has_value());
  seeds.on_failed(endpoint_of(1), options, at(seconds(100)), random);
  BOOST_TEST(!seeds.wake_at().has_value());
}

BOOST_AUTO_TEST_SUITE_END()
