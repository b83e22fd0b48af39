// Two peers, frame by frame: what travels from the first subscription on.
#include <boost/test/unit_test.hpp>

#include "peer/exchange/fleet.hpp"
#include "peer/exchange/frame_text.hpp"
#include "peer/exchange/toy_learners.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(transcripts)

namespace {

using Lines = std::vector<std::string>;

// What peer 0 (cell 0) and peer 1 (cell 1) say on the stream that peer 1 dialled, in the order in
// which it is said: ">" by the owner of cell 0, "<" by its reader.
struct Recorder {
  explicit Recorder(Fleet& fleet) {
    fleet.on_sent = [this](std::size_t from, std::size_t, const OutFrame& frame) {
      const bool of_dialler = frame.stream.value % 2 == 1;
      if ((from == 1) == of_dialler) lines.push_back((from == 0 ? "> " : "< ") + text_of(frame));
      return true;
    };
  }
  Lines lines;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_keyframe_and_then_differences_each_acknowledged) {
  Log log;
  Fleet fleet(
      2, {.synchronous = true, .difference_bytes = 20'000, .keyframe_bytes = 40'000},
      [&](std::size_t) { return std::make_unique<GenerationLearner>(complete(2), log, true, 2); });
  fleet.place({0}, 0);
  fleet.place({1}, 1);
  Recorder recorder(fleet);
  fleet.start();
  fleet.run_for(seconds(1));
  const Lines expected = {
      "< Credit 8388608",
      "< Subscribe 0>1 holds v0 degree 1",
      "> PayloadBegin 0>1 transfer 1 round 0.0 v0-v1 bytes 40000 degree 1",
      "> Chunk 1 at 0 bytes 16384",
      "> Chunk 1 at 16384 bytes 16384",
      "> Chunk 1 at 32768 bytes 7232",
      "< PayloadApplied 0>1 v1",
      "> PayloadBegin 0>1 transfer 2 round 1.0 v1-v2 bytes 20000 degree 1 heard 0.0",
      "> Chunk 2 at 0 bytes 16384",
      "> Chunk 2 at 16384 bytes 3616",
      "< PayloadApplied 0>1 v2",
      "> PayloadBegin 0>1 transfer 3 round 2.0 v2-v3 bytes 20000 degree 1 heard 1.0",
      "> Chunk 3 at 0 bytes 16384",
      "> Chunk 3 at 16384 bytes 3616",
      "< PayloadApplied 0>1 v3",
  };
  BOOST_TEST(recorder.lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(after_a_break_the_same_payload_once_more) {
  Log log;
  Fleet fleet(
      2, {.synchronous = true, .difference_bytes = 20'000, .keyframe_bytes = 1000},
      [&](std::size_t) { return std::make_unique<GenerationLearner>(complete(2), log, true, 1); });
  fleet.place({0}, 0);
  fleet.place({1}, 1);
  Recorder recorder(fleet);
  const auto record = fleet.on_sent;
  bool was_cut = false;
  fleet.on_sent = [&](std::size_t from, std::size_t to, const OutFrame& frame) {
    record(from, to, frame);
    const bool is_second_half = from == 0 && frame.tail_offset > 0;
    return !is_second_half || std::exchange(was_cut, true);
  };
  fleet.start();
  fleet.run_for(seconds(3));
  const Lines expected = {
      "< Credit 8388608",
      "< Subscribe 0>1 holds v0 degree 1",
      "> PayloadBegin 0>1 transfer 1 round 0.0 v0-v1 bytes 1000 degree 1",
      "> Chunk 1 at 0 bytes 1000",
      "< PayloadApplied 0>1 v1",
      "> PayloadBegin 0>1 transfer 2 round 1.0 v1-v2 bytes 20000 degree 1 heard 0.0",
      "> Chunk 2 at 0 bytes 16384",
      "> Chunk 2 at 16384 bytes 3616",  // never arrives
      "< Credit 8388608",
      "< Subscribe 0>1 holds v1 degree 1",
      "> PayloadBegin 0>1 transfer 1 round 1.0 v1-v2 bytes 20000 degree 1 heard 0.0",
      "> Chunk 1 at 0 bytes 16384",
      "> Chunk 1 at 16384 bytes 3616",
      "< PayloadApplied 0>1 v2",
  };
  BOOST_TEST(recorder.lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_mismatch_and_the_keyframe_that_mends_it) {
  Log log;
  Fleet fleet(2, {.synchronous = true}, [&](std::size_t) {
    return std::make_unique<GenerationLearner>(complete(2), log, true, 2);
  });
  fleet.place({0}, 0);
  fleet.place({1}, 1);
  Recorder recorder(fleet);
  const auto record = fleet.on_sent;
  fleet.on_sent = [&](std::size_t from, std::size_t to, const OutFrame& frame) {
    if (frame.type == wire::FrameType::PayloadApplied && from == 1 && recorder.lines.size() < 6)
      fleet.worker(1).damage({.source = {0}, .reader = {1}});
    return record(from, to, frame);
  };
  fleet.start();
  fleet.run_for(seconds(3));
  const Lines expected = {
      "< Credit 8388608",
      "< Subscribe 0>1 holds v0 degree 1",
      "> PayloadBegin 0>1 transfer 1 round 0.0 v0-v1 bytes 4000 degree 1",
      "> Chunk 1 at 0 bytes 4000",
      "< PayloadApplied 0>1 v1",
      "> PayloadBegin 0>1 transfer 2 round 1.0 v1-v2 bytes 1000 degree 1 heard 0.0",
      "> Chunk 2 at 0 bytes 1000",
      "< PayloadRefused 0>1 v2 fault 1",
      "> PayloadBegin 0>1 transfer 3 round 1.0 v0-v2 bytes 4000 degree 1 heard 0.0",
      "> Chunk 3 at 0 bytes 4000",
      "< PayloadApplied 0>1 v2",
      "> PayloadBegin 0>1 transfer 4 round 2.0 v2-v3 bytes 1000 degree 1 heard 1.0",
      "> Chunk 4 at 0 bytes 1000",
      "< PayloadApplied 0>1 v3",
  };
  BOOST_TEST(recorder.lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
