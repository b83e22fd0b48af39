// Sheets and scatter plots, pixel by pixel, and the PNG read back with libpng.
#include "node/files/sheet.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(sheet)

using test::ScratchDirectory;

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::size_t count_colour(const Picture& picture, std::array<int, 3> colour) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) {
    if (std::ranges::equal(colour, std::span(picture.pixels).subspan(i, 3))) ++count;
  }
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tiles_stand_in_rows_with_a_border_around_each) {
  const std::vector<float> values{-1, 1, 0, nan, 5};  // five samples of 1 x 1
  const auto picture =
      draw_sheet({.values = values, .count = 5, .height = 1, .width = 1, .channels = 1},
                 {.columns = 3, .zoom = 1, .border = 1});
  BOOST_REQUIRE(picture.has_value());
  BOOST_TEST(picture->width == 7u);
  BOOST_TEST(picture->height == 5u);
  const std::vector<int> expected{96, 96, 96, 96,  96, 96,  96,  //
                                  96, 0,  96, 255, 96, 128, 96,  //
                                  96, 96, 96, 96,  96, 96,  96,  //
                                  96, 0,  96, 255, 96, 96,  96,  //
                                  96, 96, 96, 96,  96, 96,  96};
  BOOST_TEST(picture->pixels == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(zoom_repeats_pixels_and_keeps_channels_together) {
  const std::vector<float> values{1, -1, -1, -1, -1, 1};  // one sample, 1 x 2, red and blue
  const auto picture =
      draw_sheet({.values = values, .count = 1, .height = 1, .width = 2, .channels = 3},
                 {.zoom = 2, .border = 0});
  BOOST_REQUIRE(picture.has_value());
  const std::vector<int> row{255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255};
  std::vector<int> expected = row;
  expected.insert(expected.end(), row.begin(), row.end());
  BOOST_TEST(picture->pixels == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(columns_are_as_square_as_it_gets_unless_told) {
  const std::vector<float> values(10 * 4);
  const ImageBatch images{.values = values, .count = 10, .height = 2, .width = 2, .channels = 1};
  const auto picture = draw_sheet(images, {.zoom = 1, .border = 0});
  BOOST_REQUIRE(picture.has_value());
  BOOST_TEST(picture->width == 8u);
  BOOST_TEST(picture->height == 6u);
}

BOOST_AUTO_TEST_CASE(a_sheet_too_large_to_look_at_is_refused) {
  const std::vector<float> values(20000);
  const ImageBatch images{.values = values, .count = 20000, .height = 1, .width = 1, .channels = 1};
  const auto picture = draw_sheet(images, {.columns = 20000, .zoom = 1});
  BOOST_REQUIRE(!picture.has_value());
  BOOST_TEST((picture.error().code == ErrorCode::Limit));
}

BOOST_AUTO_TEST_CASE(a_scatter_plot_shows_both_clouds_with_y_upwards) {
  const std::vector<float> real{0, 0, 1, 1};
  const std::vector<float> generated{0.5F, 1.0F};
  const Picture picture = draw_scatter({.real = real, .generated = generated}, 100);
  BOOST_TEST(count_colour(picture, {190, 190, 190}) == 8u);
  BOOST_TEST(count_colour(picture, {200, 40, 60}) == 4u);
  const auto red = std::ranges::find(picture.pixels, std::uint8_t{200});
  const auto row = static_cast<std::size_t>(red - picture.pixels.begin()) / (3 * 100);
  BOOST_TEST(row < 50u);  // y = 1 is above the middle
}

BOOST_AUTO_TEST_CASE(points_outside_go_to_the_rim_and_those_not_finite_are_left_out) {
  const std::vector<float> real{-1, -1, 1, 1};
  const float large = std::numeric_limits<float>::max();
  const std::vector<float> generated{large, -large, nan,
                                     0,     0,      -std::numeric_limits<float>::infinity()};
  const Picture picture = draw_scatter({.real = real, .generated = generated}, 64);
  BOOST_TEST(count_colour(picture, {200, 40, 60}) == 4u);
  BOOST_TEST(static_cast<int>(picture.pixels.back()) == 60);  // bottom right
  const std::vector<float> extreme{large, large, -large, -large};
  BOOST_TEST(count_colour(draw_scatter({.real = extreme, .generated = {}}, 64), {190, 190, 190}) ==
             8u);
  BOOST_TEST(count_colour(draw_scatter({.real = {}, .generated = {}}, 64), {255, 255, 255}) ==
             64u * 64u);
}

BOOST_AUTO_TEST_CASE(the_png_holds_exactly_the_pixels) {
  const ScratchDirectory directory;
  for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
    Picture picture{5, 3, channels, {}};
    for (std::size_t i = 0; i < 15 * channels; ++i) {
      picture.pixels.push_back(static_cast<std::uint8_t>(i * 17));
    }
    BOOST_REQUIRE(write_png(directory / "p.png", picture).has_value());
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    BOOST_REQUIRE(png_image_begin_read_from_file(&image, (directory / "p.png").c_str()) != 0);
    BOOST_TEST(image.width == 5u);
    BOOST_TEST(image.height == 3u);
    image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
    BOOST_REQUIRE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0);
    BOOST_TEST(pixels == picture.pixels, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
