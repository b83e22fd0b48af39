#include "data/made_files.hpp"

#include <zlib.h>

#include <iostream>
#include <stdexcept>

namespace quadrille::data::test {

std::filesystem::path TemporaryDirectory::write(const std::string& name,
                                                const FileBytes& bytes) const {
  return write(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::filesystem::path TemporaryDirectory::write(const std::string& name,
                                                std::string_view text) const {
  const std::filesystem::path file = path() / name;
  std::filesystem::create_directories(file.parent_path());
  quadrille::test::put_contents(file, text);
  return file;
}

FileBytes idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& dimensions,
                    const FileBytes& values) {
  FileBytes bytes;
  const auto put = [&](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<std::uint8_t>(number >> shift));
  };
  put(magic);
  for (const std::uint32_t dimension : dimensions) put(dimension);
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

FileBytes idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  FileBytes values;
  for (std::uint32_t image = 0; image < count; ++image) {
    for (std::uint32_t pixel = 0; pixel < rows * columns; ++pixel)
      values.push_back(static_cast<std::uint8_t>(pixel * 7 + image));
    const std::size_t first = values.size() - std::size_t{rows} * columns;
    if (rows * columns > 1) values[first + 1] = static_cast<std::uint8_t>(image >> 8);
  }
  return idx_bytes(0x803, {count, rows, columns}, values);
}

FileBytes idx_labels(std::uint32_t count, std::uint32_t classes) {
  FileBytes values;
  for (std::uint32_t row = 0; row < count; ++row)
    values.push_back(static_cast<std::uint8_t>(row % classes));
  return idx_bytes(0x801, {count}, values);
}

FileBytes gzip(const FileBytes& content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::runtime_error("deflateInit2");
  FileBytes input = content;
  FileBytes output(deflateBound(&stream, static_cast<uLong>(input.size())) + 64);
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = output.data();
  stream.avail_out = static_cast<uInt>(output.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  output.resize(stream.total_out);
  deflateEnd(&stream);
  return output;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool says(std::string_view error, const std::vector<std::string_view>& parts) {
  bool all = !contains(error, "\n");
  for (const std::string_view part : parts) all = all && contains(error, part);
  if (!all) std::cerr << "the error line was: " << error << '\n';
  return all;
}

}  // namespace quadrille::data::test
