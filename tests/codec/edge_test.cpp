// Both ends of an edge hold the same bits, through losses, damage, restarts and values that
// overflow.
#include "codec/edge.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "codec/floats.hpp"

using namespace quadrille;
using namespace quadrille::codec;
using namespace quadrille::codec::test;

BOOST_AUTO_TEST_SUITE(edges)

namespace {

constexpr std::size_t count = 700;  // two whole blocks and a short one
constexpr CodecOptions differences = {CodecKind::Int8Difference, false};

// Weights that wander, as in training: each step adds a little to each.
class Walk {
 public:
  explicit Walk(std::uint64_t seed) : seed_(seed), values_(weights(count, seed)) {}

  const Floats& values() const { return values_; }
  const Floats& step() {
    const Floats moves = weights(count, ++seed_ * 1000, 0.002f);
    for (std::size_t i = 0; i < count; ++i) values_[i] += moves[i];
    return values_;
  }

 private:
  std::uint64_t seed_;
  Floats values_;
};

// Both ends, with what travels between them.
struct Ends {
  explicit Ends(CodecOptions options = differences) : sender(options, count), receiver(count) {}

  ByteBuffer send(const Floats& values) {
    ByteBuffer payload;
    BOOST_REQUIRE(sender.encode(encoder, values, payload).has_value());
    return payload;
  }
  void deliver(const ByteBuffer& payload) {
    const auto result = receiver.apply(decoder, payload);
    BOOST_REQUIRE_MESSAGE(result.has_value(), (result ? std::string() : result.error().detail));
    require_equal();
  }
  ErrorCode refuse(const ByteBuffer& payload) {
    const Floats before(receiver.replica().newest().begin(), receiver.replica().newest().end());
    const std::uint64_t version = receiver.replica().version();
    const auto result = receiver.apply(decoder, payload);
    BOOST_REQUIRE(!result.has_value());
    BOOST_REQUIRE(same_bits(receiver.replica().newest(), before));
    BOOST_REQUIRE_EQUAL(receiver.replica().version(), version);
    return result.error().code;
  }
  void require_equal() const {
    BOOST_REQUIRE_EQUAL(receiver.replica().version(), sender.replica().version());
    BOOST_REQUIRE(same_bits(receiver.replica().newest(), sender.replica().newest()));
  }

  Encoder encoder;
  Decoder decoder;
  SendingEdge sender;
  ReceivingEdge receiver;
};

double largest_error(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(double(a[i]) - double(b[i])));
  return largest;
}

