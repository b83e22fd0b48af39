// IDX files, plain and .gz, whole and damaged in every way that was thought of.
#include "data/idx.hpp"

#include <boost/test/unit_test.hpp>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(idx)

using test::FileBytes;
using test::gzip;
using test::idx_bytes;
using test::idx_images;
using test::idx_labels;
using test::says;
using test::TemporaryDirectory;

namespace {

// The error of reading `bytes` as `kind`, without the directory in front.
Error error_of(const FileBytes& bytes, IdxKind kind = IdxKind::Images) {
  const TemporaryDirectory directory;
  const auto path = directory.write("file.idx", bytes);
  const auto read = read_idx(path, kind);
  BOOST_REQUIRE(!read.has_value());
  BOOST_TEST(read.error().detail.starts_with(path.string() + ": "));
  return {read.error().code, read.error().detail.substr(path.string().size() + 2)};
}

// Why the images are too many for such bounds, without the file in front.
std::string refusal(const std::filesystem::path& path, const IdxBounds& bounds) {
  const auto read = read_idx(path, IdxKind::Images, bounds);
  BOOST_TEST_REQUIRE(!read.has_value());
  BOOST_TEST((read.error().code == ErrorCode::Limit));
  return read.error().detail.substr(path.string().size() + 2);
}

}  // namespace

BOOST_AUTO_TEST_CASE(images_of_any_size_and_count_are_read) {
  const TemporaryDirectory directory;
  const FileBytes bytes = idx_images(7, 3, 5);
  const auto file = read_idx(directory.write("i", bytes), IdxKind::Images);
  BOOST_REQUIRE(file.has_value());
  BOOST_TEST(file->count == 7U);
  BOOST_TEST((file->shape == SampleShape{.height = 3, .width = 5, .channels = 1}));
  BOOST_TEST((file->values == FileBytes(bytes.begin() + 16, bytes.end())));
  BOOST_TEST(!file->compressed);
  BOOST_TEST(file->file_bytes == bytes.size());
}

BOOST_AUTO_TEST_CASE(no_more_is_read_than_is_wanted_and_the_rest_is_not_judged) {
  const TemporaryDirectory directory;
  FileBytes bytes = gzip(idx_images(3000, 28, 28));
  bytes.resize(bytes.size() / 2);
  const auto path = directory.write("cut", bytes);
  const IdxFile some = examine_idx(path, IdxKind::Images, {.count_max = 100});
  BOOST_TEST(some.problems.empty());
  BOOST_TEST(some.count == 3000U);
  BOOST_TEST(some.readable_count() == 100U);
  BOOST_TEST(!examine_idx(path, IdxKind::Images, {.count_max = 2999}).problems.empty());
}

// While a buffer grows, the old one is there, too.
BOOST_AUTO_TEST_CASE(what_shrinks_unusually_well_needs_memory_twice) {
  const TemporaryDirectory directory;
  const auto path =
      directory.write("zeros", gzip(idx_bytes(0x803, {1000, 28, 28}, FileBytes(784000))));
  BOOST_TEST(read_idx(path, IdxKind::Images, {.memory_bytes_max = 1568000}).has_value());
  BOOST_TEST(refusal(path, {.memory_bytes_max = 1567999}) ==
             "promises 1000 images of 28 x 28 (784000 bytes); reading them takes 1568000 bytes of "
             "memory, and 1567999 are free: free memory, or give a smaller set");
}

BOOST_AUTO_TEST_CASE(memory_is_wanted_for_what_is_read_and_not_for_what_is_promised) {
  const TemporaryDirectory directory;
  const auto plain = directory.write("plain", idx_images(1000, 28, 28));
  BOOST_TEST(refusal(plain, {.count_max = 10, .memory_bytes_max = 7839}) ==
             "promises 1000 images of 28 x 28 (784000 bytes); reading 10 of them takes 7840 bytes "
             "of memory, and 7839 are free: free memory, or give a smaller set");
  // 5,000,000 that cannot be there are not looked for in vain.
  const auto cut = directory.write("cut", idx_bytes(0x803, {5000000, 28, 28}, FileBytes(9984)));
  BOOST_TEST(refusal(cut, {.memory_bytes_max = 9999}) ==
             "promises 5000000 images of 28 x 28 (3920000000 bytes); reading what can be there of "
             "them takes 10000 bytes of memory, and 9999 are free: free memory, or give a smaller "
             "set");
}

