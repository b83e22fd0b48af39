#include "data/file_kind.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/bytes.hpp"
#include "base/count_text.hpp"
#include "base/hex.hpp"

namespace quadrille::data {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view name;
};

// Text-like signatures stand here too: they are tried before "text".
constexpr std::array signatures{
    Signature{0, "\x89PNG\r\n\x1A\n"sv, "a PNG image"},
    Signature{0, "\xFF\xD8\xFF"sv, "a JPEG image"},
    Signature{0, "GIF8"sv, "a GIF image"},
    Signature{0, "II*\0"sv, "a TIFF image"},
    Signature{0, "MM\0*"sv, "a TIFF image"},
    Signature{0, "\x1F\x8B"sv, "a gzip file"},
    Signature{0, "PK\x03\x04"sv, "a ZIP archive"},
    Signature{0, "\xFD\x37zXZ\0"sv, "an xz file"},
    Signature{0, "BZh"sv, "a bzip2 file"},
    Signature{0, "\x28\xB5\x2F\xFD"sv, "a zstd file"},
    Signature{257, "ustar"sv, "a tar archive"},
    Signature{0, "\x93NUMPY"sv, "a NumPy array"},
    Signature{0, "\x89HDF\r\n\x1A\n"sv, "an HDF5 file"},
    Signature{0, "PAR1"sv, "a Parquet file"},
    Signature{0, "MATLAB 5.0 MAT-file"sv, "a MATLAB file"},
    Signature{0, "\x80\x02"sv, "a Python pickle"},
    Signature{0, "\x80\x03"sv, "a Python pickle"},
    Signature{0, "\x80\x04"sv, "a Python pickle"},
    Signature{0, "%PDF-"sv, "a PDF document"},
    Signature{0,
              "\x7F"
              "ELF"sv,
              "a program"},
    Signature{0, "version https://git-lfs"sv, "a Git LFS pointer, without the file it points to"},
};

std::string_view idx_type_name(std::uint8_t type) {
  switch (type) {
    case 0x08:
      return "unsigned bytes";
    case 0x09:
      return "signed bytes";
    case 0x0B:
      return "16-bit integers";
    case 0x0C:
      return "32-bit integers";
    case 0x0D:
      return "floats";
    case 0x0E:
      return "doubles";
    default:
      return {};
  }
}

// IDX: two zero bytes, the type of the values, the number of dimensions. Empty for anything else.
std::string describe_idx(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 4) return {};
  const bool swapped = bytes[2] == 0 && bytes[3] == 0;
  const std::uint8_t type = swapped ? bytes[1] : bytes[2];
  const std::uint8_t dimensions = swapped ? bytes[0] : bytes[3];
  const bool zeros = swapped || (bytes[0] == 0 && bytes[1] == 0);
  const std::string_view values = idx_type_name(type);
  if (!zeros || values.empty() || dimensions == 0 || dimensions > 8) return {};
  if (swapped) return "an IDX file whose header is in the wrong byte order";
  if (type == 0x08 && dimensions == 1) return "IDX labels";
  if (type == 0x08 && dimensions == 3) return "IDX images";
  if (type != 0x08) return "an IDX file of " + std::string(values);
  return "an IDX file of " + std::string(values) + " in " + count_text(dimensions, "dimension");
}

bool is_text(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) {
    return (byte >= 0x20 && byte != 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
  });
}

// The first words of a text, on one line and without what could confuse a terminal.
std::string describe_text(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t shown_max = 24;
  std::string shown;
  for (const std::uint8_t byte : bytes) {
    if (byte == '\n' || byte == '\r' || shown.size() == shown_max) break;
    shown += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
  }
  const std::string quoted = " that begins \"" + shown + "\"";
  if (shown.starts_with('<')) return "an HTML or XML page" + quoted;
  return "text" + quoted;
}

std::string describe_unknown(std::span<const std::uint8_t> bytes) {
  return "binary data that begins 0x" +
         hex_text(bytes_of(bytes.first(std::min<std::size_t>(bytes.size(), 4))));
}

}  // namespace

std::string describe_content(std::span<const std::uint8_t> first_bytes) {
  if (first_bytes.empty()) return "empty";
  const std::string_view view(reinterpret_cast<const char*>(first_bytes.data()),
                              first_bytes.size());
  for (const Signature& signature : signatures) {
    if (view.size() >= signature.offset &&
        view.substr(signature.offset).starts_with(signature.bytes))
      return std::string(signature.name);
  }
  if (std::string idx = describe_idx(first_bytes); !idx.empty()) return idx;
  if (is_text(first_bytes)) return describe_text(first_bytes);
  return describe_unknown(first_bytes);
}

}  // namespace quadrille::data
