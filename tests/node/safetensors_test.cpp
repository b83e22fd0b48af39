// Safetensors files: the bytes as the format's own description says them, and every way to lie
// about them.
#include "node/files/safetensors.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(safetensors)

using test::contents_of;
using test::put_contents;
using test::ScratchDirectory;

namespace {

template <class T>
Bytes raw(const std::vector<T>& values) {
  return bytes_of(std::span<const T>(values));
}

std::string as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string file_of(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  return as_text(bytes_of(std::span(&length, 1))) + std::string(header) + std::string(data);
}

// Reads `header` and `data` as a file and returns its error.
Error error_of(std::string_view header, std::string_view data) {
  const ScratchDirectory directory;
  put_contents(directory / "f", file_of(header, data));
  const auto read = read_safetensors(directory / "f");
  BOOST_REQUIRE(!read.has_value());
  BOOST_TEST(read.error().detail.starts_with((directory / "f").string() + ": "));
  return read.error();
}

void check_corrupt(std::string_view header, std::string_view data, std::string_view why) {
  const Error error = error_of(header, data);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(error.detail.find(why) != std::string::npos, error.detail << " lacks: " << why);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_written_is_read_back_to_the_bit_with_nan_payloads) {
  const ScratchDirectory directory;
  const std::vector<float> floats{1.5F, -0.0F, std::bit_cast<float>(0x7FC12345U),
                                  std::bit_cast<float>(0xFF800001U), 1e-45F};
  const std::vector<std::uint64_t> words{0, ~std::uint64_t{0}};
  const std::vector<std::uint8_t> small{7, 8, 9};
  const std::vector<std::int64_t> integers{-1};
  const std::vector<TensorView> tensors{{"small", DType::U8, {3, 1}, raw(small)},
                                        float_tensor("weights", floats),
                                        {"words", DType::U64, {2}, raw(words)},
                                        {"scalar", DType::I64, {}, raw(integers)},
                                        {"nothing", DType::F32, {0, 4}, {}}};
  const Metadata metadata{{"run", "a \"quoted\" name"}, {"version", "1"}};
  BOOST_REQUIRE(write_safetensors(directory / "f", tensors, metadata).has_value());

  const auto file = read_safetensors(directory / "f");
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? "" : file.error().detail));
  BOOST_TEST(file->has_checksum());
  BOOST_TEST(file->metadata().at("run") == "a \"quoted\" name");
  BOOST_TEST(file->tensors().size() == tensors.size());
  for (const TensorView& tensor : tensors) {
    const TensorView* read = file->find(tensor.name);
    BOOST_REQUIRE(read != nullptr);
    BOOST_TEST((read->dtype == tensor.dtype));
    BOOST_TEST(read->shape == tensor.shape, boost::test_tools::per_element());
    BOOST_TEST(as_text(read->data) == as_text(tensor.data));
  }
  const auto weights = file->floats("weights");
  BOOST_REQUIRE(weights.has_value());
  BOOST_TEST(std::memcmp(weights->data(), floats.data(), floats.size() * sizeof(float)) == 0);
  BOOST_TEST(file->words("words").value() == words, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_bytes_are_those_that_the_format_describes) {
  const ScratchDirectory directory;
  const std::vector<float> values{1.0F, 2.0F};
  const std::vector<std::uint8_t> bytes{5};
  const std::vector<TensorView> tensors{{"b", DType::U8, {1}, raw(bytes)},
                                        {"w", DType::F32, {1, 2}, raw(values)}};
  BOOST_REQUIRE(write_safetensors(directory / "f", tensors, {{"k", "v"}}).has_value());
  const std::string file = contents_of(directory / "f");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  BOOST_TEST(length % 8 == 0u);
  BOOST_REQUIRE_EQUAL(file.size(), 8 + length + 9);
  std::string header = file.substr(8, length);
  header.erase(header.find_last_not_of(' ') + 1);
  const std::size_t checksum = header.find("xxh3-64:");
  BOOST_REQUIRE(checksum != std::string::npos);
  header.replace(checksum + 8, 16, 16, '#');
  BOOST_TEST(header ==
             R"({"__metadata__":{"k":"v","quadrille.checksum":"xxh3-64:################"},)"
             R"("b":{"data_offsets":[8,9],"dtype":"U8","shape":[1]},)"
             R"("w":{"data_offsets":[0,8],"dtype":"F32","shape":[1,2]}})");
  BOOST_TEST(file.substr(8 + length) == as_text(raw(values)) + as_text(raw(bytes)));
}

BOOST_AUTO_TEST_CASE(a_file_of_another_tool_is_read_without_a_checksum) {
  const ScratchDirectory directory;
  put_contents(
      directory / "f",
      file_of("{\"x\" : {\"shape\":[2], \"dtype\":\"U8\",\n\"data_offsets\":[0,2]} }    ", "hi"));
  const auto file = read_safetensors(directory / "f");
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? "" : file.error().detail));
  BOOST_TEST(!file->has_checksum());
  const auto* x = file->find("x");
  BOOST_REQUIRE(x != nullptr);
  BOOST_TEST(as_text(x->data) == "hi");
  put_contents(directory / "empty", file_of("{}", ""));
  BOOST_TEST(read_safetensors(directory / "empty").value().tensors().empty());
}