BOOST_AUTO_TEST_CASE(the_promised_count_is_read_without_the_content) {
  const TemporaryDirectory directory;
  const FileBytes bytes = idx_images(7, 3, 5);
  const auto header = FileBytes(bytes.begin(), bytes.begin() + 16);
  BOOST_TEST(promised_count(directory.write("i", header), IdxKind::Images).value() == 7U);
  BOOST_TEST(
      promised_count(directory.write("l", gzip(idx_labels(9, 3))), IdxKind::Labels).value() == 9U);
  for (const auto& wrong : {header, FileBytes(), FileBytes{0, 0, 8, 1, 0, 0, 0}})
    BOOST_TEST(!promised_count(directory.write("w", wrong), IdxKind::Labels).has_value());
  BOOST_TEST(!promised_count(directory.path() / "none", IdxKind::Labels).has_value());
}

BOOST_AUTO_TEST_CASE(labels_are_read) {
  const TemporaryDirectory directory;
  const auto file = read_idx(directory.write("l", idx_labels(5, 3)), IdxKind::Labels);
  BOOST_REQUIRE(file.has_value());
  BOOST_TEST((file->values == FileBytes{0, 1, 2, 0, 1}));
}

BOOST_AUTO_TEST_CASE(a_gzip_file_gives_the_same_as_the_plain_one_whatever_its_name) {
  const TemporaryDirectory directory;
  // More than one read step, so that the buffer grows while it is inflated.
  const FileBytes bytes = idx_images(3000, 28, 28);
  const auto plain = read_idx(directory.write("plain", bytes), IdxKind::Images);
  const auto zipped = read_idx(directory.write("zipped", gzip(bytes)), IdxKind::Images);
  BOOST_REQUIRE(plain.has_value());
  BOOST_REQUIRE(zipped.has_value());
  BOOST_TEST(zipped->compressed);
  BOOST_TEST((plain->values == zipped->values));
}

BOOST_AUTO_TEST_CASE(a_gzip_file_of_several_members_is_one_content) {
  const TemporaryDirectory directory;
  const FileBytes bytes = idx_images(20, 4, 4);
  FileBytes joined = gzip(FileBytes(bytes.begin(), bytes.begin() + 100));
  const FileBytes second = gzip(FileBytes(bytes.begin() + 100, bytes.end()));
  joined.insert(joined.end(), second.begin(), second.end());
  const auto file = read_idx(directory.write("joined", joined), IdxKind::Images);
  BOOST_REQUIRE(file.has_value());
  BOOST_TEST(file->count == 20U);
}

BOOST_AUTO_TEST_CASE(a_missing_file_and_a_directory_are_told_as_such) {
  const TemporaryDirectory directory;
  const auto missing = read_idx(directory.path() / "no-such", IdxKind::Images);
  BOOST_REQUIRE(!missing.has_value());
  BOOST_TEST((missing.error().code == ErrorCode::NotFound));
  BOOST_TEST(says(missing.error().detail, {"no-such", "is not there"}));
  const auto folder = read_idx(directory.path(), IdxKind::Images);
  BOOST_REQUIRE(!folder.has_value());
  BOOST_TEST(says(folder.error().detail, {"is a directory, not a file"}));
}

BOOST_AUTO_TEST_CASE(a_file_that_the_system_will_not_look_at_is_not_called_missing) {
  const TemporaryDirectory directory;
  const auto loop = directory.path() / "loop";
  std::filesystem::create_symlink(loop, loop);
  const auto read = read_idx(loop, IdxKind::Images);
  BOOST_REQUIRE(!read.has_value());
  BOOST_TEST((read.error().code == ErrorCode::Mismatch));
  BOOST_TEST(says(read.error().detail, {"loop: cannot be looked at: Too many levels",
                                        "; put the set's own file there"}));
}