CodecKind kind_of(const ByteBuffer& payload) {
  return static_cast<CodecKind>(payload[4]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(both_ends_and_a_reader_in_the_process_hold_the_same_bits) {
  for (std::size_t kind = 0; kind < codec_kind_count; ++kind)
    for (const bool zstd : {false, true}) {
      const CodecOptions options{static_cast<CodecKind>(kind), zstd};
      Ends ends(options);
      SendingEdge in_process(options, count);
      Walk walk(kind);
      for (int step = 0; step < 300; ++step) {
        ends.deliver(ends.send(walk.step()));
        BOOST_REQUIRE(in_process.advance(walk.values()).has_value());
        BOOST_REQUIRE(same_bits(in_process.replica().newest(), ends.sender.replica().newest()));
        BOOST_REQUIRE_EQUAL(in_process.replica().version(), ends.sender.replica().version());
      }
    }
}

BOOST_AUTO_TEST_CASE(the_same_holds_for_sizes_beyond_one_piece) {
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 10'000u})
    for (const CodecKind kind : {CodecKind::Int8, CodecKind::Int8Difference}) {
      Encoder encoder;
      ByteBuffer payload;
      SendingEdge by_payload({kind, true}, size);
      SendingEdge in_process({kind, true}, size);
      for (std::uint64_t step = 1; step < 5; ++step) {
        const Floats values = weights(size, step);
        BOOST_REQUIRE(by_payload.encode(encoder, values, payload).has_value());
        BOOST_REQUIRE(in_process.advance(values).has_value());
        BOOST_REQUIRE(same_bits(by_payload.replica().newest(), in_process.replica().newest()));
      }
    }
}

BOOST_AUTO_TEST_CASE(a_decoded_difference_is_replica_plus_code_times_scale) {
  Ends ends;
  ends.deliver(ends.send(weights(count, 1)));
  const Floats base(ends.receiver.replica().newest().begin(),
                    ends.receiver.replica().newest().end());
  const ByteBuffer payload = ends.send(weights(count, 2));
  ends.deliver(payload);
  const std::byte* scales = payload.data() + header_bytes;
  const std::byte* codes = scales + 6;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* scale = scales + 2 * (i / 256);
    const float step = std::bit_cast<float>(std::to_integer<std::uint32_t>(scale[0]) << 16 |
                                            std::to_integer<std::uint32_t>(scale[1]) << 24);
    const float product = static_cast<float>(std::to_integer<std::int8_t>(codes[i])) * step;
    BOOST_REQUIRE_EQUAL(bits_of(ends.receiver.replica().newest()[i]), bits_of(base[i] + product));
  }
}

BOOST_AUTO_TEST_CASE(a_first_payload_is_exact_and_the_next_are_differences) {
  Ends ends;
  const ByteBuffer first = ends.send(weights(count, 1));
  BOOST_CHECK(kind_of(first) == CodecKind::Fp32);
  ends.deliver(first);
  BOOST_TEST(same_bits(ends.receiver.replica().newest(), weights(count, 1)));
  BOOST_CHECK(kind_of(ends.send(weights(count, 2))) == CodecKind::Int8Difference);
}

BOOST_AUTO_TEST_CASE(a_lost_payload_is_noticed_and_a_keyframe_mends_it) {
  Ends ends;
  Walk walk(1);
  ends.deliver(ends.send(walk.step()));
  ends.deliver(ends.send(walk.step()));
  ends.send(walk.step());  // lost
  BOOST_CHECK(ends.refuse(ends.send(walk.step())) == ErrorCode::Mismatch);
  ByteBuffer keyframe;
  ends.sender.keyframe(ends.encoder, keyframe);
  ends.deliver(keyframe);
  ends.deliver(ends.send(walk.step()));
}

BOOST_AUTO_TEST_CASE(losses_and_keyframes_do_not_change_the_course_of_the_replica) {
  Ends ends(CodecOptions{});
  SendingEdge undisturbed(CodecOptions{}, count);
  RandomStream random(stream_key(1, "losses", 0));
  Walk walk(2);
  int mended = 0;
  for (int step = 0; step < 300; ++step) {
    const ByteBuffer payload = ends.send(walk.step());
    BOOST_REQUIRE(undisturbed.advance(walk.values()).has_value());
    if (random.below(4) == 0) continue;  // lost
    if (!ends.receiver.apply(ends.decoder, payload)) {
      ByteBuffer keyframe;
      ends.sender.keyframe(ends.encoder, keyframe);
      ends.deliver(keyframe);
      ++mended;
    }
    ends.require_equal();
    BOOST_REQUIRE(same_bits(ends.receiver.replica().newest(), undisturbed.replica().newest()));
  }
  BOOST_TEST(mended > 20);
}

BOOST_AUTO_TEST_CASE(a_repeated_or_late_difference_is_a_mismatch) {
  Ends ends;
  ends.deliver(ends.send(weights(count, 1)));
  const ByteBuffer second = ends.send(weights(count, 2));
  ends.deliver(second);
  BOOST_CHECK(ends.refuse(second) == ErrorCode::Mismatch);
  ends.deliver(ends.send(weights(count, 3)));
  BOOST_CHECK(ends.refuse(second) == ErrorCode::Mismatch);
}

BOOST_AUTO_TEST_CASE(a_difference_from_other_bits_of_the_same_version_is_a_mismatch) {
  Ends ends;
  ends.deliver(ends.send(weights(count, 1)));
  Floats changed = weights(count, 1);
  changed[13] = std::nextafter(changed[13], 1.0f);
  ends.receiver.restore(1, changed);
  BOOST_CHECK(ends.refuse(ends.send(weights(count, 2))) == ErrorCode::Mismatch);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_holds_nothing_needs_a_keyframe) {
  Ends ends;
  BOOST_REQUIRE(ends.sender.advance(weights(count, 1)).has_value());
  BOOST_CHECK(ends.refuse(ends.send(weights(count, 2))) == ErrorCode::Mismatch);
  ByteBuffer keyframe;
  ends.sender.keyframe(ends.encoder, keyframe);
  ends.deliver(keyframe);
}

BOOST_AUTO_TEST_CASE(a_payload_without_a_version_is_a_mismatch) {
  Ends ends;
  ByteBuffer payload;
  BOOST_REQUIRE(
      ends.encoder.encode(weights(count, 1), {CodecKind::Fp32, false}, payload).has_value());
  BOOST_CHECK(ends.refuse(payload) == ErrorCode::Mismatch);
}

BOOST_AUTO_TEST_CASE(rounding_errors_do_not_add_up) {
  Ends ends;
  Walk walk(3);
  for (int step = 0; step < 500; ++step) {
    const Floats before(ends.sender.replica().newest().begin(),
                        ends.sender.replica().newest().end());
    ends.send(walk.step());
    if (before.empty()) continue;
    // Half a code's step of the largest difference, and the float's own rounding, however long it
    // runs.
    const double bound = largest_error(before, walk.values()) / 254 * 1.02 + 1e-7;
    BOOST_REQUIRE_LE(largest_error(ends.sender.replica().newest(), walk.values()), bound);
  }
}

BOOST_AUTO_TEST_CASE(values_that_stand_still_are_reached_to_the_last_bits) {
  Ends ends;
  Walk walk(4);
  for (int step = 0; step < 10; ++step) ends.send(walk.step());
  for (int step = 0; step < 6; ++step) ends.send(walk.values());
  BOOST_TEST(largest_error(ends.sender.replica().newest(), walk.values()) < 2e-8);
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_change_nothing) {
  for (std::size_t kind = 0; kind < codec_kind_count; ++kind) {
    Ends ends({static_cast<CodecKind>(kind), true});
    ends.deliver(ends.send(weights(count, 1)));
    Floats bad = weights(count, 2);
    bad[600] = NAN;
    ByteBuffer payload;
    const auto encoded = ends.sender.encode(ends.encoder, bad, payload);
    const auto advanced = ends.sender.advance(bad);
    for (const auto& result : {encoded, advanced}) {
      BOOST_REQUIRE(!result.has_value());
      BOOST_CHECK(result.error().code == ErrorCode::NotFinite);
      BOOST_TEST(result.error().detail.find("value 600 of 700") != std::string::npos);
    }
    ends.require_equal();
    ends.deliver(ends.send(weights(count, 3)));
  }
}

BOOST_AUTO_TEST_CASE(a_bad_value_beyond_the_first_piece_is_named_by_its_own_index) {
  for (const CodecKind kind : {CodecKind::Fp16, CodecKind::Int8Difference}) {
    SendingEdge edge({kind, false}, 10'000);
    Floats bad = weights(10'000, 1);
    bad[9000] = HUGE_VALF;
    const auto result = edge.advance(bad);
    BOOST_REQUIRE(!result.has_value());
    BOOST_TEST(result.error().detail.find("value 9000 of 10000") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_difference_that_overflows_goes_as_an_exact_payload) {
  constexpr float max = std::numeric_limits<float>::max();
  Ends ends;
  SendingEdge in_process(differences, count);
  for (const float value : {max, -max, 0.0f, max, std::nextafter(max, 0.0f), max}) {
    ends.deliver(ends.send(Floats(count, value)));
    BOOST_REQUIRE(in_process.advance(Floats(count, value)).has_value());
    ends.require_equal();
    BOOST_TEST(same_bits(ends.receiver.replica().newest(), in_process.replica().newest()));
  }
}

BOOST_AUTO_TEST_CASE(both_ends_go_on_from_a_checkpoint_with_the_same_bits) {
  Ends ends;
  Walk walk(5);
  for (int step = 0; step < 5; ++step) ends.deliver(ends.send(walk.step()));
  Ends resumed;
  resumed.sender.restore(ends.sender.replica().version(), ends.sender.replica().newest());
  resumed.receiver.restore(ends.receiver.replica().version(), ends.receiver.replica().newest());
  for (int step = 0; step < 5; ++step) {
    ends.deliver(ends.send(walk.step()));
    resumed.deliver(resumed.send(walk.values()));
    BOOST_TEST(same_bits(resumed.receiver.replica().newest(), ends.receiver.replica().newest()));
  }
}

BOOST_AUTO_TEST_CASE(the_state_before_the_newest_stays_readable) {
  SendingEdge edge(differences, count);
  BOOST_TEST(edge.replica().newest().empty());
  BOOST_REQUIRE(edge.advance(weights(count, 1)).has_value());
  BOOST_TEST(edge.replica().previous().empty());
  const std::span<const float> first = edge.replica().newest();
  BOOST_REQUIRE(edge.advance(weights(count, 2)).has_value());
  BOOST_TEST(same_bits(first, weights(count, 1)));
  BOOST_TEST(edge.replica().previous().data() == first.data());
  edge.restore(7, weights(count, 3));
  BOOST_TEST(edge.replica().previous().empty());
}

BOOST_AUTO_TEST_CASE(what_a_refused_state_was_written_over_is_not_shown) {
  Ends ends;
  for (const std::uint64_t seed : {1u, 2u}) ends.deliver(ends.send(weights(count, seed)));
  BOOST_TEST(same_bits(ends.receiver.replica().previous(), weights(count, 1)));
  BOOST_REQUIRE(!ends.sender.advance(Floats(count, NAN)).has_value());
  BOOST_TEST(ends.sender.replica().previous().empty());
  ends.require_equal();

  ByteBuffer infinite = ends.send(weights(count, 3));
  std::ranges::fill(std::span(infinite).subspan(header_bytes, 2), std::byte{0x7f});  // a scale
  set_checksum(infinite);
  BOOST_CHECK(ends.refuse(infinite) == ErrorCode::Corrupt);
  BOOST_TEST(ends.receiver.replica().previous().empty());
}

BOOST_AUTO_TEST_SUITE_END()
