// The deferred backend catches what it claims to catch. What ends the program is tried in a child
// process.
#include "support/deferred_backend.hpp"

#include "support/operands.hpp"
#include "support/signal_of.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <csignal>

namespace {

using namespace quadrille;
using compute::ConstFloats;
using compute::Copy;
using compute::Fill;
using compute::Floats;
using test::signal_of;

struct Fixture {
  WorkerPool pool{1};
  test::DeferredBackend backend{pool};
  std::unique_ptr<compute::Arena> arena = backend.make_arena();
  std::unique_ptr<compute::Queue> queue = backend.make_queue();

  float value_of(Floats one) {
    float value = 0;
    queue->download(std::span(&value, 1), one);
    queue->synchronise();
    return value;
  }
};

BOOST_FIXTURE_TEST_SUITE(deferred_backend, Fixture)

BOOST_AUTO_TEST_CASE(a_download_holds_nan_until_synchronise) {
  const Floats one = arena->floats(1);
  queue->submit(Fill{.to = one, .value = 3});
  float value = 1;
  queue->download(std::span(&value, 1), one);
  BOOST_TEST(std::isnan(value));
  queue->synchronise();
  BOOST_TEST(value == 3.0F);
}

BOOST_AUTO_TEST_CASE(fresh_memory_holds_nan) {
  BOOST_TEST(std::isnan(value_of(arena->floats(1))));
}

BOOST_AUTO_TEST_CASE(an_operation_happens_at_synchronise_and_not_before) {
  const Floats one = arena->floats(1);
  queue->submit(Fill{.to = one, .value = 3});
  const std::unique_ptr<compute::Queue> other = backend.make_queue();
  float value = 0;
  other->download(std::span(&value, 1), one);
  other->synchronise();
  BOOST_TEST(std::isnan(value));
  BOOST_TEST(value_of(one) == 3.0F);
}

BOOST_AUTO_TEST_CASE(operations_happen_in_the_order_submitted_and_once) {
  const Floats one = arena->floats(1);
  const Floats two = arena->floats(1);
  queue->submit(Fill{.to = one, .value = 3});
  queue->submit(Fill{.to = two, .value = 0});
  queue->submit(compute::Axpby{.a = 1, .x = one, .b = 1, .to = two});
  queue->submit(Fill{.to = one, .value = 5});
  BOOST_TEST(value_of(two) == 3.0F);
  BOOST_TEST(value_of(two) == 3.0F);
}

BOOST_AUTO_TEST_CASE(an_upload_takes_the_hosts_values_at_once) {
  const Floats one = arena->floats(1);
  float value = 7;
  queue->upload(one, std::span<const float>(&value, 1));
  value = 8;
  BOOST_TEST(value_of(one) == 7.0F);
}

BOOST_AUTO_TEST_CASE(a_resident_data_set_is_a_copy) {
  std::array<float, 2> host{1, 2};
  const ConstFloats device = arena->resident(std::span<const float>(host));
  host[0] = 9;
  const Floats one = arena->floats(1);
  queue->submit(Copy{.to = one, .from = device.first(1)});
  BOOST_TEST(value_of(one) == 1.0F);
}

BOOST_AUTO_TEST_CASE(the_host_cannot_read_device_memory) {
  const Floats one = arena->floats(1);
  queue->submit(Fill{.to = one, .value = 3});
  queue->synchronise();
  const auto read = [&] { (void)*static_cast<volatile float*>(one.address()); };
  BOOST_TEST(signal_of(read) == SIGSEGV);
}

BOOST_AUTO_TEST_CASE(the_host_cannot_write_device_memory) {
  const Floats one = arena->floats(1);
  BOOST_TEST(signal_of([&] { *one.address() = 1; }) == SIGSEGV);
}

BOOST_AUTO_TEST_CASE(an_operation_on_host_memory_is_refused) {
  float value = 0;
  const Floats host(&value, 1);
  BOOST_TEST(signal_of([&] { queue->submit(Fill{.to = host, .value = 1}); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(an_operation_on_memory_given_back_is_refused) {
  const Floats one = arena->floats(1);
  arena.reset();
  BOOST_TEST(signal_of([&] { queue->submit(Fill{.to = one, .value = 1}); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(a_span_beyond_its_block_is_refused) {
  const Floats beyond(arena->floats(4).address(), 5);
  BOOST_TEST(signal_of([&] { queue->submit(Fill{.to = beyond, .value = 1}); }) == SIGABRT);
  std::array<float, 5> host{};
  BOOST_TEST(signal_of([&] { queue->download(std::span(host), beyond); }) == SIGABRT);
  BOOST_TEST(signal_of([&] { queue->upload(beyond, std::span<const float>(host)); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(operands_of_the_wrong_extent_are_refused) {
  const Copy copy{.to = arena->floats(4), .from = arena->floats(3)};
  BOOST_TEST(signal_of([&] { queue->submit(copy); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(an_output_over_an_input_is_refused) {
  const Floats values = arena->floats(4);
  const Copy copy{.to = values.first(3), .from = values.from(1)};
  BOOST_TEST(signal_of([&] { queue->submit(copy); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_strays_faults_at_the_guard_or_is_found_beside_the_block) {
  test::GuardedMemory memory;
  const auto stray = [&memory](std::size_t bytes, std::ptrdiff_t offset) {
    auto* const block = static_cast<volatile char*>(memory.allocate(bytes));
    memory.open();
    block[offset] = 1;
    memory.close();
  };
  BOOST_TEST(signal_of([&] { stray(64, 63); }) == 0);
  BOOST_TEST(signal_of([&] { stray(64, 64); }) == SIGSEGV);
  BOOST_TEST(signal_of([&] { stray(60, 60); }) == SIGABRT);
  BOOST_TEST(signal_of([&] { stray(64, -1); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(a_record_holds_the_operations_submitted_meanwhile) {
  const Floats one = arena->floats(1);
  const Floats two = arena->floats(1);
  queue->submit(Fill{.to = one, .value = 3});
  backend.start_record();
  queue->submit(Copy{.to = two, .from = one});
  const std::vector<compute::Operation> record = backend.take_record();
  queue->submit(Fill{.to = two, .value = 3});
  BOOST_TEST(record.size() == 1U);
  BOOST_TEST(test::operation_count<Copy>(record) == 1U);
  BOOST_TEST(test::any_writes(record, two));
  BOOST_TEST(!test::any_writes(record, one));
  BOOST_TEST(backend.take_record().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