BOOST_AUTO_TEST_CASE(content_beyond_the_limit_is_refused_before_it_is_read) {
  const TemporaryDirectory directory;
  // 2^20 images of 64 x 65, which are 64 MiB more than the limit; on the disk, a hole.
  const auto path = directory.write("large", idx_bytes(0x803, {1U << 20, 64, 65}, {}));
  std::filesystem::resize_file(path, 16 + (std::uint64_t{1} << 20) * 64 * 65);
  const auto read = read_idx(path, IdxKind::Images);
  BOOST_REQUIRE(!read.has_value());
  BOOST_TEST((read.error().code == ErrorCode::Limit));
  BOOST_TEST(says(read.error().detail, {"promises 1048576 images of 64 x 65", "4294967296 bytes"}));
}

BOOST_AUTO_TEST_CASE(a_truncated_file_tells_what_was_promised_and_what_is_there) {
  FileBytes bytes = idx_images(10, 4, 4);
  bytes.resize(16 + 70);
  const Error error = error_of(bytes);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(says(error.detail, {"is cut short", "10 images of 4 x 4 (160 bytes)",
                                 "70 bytes are there", "fetch it again"}));
}

BOOST_AUTO_TEST_CASE(a_header_cut_short_is_told_apart_from_a_wrong_file) {
  FileBytes bytes = idx_images(10, 4, 4);
  bytes.resize(9);
  BOOST_TEST(says(error_of(bytes).detail, {"is cut short within its header, after 9 bytes"}));
}

BOOST_AUTO_TEST_CASE(an_enormous_claim_is_refused_without_memory_for_it) {
  const FileBytes plain = idx_bytes(0x803, {0xFFFFFFFF, 4096, 4096}, FileBytes(100));
  BOOST_TEST(says(error_of(plain).detail,
                  {"is cut short", "4294967295 images of 4096 x 4096", "100 bytes are there"}));
  BOOST_TEST(says(error_of(gzip(plain)).detail, {"is cut short", "100 bytes are there"}));
}

BOOST_AUTO_TEST_CASE(a_gzip_file_cut_short_is_told_from_a_short_content) {
  FileBytes bytes = gzip(idx_images(500, 8, 8));
  bytes.resize(bytes.size() / 2);
  BOOST_TEST(says(error_of(bytes).detail,
                  {"gzip stream ends before its end mark", "500 images of 8 x 8"}));
  FileBytes content = idx_images(10, 4, 4);
  content.resize(content.size() - 1);
  BOOST_TEST(says(error_of(gzip(content)).detail, {"is cut short: its header promises"}));
}

BOOST_AUTO_TEST_CASE(a_gzip_file_that_lacks_only_its_checksum_is_cut_short) {
  FileBytes bytes = gzip(idx_images(10, 4, 4));
  bytes.resize(bytes.size() - 3);
  BOOST_TEST(says(error_of(bytes).detail, {"is cut short: its gzip stream ends"}));
}

BOOST_AUTO_TEST_CASE(a_gzip_file_of_three_bytes_is_cut_short) {
  BOOST_TEST(says(error_of({0x1F, 0x8B, 0x08}).detail, {"is cut short: its gzip stream ends"}));
}

BOOST_AUTO_TEST_CASE(a_wrong_checksum_is_corrupt) {
  FileBytes bytes = gzip(idx_images(10, 4, 4));
  bytes[bytes.size() - 6] ^= 0xFF;
  const Error error = error_of(bytes);
  BOOST_TEST((error.code == ErrorCode::Corrupt));
  BOOST_TEST(says(error.detail, {"its checksum does not match"}));
}

BOOST_AUTO_TEST_CASE(no_single_damaged_byte_of_a_gzip_file_passes) {
  const TemporaryDirectory directory;
  const FileBytes whole = gzip(idx_images(4, 3, 3));
  for (std::size_t place = 10; place < whole.size(); ++place) {  // after the gzip header
    FileBytes bytes = whole;
    bytes[place] ^= 0x10;
    const auto file = read_idx(directory.write("damaged", bytes), IdxKind::Images);
    BOOST_TEST(!file.has_value(), "byte " << place);
  }
}

BOOST_AUTO_TEST_CASE(no_length_of_a_gzip_file_passes_but_the_whole) {
  const TemporaryDirectory directory;
  const FileBytes whole = gzip(idx_images(4, 3, 3));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const FileBytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const auto file = read_idx(directory.write("short", bytes), IdxKind::Images);
    BOOST_TEST(!file.has_value(), "length " << length);
  }
}

