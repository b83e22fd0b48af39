// Safetensors files: named tensors with a JSON header, which other tools read without our code.
// Checkpoints are such files.
//
//   8 bytes   length of the header, little-endian
//   header    {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets"}, ...}, padded
//             with spaces to a multiple of 8
//   data      the tensors one after the other, without gaps; the offsets count from here
//
// Our files carry a checksum over the header and the data in the
// metadata; one that is there is verified. The reader trusts nothing
// else: what it returns has passed every check that the format allows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "node/files/safetensors_header.hpp"

namespace quadrille::node {

// What is written: `data` holds the product of `shape`
// values in row-major order. An empty shape is one value.
struct TensorView {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::uint64_t> shape;
  Bytes data;
};

// The key of the checksum: set by the writer, not to be given.
inline constexpr std::string_view checksum_key = "quadrille.checksum";
inline constexpr std::uint64_t safetensors_header_bytes_max = std::uint64_t{16} << 20;

// A flat tensor of floats, the usual case.
TensorView float_tensor(std::string name, std::span<const float> values);

// Writes atomically, straight from the views. Names must differ.
Result<void> write_safetensors(const std::filesystem::path& path,
                               std::span<const TensorView> tensors, const Metadata& metadata);

// A file in memory. The tensors are views into it, in the order in which the data lie; a view need
// not be aligned for its type.
class SafetensorsFile {
 public:
  SafetensorsFile(ByteBuffer data, std::vector<TensorView> tensors, Metadata metadata);
  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;

  const std::vector<TensorView>& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }
  // Whether a checksum was there (and so was verified).
  // Whoever wrote one asks for it: damage can hit its key.
  bool has_checksum() const { return metadata_.contains(std::string(checksum_key)); }

  const TensorView* find(std::string_view name) const;  // null when it is not there
  // Copies of a tensor's values, flat. Mismatch, naming the tensor (and not the file: whoever read
  // it does), when it is not there or of another type.
  Result<std::vector<float>> floats(std::string_view name) const;
  Result<std::vector<std::uint64_t>> words(std::string_view name) const;

 private:
  template <class T>
  Result<std::vector<T>> values(std::string_view name, DType dtype) const;

  ByteBuffer data_;
  std::vector<TensorView> tensors_;
  Metadata metadata_;
};

// The file's bytes; `path` is for the errors only. Corrupt when it is no such file, Mismatch for a
// type of tensor that we do not use.
Result<SafetensorsFile> parse_safetensors(const std::string& path, ByteBuffer file);

// NotFound or Io when it cannot be read, Limit when it is larger than bytes_max, Corrupt when it is
// no such file, Mismatch for a type of tensor that we do not use.
Result<SafetensorsFile> read_safetensors(const std::filesystem::path& path,
                                         std::uint64_t bytes_max = std::uint64_t{4} << 30);

}  // namespace quadrille::node
