// Normals of the CPU backend as a whole: their moments, and that any block can be the first. Each
// value's own test is in the op table.
#include "compute/cpu/cpu_backend.hpp"
#include "support/device.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace quadrille::compute {
BOOST_AUTO_TEST_SUITE(random)

namespace {

using test::Device;

Device make_device() {
  return Device({.deferred = false, .gemm = CpuGemm::Auto});
}

std::vector<float> normals(Device& device, std::size_t count, std::uint64_t first_block) {
  const Floats to = device.arena->floats(count);
  device.queue->submit(RandomNormal{.to = to, .key = 42, .first_block = first_block});
  return device.read(to);
}

double moment(std::span<const float> values, int power) {
  double sum = 0;
  for (const float value : values) sum += std::pow(static_cast<double>(value), power);
  return sum / static_cast<double>(values.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(normals_have_the_moments_of_the_normal_distribution) {
  Device device = make_device();
  constexpr std::size_t count = 1 << 20;
  const std::vector<float> values = normals(device, count, 0);
  // Five standard errors of each estimate: sqrt(1, 2, 15, 96 / count).
  const double unit = 5 / std::sqrt(static_cast<double>(count));
  BOOST_TEST(std::abs(moment(values, 1)) < unit);
  BOOST_TEST(std::abs(moment(values, 2) - 1) < unit * std::sqrt(2));
  BOOST_TEST(std::abs(moment(values, 3)) < unit * std::sqrt(15));
  BOOST_TEST(std::abs(moment(values, 4) - 3) < unit * std::sqrt(96));
}

BOOST_AUTO_TEST_CASE(a_stream_can_be_entered_at_any_block) {
  Device device = make_device();
  const std::vector<float> whole = normals(device, 400, 0);
  const std::vector<float> part = normals(device, 100, 75);
  BOOST_TEST(std::vector(whole.begin() + 300, whole.end()) == part,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::compute