BOOST_AUTO_TEST_CASE(any_flipped_byte_is_noticed) {
  const ScratchDirectory directory;
  const std::vector<float> values{1.0F, 2.0F, 3.0F};
  const std::vector<TensorView> tensors{float_tensor("w", values)};
  BOOST_REQUIRE(write_safetensors(directory / "f", tensors, {{"generation", "12"}}).has_value());
  const std::string good = contents_of(directory / "f");
  const std::size_t padding_begin = good.rfind('}', good.size() - 13) + 1;
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (i >= padding_begin && i < good.size() - 12) continue;  // spaces that mean nothing
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    put_contents(directory / "bad", bad);
    const auto read = read_safetensors(directory / "bad");
    // When the checksum's own key is hit there is none: who needs one asks has_checksum().
    BOOST_TEST((!read.has_value() || !read->has_checksum()), "byte " << i);
  }
}

BOOST_AUTO_TEST_CASE(a_file_cut_short_anywhere_is_refused) {
  const ScratchDirectory directory;
  const std::vector<float> values{1.0F, 2.0F};
  const std::vector<TensorView> tensors{float_tensor("w", values)};
  BOOST_REQUIRE(write_safetensors(directory / "f", tensors, {}).has_value());
  const std::string good = contents_of(directory / "f");
  for (std::size_t size = 0; size < good.size(); ++size) {
    put_contents(directory / "cut", good.substr(0, size));
    BOOST_TEST(!read_safetensors(directory / "cut").has_value(), "size " << size);
  }
}

BOOST_AUTO_TEST_CASE(a_header_is_never_believed) {
  check_corrupt("", "", "not a JSON object");
  check_corrupt("[]", "", "not a JSON object");
  check_corrupt("{\"x\":", "", "not a JSON object");
  check_corrupt("{\"\xff\":{}}", "", "not a JSON object");
  check_corrupt("{}{}", "", "not a JSON object");
  check_corrupt(std::string(100000, '['), "", "nests too deep");
  check_corrupt(R"({"x":3})", "", "exactly dtype, shape and data_offsets");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":1}})", "a",
                "exactly dtype, shape and data_offsets");
  check_corrupt(R"({"x":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", "a", "dtype");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "a", "shape");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", "a", "shape");
  check_corrupt(R"({"x":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", "a", "shape");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}})", "a", "offsets");
  check_corrupt(R"({"__metadata__":[],"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "a",
                "metadata");
  check_corrupt(R"({"__metadata__":{"k":1}})", "", "metadata 'k' is not text");
}

BOOST_AUTO_TEST_CASE(a_header_longer_than_the_file_is_refused_before_it_is_read) {
  const ScratchDirectory directory;
  for (const std::uint64_t length : {std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    put_contents(directory / "f", as_text(bytes_of(std::span(&length, 1))) + "{}");
    const auto read = read_safetensors(directory / "f");
    BOOST_REQUIRE(!read.has_value());
    BOOST_TEST((read.error().code == ErrorCode::Corrupt));
  }
}

BOOST_AUTO_TEST_CASE(offsets_and_shapes_must_fit_the_data) {
  check_corrupt(R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", "ab", "outside the 2");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "ab", "outside");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]}})", "a",
                "outside");
  check_corrupt(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,2]}})", "ab", "does not fit");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}})", "ab", "does not fit");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[4294967296,4294967296,2],"data_offsets":[0,0]}})",
                "", "does not fit");
}

BOOST_AUTO_TEST_CASE(holes_overlaps_and_duplicates_are_refused) {
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "ab", "gap");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "ab",
                "1 bytes at its end belong to no tensor");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                R"("y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                "abc", "overlaps");
  check_corrupt(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                R"("x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                "ab", "names 'x' twice");
  check_corrupt(R"({"x":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "a",
                "names 'dtype' twice");
}

BOOST_AUTO_TEST_CASE(a_type_that_is_not_ours_is_named) {
  const Error error = error_of(R"({"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", "ab");
  BOOST_TEST((error.code == ErrorCode::Mismatch));
  BOOST_TEST(error.detail.find("'x' has dtype 'BF16'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_not_there_or_of_another_type_is_named) {
  const ScratchDirectory directory;
  const std::vector<std::uint64_t> words{1};
  const std::vector<TensorView> tensors{{"n", DType::U64, {1}, raw(words)}};
  BOOST_REQUIRE(write_safetensors(directory / "f", tensors, {}).has_value());
  const auto file = read_safetensors(directory / "f").value();
  BOOST_TEST(file.floats("m").error().detail == "there is no tensor 'm'");
  BOOST_TEST(file.floats("n").error().detail == "tensor 'n' is U64, not F32");
}

BOOST_AUTO_TEST_CASE(a_missing_or_too_large_file_has_its_own_code) {
  const ScratchDirectory directory;
  BOOST_TEST((read_safetensors(directory / "none").error().code == ErrorCode::NotFound));
  put_contents(directory / "f", file_of("{}", ""));
  BOOST_TEST((read_safetensors(directory / "f", 9).error().code == ErrorCode::Limit));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
