// check_extents: an operation whose operands do not fit it ends the program, and no other does.
#include "compute/operation.hpp"
#include "support/signal_of.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <limits>
#include <vector>

namespace quadrille::compute {
namespace {

using test::signal_of;

struct ExtentsFixture {
  std::vector<float> memory = std::vector<float>(1000);
  std::vector<std::uint32_t> word_memory = std::vector<std::uint32_t>(10);

  // `count` floats from `offset` on, all of one array, so that they can be made to overlap.
  Floats at(std::size_t offset, std::size_t count) { return {memory.data() + offset, count}; }
  Words words(std::size_t count) { return {word_memory.data(), count}; }

  // c (2, 4) = a (2, 3) b (3, 4).
  Gemm gemm() {
    return {.m = 2, .n = 4, .k = 3, .a = {at(0, 6), 3}, .b = {at(10, 12), 4}, .c = {at(30, 8), 4}};
  }

  static void accepts(const Operation& operation) { check_extents(operation); }
  static void refuses(const Operation& operation) {
    BOOST_TEST(signal_of([&] { check_extents(operation); }) == SIGABRT);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(extents, ExtentsFixture)

BOOST_AUTO_TEST_CASE(flat_operands_have_the_same_count) {
  accepts(Copy{.to = at(0, 5), .from = at(5, 5)});
  refuses(Copy{.to = at(0, 5), .from = at(5, 4)});
  accepts(Axpby{.a = 1, .x = at(0, 5), .b = 1, .to = at(5, 5)});
  refuses(Axpby{.a = 1, .x = at(0, 6), .b = 1, .to = at(10, 5)});
  refuses(ActivationGradient{
      .activation = Activation::Tanh, .output = at(0, 6), .gradient = at(10, 5)});
}

BOOST_AUTO_TEST_CASE(an_output_does_not_overlap_an_input) {
  refuses(Copy{.to = at(0, 5), .from = at(4, 5)});
  refuses(Axpby{.a = 1, .x = at(0, 5), .b = 1, .to = at(4, 5)});
  refuses(SumSquares{.from = at(0, 5), .to = at(4, 1)});
  Gemm into_itself = gemm();
  into_itself.c = {at(5, 8), 4};
  refuses(into_itself);
}

BOOST_AUTO_TEST_CASE(the_outputs_of_a_loss_overlap_no_other_operand) {
  AdversarialLoss adversarial{.kind = LossKind::Bce,
                              .side = LossSide::Generator,
                              .logits = at(0, 5),
                              .gradient = at(10, 5),
                              .loss = at(14, 1)};
  refuses(adversarial);
  adversarial.loss = at(15, 1);
  accepts(adversarial);
  SoftmaxLoss softmax{.rows = 2,
                      .classes = 3,
                      .logits = at(0, 6),
                      .labels = at(10, 2),
                      .gradient = at(20, 6),
                      .loss = at(30, 1)};
  accepts(softmax);
  softmax.loss = at(11, 1);
  refuses(softmax);
  softmax.loss = at(30, 1);
  softmax.gradient = at(5, 6);
  refuses(softmax);
}

BOOST_AUTO_TEST_CASE(the_operands_of_an_optimizer_do_not_overlap) {
  const OptimizerStep step{.kind = OptimizerKind::Adam,
                           .parameters = at(0, 5),
                           .gradient = at(10, 5),
                           .first = at(20, 5),
                           .second = at(30, 5),
                           .hyper = at(40, hyper::count)};
  accepts(step);
  for (const Floats onto : {step.parameters, step.first, step.second}) {
    OptimizerStep overlapping = step;
    overlapping.gradient = onto;
    refuses(overlapping);
  }
  OptimizerStep one_moment = step;
  one_moment.second = at(24, 5);
  refuses(one_moment);
  OptimizerStep scalars_within = step;
  scalars_within.hyper = at(34, hyper::count);
  refuses(scalars_within);
}

BOOST_AUTO_TEST_CASE(a_product_stays_within_its_matrices) {
  accepts(gemm());
  Gemm short_a = gemm();
  short_a.a.values = at(0, 5);
  refuses(short_a);
  Gemm short_b = gemm();
  short_b.b.values = at(10, 11);
  refuses(short_b);
  Gemm short_c = gemm();
  short_c.c.values = at(30, 7);
  refuses(short_c);
}

BOOST_AUTO_TEST_CASE(the_last_row_of_a_matrix_may_end_before_its_leading_dimension) {
  Gemm padded = gemm();
  padded.a = {at(0, 5 + 3), 5};
  accepts(padded);
  padded.a = {at(0, 5 + 2), 5};
  refuses(padded);
}

BOOST_AUTO_TEST_CASE(a_leading_dimension_is_at_least_a_stored_row) {
  Gemm narrow = gemm();
  narrow.a.leading = 2;
  refuses(narrow);
  narrow.a.transposed = true;  // stored as (3, 2): two floats are a row now
  accepts(narrow);
}

BOOST_AUTO_TEST_CASE(members_have_results_of_their_own) {
  Gemm members = gemm();
  members.members = 2;
  members.c = {at(30, 16), 4, 8};
  accepts(members);
  members.c.stride = 7;
  refuses(members);
  members.c.stride = 0;
  refuses(members);
}

BOOST_AUTO_TEST_CASE(beta_is_0_or_1) {
  Gemm half = gemm();
  half.beta = 0.5F;
  refuses(half);
  refuses(ColumnSum{.rows = 1, .columns = 2, .from = at(0, 2), .beta = 2, .to = at(2, 2)});
}

BOOST_AUTO_TEST_CASE(an_extent_too_large_for_a_number_is_refused) {
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
  refuses(ColumnSum{.rows = huge, .columns = 4, .from = at(0, 8), .to = at(8, 4)});
  Gemm strided = gemm();
  strided.members = 4;
  strided.a.stride = huge;
  refuses(strided);
}

BOOST_AUTO_TEST_CASE(a_bias_has_a_value_for_each_column_of_each_member) {
  BiasActivation operation{.members = 2,
                           .rows = 3,
                           .columns = 4,
                           .values = at(0, 24),
                           .bias = at(30, 8),
                           .bias_stride = 4,
                           .activation = Activation::Relu};
  accepts(operation);
  operation.bias = at(30, 7);
  refuses(operation);
  operation.bias = {};
  accepts(operation);
  operation.values = at(0, 23);
  refuses(operation);
}

BOOST_AUTO_TEST_CASE(an_optimizer_has_the_moments_of_its_kind) {
  OptimizerStep step{.kind = OptimizerKind::Sgd,
                     .parameters = at(0, 5),
                     .gradient = at(10, 5),
                     .first = {},
                     .second = {},
                     .hyper = at(20, hyper::count)};
  accepts(step);
  step.kind = OptimizerKind::RmsProp;
  refuses(step);
  step.second = at(30, 5);
  accepts(step);
  step.kind = OptimizerKind::Adam;
  refuses(step);
  step.first = at(40, 5);
  accepts(step);
  step.hyper = at(20, hyper::count - 1);
  refuses(step);
}

BOOST_AUTO_TEST_CASE(losses_have_one_mean_and_a_gradient_of_the_logits_count_or_none) {
  AdversarialLoss loss{.kind = LossKind::Bce,
                       .side = LossSide::Generator,
                       .logits = at(0, 5),
                       .gradient = {},
                       .loss = at(20, 1)};
  accepts(loss);
  loss.gradient = at(10, 5);
  accepts(loss);
  loss.gradient = at(10, 4);
  refuses(loss);
  refuses(SoftmaxLoss{.rows = 2,
                      .classes = 3,
                      .logits = at(0, 6),
                      .labels = at(10, 1),
                      .gradient = at(20, 6),
                      .loss = at(30, 1)});
}

BOOST_AUTO_TEST_CASE(a_gather_has_room_for_its_rows) {
  GatherFloats gather{
      .row_count = 3, .columns = 4, .source = at(0, 40), .rows = words(3), .to = at(100, 12)};
  accepts(gather);
  gather.to = at(100, 11);
  refuses(gather);
  gather.to = at(100, 12);
  gather.rows = words(2);
  refuses(gather);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::compute
