// The CPU backend as a whole: which kernels it has, what it says of itself, what it refuses.
#include "compute/cpu/cpu_backend.hpp"
#include "support/signal_of.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>

namespace quadrille::compute {
namespace {

// A clock that makes a tenth of a millisecond pass between one look and the next.
double slow_clock() {
  static double now = 0;
  return now += 1e-4;
}

struct CpuAndQueue {
  WorkerPool pool{2};
  std::unique_ptr<Backend> backend = make_cpu_backend(pool);
  std::unique_ptr<Arena> arena = backend->make_arena();
  std::unique_ptr<Queue> queue = backend->make_queue();

  Floats put(std::vector<float> values) {
    const Floats to = arena->floats(values.size());
    queue->upload(to, std::span<const float>(values));
    return to;
  }
  std::vector<float> read(ConstFloats from) {
    std::vector<float> values(from.count());
    queue->download(std::span(values), from);
    queue->synchronise();
    return values;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cpu_backend, CpuAndQueue)

BOOST_AUTO_TEST_CASE(the_generic_matrix_kernel_is_always_there) {
  BOOST_TEST(
      (std::ranges::find(available_cpu_gemms(), CpuGemm::Generic) != available_cpu_gemms().end()));
}

BOOST_AUTO_TEST_CASE(auto_chooses_the_first_available_kernel) {
  const auto first = make_cpu_backend(pool, {.gemm = available_cpu_gemms().front()});
  BOOST_TEST(backend->description() == first->description());
}

BOOST_AUTO_TEST_CASE(the_description_names_the_kernels_for_people) {
  for (const CpuGemm gemm : available_cpu_gemms()) {
    const auto one = make_cpu_backend(pool, {.gemm = gemm});
    BOOST_TEST(one->name() == "cpu");
    BOOST_TEST(one->description().starts_with("cpu: "));
    BOOST_TEST(one->description().contains(", element-wise "));
  }
}

BOOST_AUTO_TEST_CASE(the_peak_of_fused_multiply_adds_is_measured_with_the_clock_given) {
  const double peak = measure_fma_peak(slow_clock, 10);
  BOOST_TEST(std::isfinite(peak));
  BOOST_TEST(peak > 0);
}

// c's row r depends on a's row r alone: a batch of another size gives a row the same bits. oneDNN
// does not promise that.
BOOST_AUTO_TEST_CASE(a_row_of_a_product_does_not_depend_on_the_others) {
  constexpr std::size_t rows = 300, inner = 784;
  RandomStream random(stream_key(1, "row invariance", 0));
  std::vector<float> a(rows * inner), b(inner * 256);
  for (float& value : a) value = static_cast<float>(random.uniform() - 0.5);
  for (float& value : b) value = static_cast<float>(random.uniform() - 0.5);
  const Floats a_put = put(a), b_put = put(b);
  for (const CpuGemm gemm : available_cpu_gemms()) {
    if (gemm == CpuGemm::OneDnn) continue;
    const auto kernel_queue = make_cpu_backend(pool, {.gemm = gemm})->make_queue();
    for (const std::size_t columns : {1, 10, 256}) {
      const auto product = [&](std::size_t count) {
        const Floats c = arena->floats(count * columns);
        kernel_queue->submit(Gemm{.m = count,
                                  .n = columns,
                                  .k = inner,
                                  .a = {a_put, inner},
                                  .b = {b_put, columns},
                                  .c = {c, columns}});
        return read(c);
      };
      const std::vector<float> all = product(rows);
      for (const std::size_t count : {1, 2, 13, 100}) {
        const std::vector<float> some = product(count);
        BOOST_TEST(std::ranges::equal(some, std::span(all).first(some.size())),
                   cpu_gemm_name(gemm) << ", " << count << " rows of " << columns);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_product_over_nothing_is_zero_or_what_was_there) {
  const Floats c = put({1, 2});
  const Gemm empty{.m = 1, .n = 2, .k = 0, .a = {{}, 1}, .b = {{}, 2}, .beta = 1, .c = {c, 2}};
  queue->submit(empty);
  BOOST_TEST(read(c) == std::vector<float>({1, 2}), boost::test_tools::per_element());
  Gemm overwriting = empty;
  overwriting.beta = 0;
  queue->submit(overwriting);
  BOOST_TEST(read(c) == std::vector<float>({0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(not_a_number_passes_through_every_activation) {
  for (const Activation activation : {Activation::Identity, Activation::LeakyRelu, Activation::Relu,
                                      Activation::Tanh, Activation::Sigmoid}) {
    const Floats values = put(std::vector<float>(33, NAN));
    queue->submit(BiasActivation{
        .rows = 1, .columns = 33, .values = values, .bias = {}, .activation = activation});
    BOOST_TEST(std::ranges::all_of(read(values), [](float x) { return std::isnan(x); }));
  }
}

BOOST_AUTO_TEST_CASE(not_a_number_passes_through_every_loss) {
  const Floats loss = arena->floats(1);
  for (std::size_t place = 0; place < 3; ++place) {
    std::vector<float> values{0.5F, -1, 2};
    values[place] = NAN;
    const Floats logits = put(values);
    for (std::size_t kind = 0; kind < loss_kind_count; ++kind)
      for (const LossSide side :
           {LossSide::DiscriminatorReal, LossSide::DiscriminatorFake, LossSide::Generator}) {
        queue->submit(AdversarialLoss{.kind = static_cast<LossKind>(kind),
                                      .side = side,
                                      .logits = logits,
                                      .gradient = {},
                                      .loss = loss});
        BOOST_TEST(std::isnan(read(loss)[0]), kind);
      }
    for (const float label : {0.0F, 1.0F, 2.0F}) {
      queue->submit(SoftmaxLoss{.rows = 1,
                                .classes = 3,
                                .logits = logits,
                                .labels = put({label}),
                                .gradient = {},
                                .loss = loss});
      BOOST_TEST(std::isnan(read(loss)[0]), "logit " << place << ", label " << label);
    }
  }
}

BOOST_AUTO_TEST_CASE(activations_saturate_at_infinity) {
  const auto at_infinity = [&](Activation activation) {
    const Floats values = put({-INFINITY, INFINITY});
    queue->submit(BiasActivation{
        .rows = 1, .columns = 2, .values = values, .bias = {}, .activation = activation});
    return read(values);
  };
  BOOST_TEST(at_infinity(Activation::Tanh) == std::vector<float>({-1, 1}),
             boost::test_tools::per_element());
  const std::vector<float> sigmoid = at_infinity(Activation::Sigmoid);
  BOOST_TEST(sigmoid[0] < 1e-37F);
  BOOST_TEST(sigmoid[1] == 1);
}

// What only the device can see is checked where it is read.
BOOST_AUTO_TEST_CASE(a_row_or_a_label_that_does_not_exist_ends_the_program) {
  const Words rows = arena->words(1);
  queue->upload(rows, std::span<const std::uint32_t>(std::vector<std::uint32_t>{3}));
  const Floats source = put(std::vector<float>(6)), to = arena->floats(2);
  const GatherFloats gather{.row_count = 1, .columns = 2, .source = source, .rows = rows, .to = to};
  BOOST_TEST(test::signal_of([&] { queue->submit(gather); }) == SIGABRT);

  for (const float label : {2.0F, -1.0F, NAN}) {
    const SoftmaxLoss loss{.rows = 1,
                           .classes = 2,
                           .logits = put({0, 0}),
                           .labels = put({label}),
                           .gradient = to,
                           .loss = arena->floats(1)};
    BOOST_TEST(test::signal_of([&] { queue->submit(loss); }) == SIGABRT);
  }
}

BOOST_AUTO_TEST_CASE(a_count_of_steps_stays_at_2_to_the_24) {
  std::vector<float> scalars(hyper::count);
  scalars[hyper::learning_rate] = 0.5F;
  scalars[hyper::step] = 0x1p24F;
  const Floats hyper = put(scalars), parameters = put({1});
  queue->submit(OptimizerStep{.kind = OptimizerKind::Sgd,
                              .parameters = parameters,
                              .gradient = put({1}),
                              .first = {},
                              .second = {},
                              .hyper = hyper});
  BOOST_TEST(read(hyper)[hyper::step] == 0x1p24F);
  BOOST_TEST(read(parameters)[0] == 0.5F);
}

BOOST_AUTO_TEST_CASE(an_optimizer_whose_scalars_nobody_wrote_ends_the_program) {
  const OptimizerStep step{.kind = OptimizerKind::Sgd,
                           .parameters = put({1}),
                           .gradient = put({1}),
                           .first = {},
                           .second = {},
                           .hyper = arena->floats(hyper::count)};
  BOOST_TEST(test::signal_of([&] { queue->submit(step); }) == SIGABRT);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::compute
