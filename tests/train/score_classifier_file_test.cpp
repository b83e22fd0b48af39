// A classifier's bytes: the round trip, and every way in which they can be wrong.
#include "train/score/classifier_file.hpp"

#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <boost/test/unit_test.hpp>

#include "base/random.hpp"

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(score_classifier_file)

namespace {

// Offsets of the header's fields, as classifier_file.hpp draws them.
constexpr std::size_t version_at = 8, fingerprint_length_at = 12, sample_size_at = 16,
                      class_count_at = 24, epochs_at = 28, accuracy_at = 32, tested_count_at = 40,
                      held_out_at = 48, parameter_count_at = 52, header_bytes = 60;

ClassifierModel small_model() {
  ClassifierModel model;
  model.fingerprint = "0123456789abcdef0123456789abcdef";
  model.sample_size = 4;
  model.class_count = 2;
  model.epochs = 8;
  model.accuracy = 0.98765;
  model.tested_count = 10'000;
  model.held_out = true;
  model.parameters.resize(
      nn::Network(classifier_spec({.sample = 4, .classes = 2})).parameter_count());
  RandomStream random(stream_key(1, "test", 0));
  for (float& value : model.parameters) value = static_cast<float>(random.normal());
  return model;
}

// Makes the checksum fit the bytes again: what a hostile writer would do.
void seal(ByteBuffer& bytes) {
  const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size() - sizeof sum);
  std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
}

template <class T>
ByteBuffer with(ByteBuffer bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  seal(bytes);
  return bytes;
}

void check_corrupt(Bytes bytes, const std::string& what) {
  const auto model = parse_classifier(bytes);
  BOOST_REQUIRE(!model);
  BOOST_CHECK(model.error().code == ErrorCode::Corrupt);
  BOOST_TEST(model.error().detail == "not a classifier file: " + what);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_classifier_survives_the_round_trip) {
  const ClassifierModel model = small_model();
  const auto back = parse_classifier(serialise(model));
  BOOST_REQUIRE(back.has_value());
  BOOST_CHECK(*back == model);
  BOOST_TEST(classifier_id(*back) == classifier_id(model));
}

BOOST_AUTO_TEST_CASE(another_parameter_makes_another_number) {
  ClassifierModel model = small_model();
  const std::uint64_t id = classifier_id(model);
  model.parameters[7] += 1;
  BOOST_TEST(classifier_id(model) != id);
}

BOOST_AUTO_TEST_CASE(a_file_cut_short_anywhere_is_refused) {
  const ByteBuffer bytes = serialise(small_model());
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 991)
    BOOST_TEST(!parse_classifier(Bytes(bytes).first(size)).has_value());
  BOOST_TEST(!parse_classifier(Bytes(bytes).first(bytes.size() - 1)).has_value());
}

BOOST_AUTO_TEST_CASE(a_byte_more_is_refused) {
  ByteBuffer bytes = serialise(small_model());
  bytes.push_back(std::byte{0});
  BOOST_TEST(!parse_classifier(bytes).has_value());
  seal(bytes);
  BOOST_TEST(!parse_classifier(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(a_changed_bit_anywhere_is_refused) {
  ByteBuffer bytes = serialise(small_model());
  for (std::size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : 991) {
    bytes[at] ^= std::byte{0x10};
    BOOST_TEST(!parse_classifier(bytes).has_value());
    bytes[at] ^= std::byte{0x10};
  }
  BOOST_TEST(parse_classifier(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(what_does_not_begin_as_a_classifier_is_refused) {
  check_corrupt(with(serialise(small_model()), 0, 'X'), "it does not begin as one");
}

BOOST_AUTO_TEST_CASE(another_version_is_a_mismatch) {
  const auto model = parse_classifier(with(serialise(small_model()), version_at, 99U));
  BOOST_REQUIRE(!model);
  BOOST_CHECK(model.error().code == ErrorCode::Mismatch);
}

BOOST_AUTO_TEST_CASE(sealed_headers_with_impossible_sizes_are_refused) {
  const ByteBuffer good = serialise(small_model());
  constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  check_corrupt(with(good, fingerprint_length_at, 0U), "a fingerprint of 0 bytes");
  check_corrupt(with(good, fingerprint_length_at, 4'000'000'000U),
                "a fingerprint of 4000000000 bytes");
  check_corrupt(with(good, sample_size_at, std::uint64_t{0}), "a sample size of 0");
  check_corrupt(with(good, sample_size_at, huge), "a sample size of 18446744073709551615");
  check_corrupt(with(good, class_count_at, 1U), "1 classes");
  check_corrupt(with(good, class_count_at, 257U), "257 classes");
  check_corrupt(with(good, epochs_at, 0U), "0 epochs");
  check_corrupt(with(good, parameter_count_at, huge),
                "18446744073709551615 parameters where the network has 17858");
  check_corrupt(with(good, fingerprint_length_at, 31U), "71464 bytes after its header");
}

BOOST_AUTO_TEST_CASE(sealed_headers_with_impossible_results_are_refused) {
  const ByteBuffer good = serialise(small_model());
  for (const double accuracy : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    check_corrupt(with(good, accuracy_at, accuracy), "an accuracy beyond 0 to 1");
  check_corrupt(with(good, tested_count_at, std::uint64_t{0}), "how it was tested");
  check_corrupt(with(good, held_out_at, 2U), "how it was tested");
}

BOOST_AUTO_TEST_CASE(a_sealed_parameter_that_is_not_finite_is_refused) {
  const std::size_t first = header_bytes + small_model().fingerprint.size();
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()})
    check_corrupt(with(serialise(small_model()), first + 40, bad),
                  "a parameter is not a finite number");
}

BOOST_AUTO_TEST_SUITE_END()
