// Wrong files are called by their name.
#include "data/file_kind.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(file_kind)

using std::string_view_literals::operator""sv;

namespace {

std::string kind_of(std::string_view content) {
  return describe_content(
      std::span(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(pictures_archives_and_arrays_are_known_by_their_signatures) {
  BOOST_TEST(kind_of("\x89PNG\r\n\x1A\n...."sv) == "a PNG image");
  BOOST_TEST(kind_of("\xFF\xD8\xFF\xE0...."sv) == "a JPEG image");
  BOOST_TEST(kind_of("PK\x03\x04...."sv) == "a ZIP archive");
  BOOST_TEST(kind_of("\x93NUMPY\x01"sv) == "a NumPy array");
  BOOST_TEST(kind_of("MATLAB 5.0 MAT-file, Platform"sv) == "a MATLAB file");
}

BOOST_AUTO_TEST_CASE(a_tar_archive_is_known_by_its_signature_at_byte_257) {
  std::string tar(512, '\0');
  tar.replace(0, 7, "a.idx-3");
  tar.replace(257, 5, "ustar");
  BOOST_TEST(kind_of(tar) == "a tar archive");
}

BOOST_AUTO_TEST_CASE(idx_files_are_told_apart_by_type_and_dimensions) {
  BOOST_TEST(kind_of("\0\0\x08\x03"sv) == "IDX images");
  BOOST_TEST(kind_of("\0\0\x08\x01"sv) == "IDX labels");
  BOOST_TEST(kind_of("\0\0\x0D\x03"sv) == "an IDX file of floats");
  BOOST_TEST(kind_of("\0\0\x08\x04"sv) == "an IDX file of unsigned bytes in 4 dimensions");
  BOOST_TEST(kind_of("\x03\x08\0\0"sv) == "an IDX file whose header is in the wrong byte order");
}

BOOST_AUTO_TEST_CASE(text_is_quoted_in_part_and_never_with_control_characters) {
  BOOST_TEST(kind_of("label,pixel0\n1,2"sv) == "text that begins \"label,pixel0\"");
  BOOST_TEST(kind_of("<!DOCTYPE html>"sv) == "an HTML or XML page that begins \"<!DOCTYPE html>\"");
  BOOST_TEST(kind_of("version https://git-lfs.github.com/spec/v1"sv) ==
             "a Git LFS pointer, without the file it points to");
  BOOST_TEST(kind_of("\xC3\xA4 word"sv) == "text that begins \".. word\"");
}

BOOST_AUTO_TEST_CASE(anything_else_is_told_by_its_first_bytes) {
  BOOST_TEST(kind_of(""sv) == "empty");
  BOOST_TEST(kind_of("\x01\x02"sv) == "binary data that begins 0x0102");
  BOOST_TEST(kind_of("\x1B[31m"sv) == "binary data that begins 0x1b5b3331");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data
