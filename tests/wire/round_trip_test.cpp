// What holds for every body: it comes back as it was sent, and no damage to it does harm.
#include <boost/test/unit_test.hpp>

#include "base/random.hpp"
#include "wire/limits.hpp"
#include "wire/samples.hpp"

using namespace quadrille;
using namespace quadrille::wire;
using namespace quadrille::wire::test;

BOOST_AUTO_TEST_SUITE(round_trips)

namespace {

// Runs what(body, random) for some random bodies of every kind.
template <class What>
void for_samples(int count, const What& what) {
  RandomStream random(stream_key(1, "samples", 0));
  for (const BodyKind& kind : every_body()) {
    BOOST_TEST_CONTEXT(kind.name) {
      for (int trial = 0; trial < count; ++trial) what(kind, kind.sample(random), random);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_body_is_decoded_to_what_was_encoded_and_encoded_to_the_same_bytes) {
  for_samples(200, [](const BodyKind& kind, const ByteBuffer& body, RandomStream&) {
    const auto again = kind.rewrite(body);
    BOOST_REQUIRE(again.has_value());
    BOOST_REQUIRE(*again == body);
  });
}

BOOST_AUTO_TEST_CASE(every_body_fits_the_limit_of_its_frame) {
  for_samples(200, [](const BodyKind& kind, const ByteBuffer& body, RandomStream&) {
    if (kind.frame) BOOST_REQUIRE_LE(body.size(), body_bytes_max(*kind.frame).value());
  });
}

BOOST_AUTO_TEST_CASE(a_body_may_lie_at_any_address) {
  for_samples(20, [](const BodyKind& kind, const ByteBuffer& body, RandomStream&) {
    for (std::size_t offset = 0; offset < 8; ++offset) {
      ByteBuffer moved(offset);
      moved.insert(moved.end(), body.begin(), body.end());
      const auto again = kind.rewrite(Bytes(moved).subspan(offset));
      BOOST_REQUIRE(again.has_value());
      BOOST_REQUIRE(*again == body);
    }
  });
}

BOOST_AUTO_TEST_CASE(a_body_that_is_cut_short_is_refused_or_whole_without_its_end) {
  for_samples(3, [](const BodyKind& kind, const ByteBuffer& body, RandomStream&) {
    for (std::size_t size = 0; size < body.size(); ++size) {
      const auto cut = kind.rewrite(Bytes(body).first(size));
      // All but padding is needed.
      if (size + 8 <= body.size()) BOOST_REQUIRE(!cut.has_value());
    }
  });
}

BOOST_AUTO_TEST_CASE(a_body_with_damaged_bytes_is_refused_or_obeys_the_rules) {
  for_samples(300, [](const BodyKind& kind, ByteBuffer body, RandomStream& random) {
    const std::uint32_t count = 1 + random.below(4);
    for (std::uint32_t i = 0; i < count; ++i)
      body[random.below(static_cast<std::uint32_t>(body.size()))] =
          static_cast<std::byte>(random.below(256));
    // encode() CHECKs the rules; what it wrote is what it reads.
    if (const auto once = kind.rewrite(body)) {
      const auto twice = kind.rewrite(*once);
      BOOST_REQUIRE(twice.has_value());
      BOOST_REQUIRE(*twice == *once);
    }
  });
}

BOOST_AUTO_TEST_CASE(a_datagram_is_decoded_to_what_was_encoded) {
  RandomStream random(stream_key(1, "datagrams", 1));
  for (int trial = 0; trial < 5000; ++trial) {
    const Datagram datagram = any_datagram(random);
    const auto decoded = decode_datagram(encode(datagram));
    BOOST_REQUIRE(decoded.has_value());
    BOOST_REQUIRE(*decoded == datagram);
  }
}

BOOST_AUTO_TEST_CASE(no_body_passes_for_one_of_another_family) {
  RandomStream random(stream_key(1, "families", 0));
  const auto body = [&](std::string_view name) {
    return std::ranges::find(every_body(), name, &BodyKind::name);
  };
  BOOST_TEST(!body("digest")->rewrite(body("hello")->sample(random)).has_value());
  BOOST_TEST(!body("credit")->rewrite(body("state-end")->sample(random)).has_value());
  BOOST_TEST(!body("watch-begin")->rewrite(body("subscribe")->sample(random)).has_value());
  BOOST_TEST(!body("record")->rewrite(body("watch-events")->sample(random)).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
