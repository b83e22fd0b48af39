#include "data/idx.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/hex.hpp"
#include "data/file_kind.hpp"
#include "data/input_file.hpp"

namespace quadrille::data {
namespace {

constexpr std::size_t read_step_bytes = std::size_t{1} << 20;
// Photographs of digits and clothes shrink two to five times: with this the first allocation is
// nearly always the last, and still bounded by what is on the disk.
constexpr std::uint64_t usual_ratio_max = 8;

std::string_view name_of(IdxKind kind) {
  return kind == IdxKind::Images ? "images" : "labels";
}

// As its bytes stand in the file.
std::string magic_text(std::uint32_t magic) {
  const std::array<std::uint8_t, 4> bytes{
      static_cast<std::uint8_t>(magic >> 24), static_cast<std::uint8_t>(magic >> 16),
      static_cast<std::uint8_t>(magic >> 8), static_cast<std::uint8_t>(magic)};
  return "0x" + hex_text(bytes_of(std::span<const std::uint8_t>(bytes)));
}

std::uint32_t big_endian(std::span<const std::uint8_t> bytes, std::size_t offset) {
  return std::uint32_t{bytes[offset]} << 24 | std::uint32_t{bytes[offset + 1]} << 16 |
         std::uint32_t{bytes[offset + 2]} << 8 | std::uint32_t{bytes[offset + 3]};
}

void blame(IdxFile& file, ErrorCode code, const std::string& what) {
  file.problems.push_back(Error{code, file.path.string() + ": " + what});
}

std::size_t header_bytes(IdxKind kind) {
  return kind == IdxKind::Images ? 16 : 8;
}

std::string promised(const IdxFile& file) {
  std::string text = std::to_string(file.count) + " " + std::string(name_of(file.kind));
  if (file.kind == IdxKind::Images)
    text += " of " + std::to_string(file.shape.height) + " x " + std::to_string(file.shape.width);
  return text;
}

void blame_wrong_kind(IdxFile& file, std::span<const std::uint8_t> first) {
  const std::string found = describe_content(first);
  const std::string expected = "IDX " + std::string(name_of(file.kind));
  const std::uint32_t magic = file.kind == IdxKind::Images ? idx_images_magic : idx_labels_magic;
  const std::string wanted = expected + " (magic " + magic_text(magic) + ")";
  if (first.empty())
    return blame(file, ErrorCode::Corrupt, "is empty, not " + wanted + "; fetch it again");
  if (found == expected)  // the magic is right, the rest of the header is missing
    return blame(file, ErrorCode::Corrupt,
                 "is cut short within its header, after " + std::to_string(first.size()) +
                     " bytes; fetch it again");
  blame(file, ErrorCode::Corrupt,
        "is " + std::string(file.compressed ? "a gzip of " : "") + found + ", not " + wanted +
            "; give the set's files as they were published, plain or .gz");
}

// Whether the header is one of `file.kind`; its fields go to `file`.
bool parse_header(IdxFile& file, std::span<const std::uint8_t> first) {
  const std::uint32_t magic = file.kind == IdxKind::Images ? idx_images_magic : idx_labels_magic;
  if (first.size() < header_bytes(file.kind) || big_endian(first, 0) != magic) {
    blame_wrong_kind(file, first);
    return false;
  }
  file.count = big_endian(first, 4);
  if (file.kind == IdxKind::Images)
    file.shape = {.height = big_endian(first, 8), .width = big_endian(first, 12)};
  return true;
}

// Whether the promised dimensions make sense at all.
bool check_dimensions(IdxFile& file) {
  const auto [height, width, channels] = file.shape;
  if (height == 0 || width == 0 || height > image_side_max || width > image_side_max) {
    blame(file, ErrorCode::Limit,
          "claims images of " + std::to_string(height) + " x " + std::to_string(width) +
              "; a side is 1 to " + std::to_string(image_side_max) +
              " pixels: the header is damaged or not an image set's");
    file.shape = {};
    return false;
  }
  if (file.count == 0) {
    blame(file, ErrorCode::Corrupt,
          "holds no " + std::string(name_of(file.kind)) + " (its count is 0); fetch it again");
    return false;
  }
  return true;
}

std::uint64_t first_allocation_bytes(const InputFile& input, std::uint64_t expected) {
  return std::min({expected, input.content_bytes_max(), input.file_bytes() * usual_ratio_max});
}

// While a buffer that has become too small is copied to a larger one, both are there.
std::uint64_t memory_bytes_needed(const InputFile& input, std::uint64_t expected) {
  return first_allocation_bytes(input, expected) < expected ? 2 * expected : expected;
}

// Takes up to `expected` bytes: those already read, then the file's.
void read_values(InputFile& input, std::span<const std::uint8_t> already, std::uint64_t expected,
                 std::vector<std::uint8_t>& values) {
  values.reserve(static_cast<std::size_t>(first_allocation_bytes(input, expected)));
  const std::uint64_t taken = std::min<std::uint64_t>(already.size(), expected);
  values.assign(already.begin(), already.begin() + static_cast<std::ptrdiff_t>(taken));
  while (values.size() < expected) {
    const std::size_t at = values.size();
    const auto step =
        static_cast<std::size_t>(std::min<std::uint64_t>(expected - at, read_step_bytes));
    if (at + step > values.capacity())
      values.reserve(static_cast<std::size_t>(
          std::min<std::uint64_t>(expected, 2 * std::uint64_t{at + step})));
    values.resize(at + step);
    const std::size_t got = input.read(std::span(values).subspan(at, step));
    values.resize(at + got);
    if (got < step) return;
  }
}

void blame_cut_short(IdxFile& file, std::uint64_t expected, std::uint64_t present,
                     const std::optional<Error>& reason) {
  const std::string counts = "its header promises " + promised(file) + " (" +
                             std::to_string(expected) + " bytes), " + std::to_string(present) +
                             " bytes are there";
  if (reason)
    return blame(file, reason->code, reason->detail + " (" + counts + "); fetch it again");
  blame(file, ErrorCode::Corrupt, "is cut short: " + counts + "; fetch it again");
}

// After all values: the end of the file, and of a gzip stream its checksum, must follow.
void check_end(IdxFile& file, InputFile& input, std::uint64_t bytes_left_over) {
  std::array<std::uint8_t, 1> more{};
  if (bytes_left_over == 0) bytes_left_over = input.read(more);
  if (input.error())
    return blame(file, input.error()->code, input.error()->detail + "; fetch it again");
  if (bytes_left_over > 0)
    blame(file, ErrorCode::Corrupt,
          "goes on after the " + promised(file) +
              " that its header promises: the header or the content is wrong; fetch it again");
}

// What is read of a file, next to what its header promises.
struct Wanted {
  std::size_t count;
  std::uint64_t bytes_max;  // less than the count's where that many cannot be there
};

std::string reading_takes(const IdxFile& file, const Wanted& wanted, std::uint64_t memory_bytes) {
  std::string what = "them";
  if (wanted.count < file.count)
    what = std::to_string(wanted.count) + " of them";
  else if (wanted.bytes_max < std::uint64_t{wanted.count} * file.shape.size())
    what = "what can be there of them";
  return "reading " + what + " takes " + std::to_string(memory_bytes) + " bytes of memory";
}

std::uint64_t wanted_bytes_of(const IdxFile& file, const IdxBounds& bounds) {
  return std::uint64_t{std::min(file.count, bounds.count_max)} * file.shape.size();
}

// Whether the samples that are wanted of the file are few enough to be read.
bool check_size(IdxFile& file, const InputFile& input, const IdxBounds& bounds) {
  const std::uint64_t promised_bytes = std::uint64_t{file.count} * file.shape.size();
  const std::uint64_t wanted_bytes = wanted_bytes_of(file, bounds);
  const std::string promises =
      "promises " + promised(file) + " (" + std::to_string(promised_bytes) + " bytes); ";
  // More than can be there is cut short, which is found when it is read.
  const std::uint64_t there_bytes_max = input.content_bytes_max();
  if (wanted_bytes > idx_content_bytes_max && promised_bytes <= there_bytes_max) {
    blame(file, ErrorCode::Limit,
          promises + "the limit is " + std::to_string(idx_content_bytes_max) +
              " bytes: give a smaller set");
    return false;
  }
  const Wanted wanted{
      .count = std::min(file.count, bounds.count_max),
      .bytes_max = std::min({wanted_bytes, there_bytes_max, idx_content_bytes_max})};
  const std::uint64_t memory_bytes = memory_bytes_needed(input, wanted.bytes_max);
  if (memory_bytes > bounds.memory_bytes_max) {
    blame(file, ErrorCode::Limit,
          promises + reading_takes(file, wanted, memory_bytes) + ", and " +
              std::to_string(bounds.memory_bytes_max) +
              " are free: free memory, or give a smaller set");
    return false;
  }
  return true;
}

void examine_content(IdxFile& file, InputFile& input, const IdxBounds& bounds) {
  std::array<std::uint8_t, file_kind_bytes> buffer{};
  std::span<const std::uint8_t> first(buffer.data(), input.read(buffer));
  if (first.empty() && input.error()) {
    blame(file, input.error()->code, input.error()->detail + "; fetch it again");
    return;
  }
  if (!parse_header(file, first) || !check_dimensions(file)) return;
  first = first.subspan(header_bytes(file.kind));
  if (!check_size(file, input, bounds)) return;
  const std::uint64_t expected = std::uint64_t{file.count} * file.shape.size();
  const std::uint64_t wanted = wanted_bytes_of(file, bounds);
  read_values(input, first, std::min(wanted, idx_content_bytes_max), file.values);
  // Of what follows the wanted samples nothing is known.
  if (file.values.size() == wanted && wanted < expected) return;
  if (file.values.size() < expected)
    blame_cut_short(file, expected, file.values.size(), input.error());
  else
    check_end(file, input, first.size() > expected ? first.size() - expected : 0);
  file.values.resize(file.readable_count() * file.shape.size());
}

}  // namespace

IdxFile examine_idx(const std::filesystem::path& path, IdxKind kind, const IdxBounds& bounds) {
  IdxFile file;
  file.path = path;
  file.kind = kind;
  auto input = InputFile::open(path);
  if (!input) {
    blame(file, input.error().code, input.error().detail);
    return file;
  }
  file.file_bytes = input->file_bytes();
  file.compressed = input->compressed();
  examine_content(file, *input, bounds);
  return file;
}

std::optional<std::size_t> promised_count(const std::filesystem::path& path, IdxKind kind) {
  IdxFile file;
  file.kind = kind;
  auto input = InputFile::open(path);
  if (!input) return std::nullopt;
  std::array<std::uint8_t, file_kind_bytes> buffer{};
  const std::span first = std::span(buffer).first(header_bytes(kind));
  if (!parse_header(file, first.first(input->read(first)))) return std::nullopt;
  return file.count;
}

Result<IdxFile> read_idx(const std::filesystem::path& path, IdxKind kind, const IdxBounds& bounds) {
  IdxFile file = examine_idx(path, kind, bounds);
  if (!file.problems.empty()) return Failure(std::move(file.problems.front()));
  return file;
}

}  // namespace quadrille::data
