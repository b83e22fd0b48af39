// Encoding and decoding take no memory once they have seen a size: operator new is counted.
#include <boost/test/unit_test.hpp>

#include "codec/edge.hpp"
#include "codec/floats.hpp"
#include "support/allocation_count.hpp"

using namespace quadrille;
using namespace quadrille::codec;
using namespace quadrille::codec::test;

BOOST_AUTO_TEST_SUITE(allocation)

BOOST_AUTO_TEST_CASE(an_edge_allocates_nothing_after_its_first_payloads) {
  constexpr std::size_t count = 5000;
  for (std::size_t kind = 0; kind < codec_kind_count; ++kind)
    for (const bool zstd : {false, true}) {
      Encoder encoder;
      Decoder decoder;
      SendingEdge sender({static_cast<CodecKind>(kind), zstd}, count);
      ReceivingEdge receiver(count);
      ByteBuffer payload;
      const Floats values[] = {weights(count, 1), weights(count, 2), weights(count, 3)};
      std::size_t warm = 0;
      bool good = true;
      for (std::size_t step = 0; step < 10; ++step) {
        if (step == 3) warm = quadrille::test::allocation_count();
        good = good && sender.encode(encoder, values[step % 3], payload).has_value();
        good = good && receiver.apply(decoder, payload).has_value();
        if (step % 4 == 1) sender.keyframe(encoder, payload);
      }
      const std::size_t allocated = quadrille::test::allocation_count() - warm;
      BOOST_TEST(good);
      BOOST_TEST(allocated == 0u, codec_name(static_cast<CodecKind>(kind)) << ' ' << zstd);
    }
}

BOOST_AUTO_TEST_SUITE_END()