BOOST_AUTO_TEST_CASE(trailing_bytes_are_an_error) {
  FileBytes bytes = idx_images(10, 4, 4);
  bytes.push_back(0);
  BOOST_TEST(says(error_of(bytes).detail, {"goes on after the 10 images of 4 x 4"}));
  BOOST_TEST(says(error_of(gzip(bytes)).detail, {"goes on after the 10 images of 4 x 4"}));
  // Beyond the bytes that are read ahead to identify the file.
  FileBytes longer = idx_images(100, 4, 4);
  longer.push_back(0);
  BOOST_TEST(says(error_of(longer).detail, {"goes on after the 100 images of 4 x 4"}));
}

BOOST_AUTO_TEST_CASE(bytes_after_a_gzip_stream_are_an_error) {
  FileBytes bytes = gzip(idx_images(10, 4, 4));
  bytes.push_back('x');
  BOOST_TEST(says(error_of(bytes).detail, {"has bytes after the end of its gzip stream"}));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_something_else_is_called_by_its_name) {
  const FileBytes png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  BOOST_TEST(says(error_of(png).detail, {"is a PNG image, not IDX images (magic 0x00000803)"}));
  FileBytes tar(512);
  for (std::size_t i = 0; i < 5; ++i) tar[257 + i] = static_cast<std::uint8_t>("ustar"[i]);
  BOOST_TEST(says(error_of(gzip(tar)).detail, {"is a gzip of a tar archive, not IDX images"}));
  BOOST_TEST(says(error_of(idx_bytes(0xD03, {1, 2, 2}, FileBytes(16))).detail,
                  {"is an IDX file of floats, not IDX images"}));
  BOOST_TEST(says(error_of({'a', ',', 'b'}).detail, {"is text that begins \"a,b\", not IDX"}));
  BOOST_TEST(says(error_of({}).detail, {"is empty, not IDX images"}));
  BOOST_TEST(says(error_of(gzip({})).detail, {"is empty, not IDX images"}));
}

BOOST_AUTO_TEST_CASE(labels_and_images_given_for_each_other_are_told) {
  BOOST_TEST(says(error_of(idx_labels(10, 2)).detail, {"is IDX labels, not IDX images"}));
  BOOST_TEST(says(error_of(idx_images(2, 2, 2), IdxKind::Labels).detail,
                  {"is IDX images, not IDX labels (magic 0x00000801)"}));
}

BOOST_AUTO_TEST_CASE(no_images_and_no_labels_are_errors) {
  BOOST_TEST(says(error_of(idx_images(0, 28, 28)).detail, {"holds no images", "count is 0"}));
  BOOST_TEST(says(error_of(idx_labels(0, 1), IdxKind::Labels).detail, {"holds no labels"}));
}

BOOST_AUTO_TEST_CASE(sides_of_zero_or_beyond_the_limit_are_refused) {
  BOOST_TEST(says(error_of(idx_images(3, 0, 28)).detail, {"images of 0 x 28", "1 to 4096"}));
  const Error wide = error_of(idx_bytes(0x803, {1, 1, 4097}, FileBytes(4097)));
  BOOST_TEST((wide.code == ErrorCode::Limit));
  BOOST_TEST(says(wide.detail, {"images of 1 x 4097"}));
  const TemporaryDirectory directory;
  const auto widest = read_idx(
      directory.write("w", idx_bytes(0x803, {1, 1, 4096}, FileBytes(4096))), IdxKind::Images);
  BOOST_TEST(widest.has_value());
}

BOOST_AUTO_TEST_CASE(an_examination_keeps_the_whole_images_of_a_damaged_file) {
  const TemporaryDirectory directory;
  FileBytes bytes = idx_images(10, 4, 4);
  bytes.resize(16 + 70);
  const IdxFile file = examine_idx(directory.write("cut", bytes), IdxKind::Images);
  BOOST_TEST(file.problems.size() == 1U);
  BOOST_TEST(file.count == 10U);
  BOOST_TEST(file.readable_count() == 4U);
  BOOST_TEST(file.values.size() == 64U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
