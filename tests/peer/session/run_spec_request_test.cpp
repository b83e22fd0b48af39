// A newcomer without a run asks its seeds.
#include "peer/session/run_spec_request.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

#include "wire/frame.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(run_spec_request)

namespace {

const std::vector<wire::Endpoint> seeds = {wire::Endpoint::v4(1, 7746),
                                           wire::Endpoint::v4(2, 7746)};

struct Newcomer {
  TimePoint now{1s};
  Effects out;
  RunSpecRequest request{seeds, {.high = 1, .low = 1}, RandomStream(1)};

  // The seed that is being asked, and the stream to it.
  OpenStream asked() {
    for (const Effects::StreamAction& action : out.streams)
      if (const auto* open = std::get_if<OpenStream>(&action)) return *open;
    BOOST_FAIL("nobody is asked");
    return {};
  }
  OpenStream start() {
    request.start(now, out);
    return asked();
  }
  OpenStream wait() {
    out.clear();
    now = request.wake_at();
    request.on_time(now, out);
    return asked();
  }
};

ByteBuffer welcome() {
  return wire::encode_frame(
      wire::FrameType::Welcome, 0,
      wire::encode(wire::Welcome{
          .version = 1, .run = {.high = 5, .low = 6}, .sender = {.high = 2, .low = 2}}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_answer_of_the_first_seed_that_gives_one_counts) {
  Newcomer newcomer;
  const OpenStream first = newcomer.start();
  BOOST_TEST(first.to == seeds[0]);
  newcomer.request.on_open_failed(first.stream, newcomer.now, newcomer.out);
  BOOST_TEST(newcomer.request.problem().find(":7746: no connection") != std::string::npos);

  const OpenStream second = newcomer.wait();
  BOOST_TEST(second.to == seeds[1]);
  BOOST_TEST((newcomer.now == TimePoint{1s}));  // the first round has no pauses
  newcomer.request.on_opened(second.stream, newcomer.now, newcomer.out);
  newcomer.request.on_bytes(second.stream, welcome(), newcomer.now, newcomer.out);
  const wire::RunSpecText text{.run = {.high = 5, .low = 6}, .toml = "[run]\nname = \"x\"\n"};
  newcomer.request.on_bytes(second.stream,
                            wire::encode_frame(wire::FrameType::RunSpec, 1, wire::encode(text)),
                            newcomer.now, newcomer.out);
  BOOST_REQUIRE(newcomer.request.answer());
  BOOST_CHECK(*newcomer.request.answer() == text);
  BOOST_TEST((newcomer.request.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(silent_seeds_are_asked_again_for_ever_with_growing_pauses) {
  Newcomer newcomer;
  newcomer.start();
  Duration longest{};
  for (int i = 0; i < 200; ++i) {
    const TimePoint before = newcomer.now;
    newcomer.out.clear();
    newcomer.now = newcomer.request.wake_at();
    newcomer.request.on_time(newcomer.now, newcomer.out);
    longest = std::max(longest, newcomer.now - before);
    BOOST_TEST((newcomer.now - before <= RunSpecRequest::retry_max));
  }
  BOOST_TEST((longest > 15s));
  BOOST_TEST(newcomer.request.attempts() == 101U);
  BOOST_TEST(!newcomer.request.answer());
}

BOOST_AUTO_TEST_CASE(a_seed_that_answers_with_garbage_is_passed_over) {
  Newcomer newcomer;
  const OpenStream first = newcomer.start();
  newcomer.request.on_opened(first.stream, newcomer.now, newcomer.out);
  newcomer.request.on_bytes(first.stream, ByteBuffer(40, std::byte{1}), newcomer.now, newcomer.out);
  BOOST_TEST(!newcomer.request.answer());
  BOOST_TEST(newcomer.wait().to == seeds[1]);
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_no_run_spec_is_a_failure_of_that_seed) {
  Newcomer newcomer;
  const OpenStream first = newcomer.start();
  newcomer.request.on_opened(first.stream, newcomer.now, newcomer.out);
  newcomer.request.on_bytes(first.stream, welcome(), newcomer.now, newcomer.out);
  newcomer.request.on_bytes(first.stream,
                            wire::encode_frame(wire::FrameType::RunSpec, 1, ByteBuffer(9)),
                            newcomer.now, newcomer.out);
  BOOST_TEST(!newcomer.request.problem().empty());
  BOOST_TEST(newcomer.wait().to == seeds[1]);
}

BOOST_AUTO_TEST_SUITE_END()
