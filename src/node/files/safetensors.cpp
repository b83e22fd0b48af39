#include "node/files/safetensors.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "base/hex.hpp"
#include "node/files/atomic_file.hpp"

namespace quadrille::node {
namespace {

constexpr std::string_view checksum_prefix = "xxh3-64:";
constexpr std::size_t length_bytes = 8;
constexpr std::size_t header_alignment = 8;

static_assert(std::endian::native == std::endian::little, "the file's values are little-endian");

// Over the header's canonical text without the checksum itself, and the data.
std::string checksum_of(SafetensorsHeader header, std::span<const Bytes> data) {
  header.metadata.erase(std::string(checksum_key));
  const std::string text = header_text(header);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  XXH3_64bits_update(state.get(), text.data(), text.size());
  for (const Bytes part : data) XXH3_64bits_update(state.get(), part.data(), part.size());
  XXH64_canonical_t hash;  // the largest byte first
  XXH64_canonicalFromHash(&hash, XXH3_64bits_digest(state.get()));
  return std::string(checksum_prefix) + hex_text(std::as_bytes(std::span(hash.digest)));
}

// The tensors one after the other, those of large values first, so that all are aligned.
std::vector<TensorView> by_alignment(std::span<const TensorView> tensors) {
  std::vector<TensorView> sorted;
  for (const std::uint64_t value_bytes : {8U, 4U, 1U}) {
    std::ranges::copy_if(tensors, std::back_inserter(sorted), [&](const TensorView& tensor) {
      return dtype_bytes(tensor.dtype) == value_bytes;
    });
  }
  return sorted;
}

SafetensorsHeader place(std::span<const TensorView> tensors, const Metadata& metadata) {
  SafetensorsHeader header{{}, metadata};
  std::uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    CHECK(tensor_bytes(tensor.dtype, tensor.shape) == tensor.data.size(), tensor.name,
          tensor.data.size());
    const std::uint64_t end = offset + tensor.data.size();
    header.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, offset, end});
    offset = end;
  }
  return header;
}

// The text of the header at the front of the file.
Result<std::string_view> read_header_text(Bytes file) {
  std::uint64_t header_bytes = 0;
  if (file.size() < length_bytes) {
    return failure(ErrorCode::Corrupt, "it has only " + std::to_string(file.size()) +
                                           " bytes: it was cut short or is no safetensors file");
  }
  std::memcpy(&header_bytes, file.data(), length_bytes);
  if (header_bytes > file.size() - length_bytes || header_bytes > safetensors_header_bytes_max) {
    return failure(ErrorCode::Corrupt, "it claims a header of " + std::to_string(header_bytes) +
                                           " bytes in " + std::to_string(file.size()) +
                                           ": it was cut short or is no safetensors file");
  }
  return std::string_view(reinterpret_cast<const char*>(file.data()) + length_bytes,
                          static_cast<std::size_t>(header_bytes));
}

Result<SafetensorsFile> parse(ByteBuffer file) {
  TRY(text, read_header_text(file));
  const Bytes data = Bytes(file).subspan(length_bytes + text.size());
  TRY(header, parse_header(text, data.size()));
  const auto stored = header.metadata.find(std::string(checksum_key));
  if (stored != header.metadata.end()) {
    const std::string computed = checksum_of(header, std::span<const Bytes>(&data, 1));
    if (stored->second != computed) {
      return failure(ErrorCode::Corrupt, "its checksum is " + computed + ", and it claims " +
                                             stored->second + ": it was damaged");
    }
  }
  std::vector<TensorView> tensors;
  for (PlacedTensor& placed : header.tensors) {
    tensors.push_back({std::move(placed.name), placed.dtype, std::move(placed.shape),
                       data.subspan(static_cast<std::size_t>(placed.begin),
                                    static_cast<std::size_t>(placed.end - placed.begin))});
  }
  return SafetensorsFile(std::move(file), std::move(tensors), std::move(header.metadata));
}

}  // namespace

TensorView float_tensor(std::string name, std::span<const float> values) {
  return {std::move(name), DType::F32, {values.size()}, bytes_of(values)};
}

Result<void> write_safetensors(const std::filesystem::path& path,
                               std::span<const TensorView> tensors, const Metadata& metadata) {
  CHECK(!metadata.contains(std::string(checksum_key)));
  const std::vector<TensorView> sorted = by_alignment(tensors);
  std::vector<Bytes> parts(2);  // the length and the header, once known
  for (const TensorView& tensor : sorted) parts.push_back(tensor.data);

  SafetensorsHeader header = place(sorted, metadata);
  header.metadata[std::string(checksum_key)] = checksum_of(header, std::span(parts).subspan(2));
  std::string text = header_text(header);
  text.resize((text.size() + header_alignment - 1) / header_alignment * header_alignment, ' ');
  const std::uint64_t header_bytes = text.size();
  CHECK(header_bytes <= safetensors_header_bytes_max, header_bytes);
  parts[0] = bytes_of(std::span(&header_bytes, 1));
  parts[1] = bytes_of(std::span<const char>(text));
  return write_file_atomically(path, parts);
}

SafetensorsFile::SafetensorsFile(ByteBuffer data, std::vector<TensorView> tensors,
                                 Metadata metadata)
    : data_(std::move(data)), tensors_(std::move(tensors)), metadata_(std::move(metadata)) {}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto tensor = std::ranges::find(tensors_, name, &TensorView::name);
  return tensor == tensors_.end() ? nullptr : &*tensor;
}

template <class T>
Result<std::vector<T>> SafetensorsFile::values(std::string_view name, DType dtype) const {
  const TensorView* tensor = find(name);
  if (tensor == nullptr) {
    return failure(ErrorCode::Mismatch, "there is no tensor '" + std::string(name) + "'");
  }
  if (tensor->dtype != dtype) {
    return failure(ErrorCode::Mismatch, "tensor '" + std::string(name) + "' is " +
                                            std::string(dtype_name(tensor->dtype)) + ", not " +
                                            std::string(dtype_name(dtype)));
  }
  std::vector<T> copy(tensor->data.size() / sizeof(T));
  if (!copy.empty()) std::memcpy(copy.data(), tensor->data.data(), tensor->data.size());
  return copy;
}

Result<std::vector<float>> SafetensorsFile::floats(std::string_view name) const {
  return values<float>(name, DType::F32);
}

Result<std::vector<std::uint64_t>> SafetensorsFile::words(std::string_view name) const {
  return values<std::uint64_t>(name, DType::U64);
}

Result<SafetensorsFile> parse_safetensors(const std::string& path, ByteBuffer file) {
  auto parsed = parse(std::move(file));
  if (!parsed) return Failure(failure_in(path, parsed.error()));
  return parsed;
}

Result<SafetensorsFile> read_safetensors(const std::filesystem::path& path,
                                         std::uint64_t bytes_max) {
  TRY(file, read_file(path, bytes_max));
  return parse_safetensors(path.string(), std::move(file));
}

}  // namespace quadrille::node
