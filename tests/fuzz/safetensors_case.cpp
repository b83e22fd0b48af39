#include "fuzz/safetensors_case.hpp"

#include "base/check.hpp"
#include "node/files/safetensors.hpp"

namespace quadrille::fuzz {
namespace {

constexpr std::size_t data_bytes = 64;

ByteBuffer file_with_header(Bytes header) {
  const std::uint64_t length = header.size();
  const Bytes length_bytes = bytes_of(std::span(&length, 1));
  ByteBuffer file(length_bytes.begin(), length_bytes.end());
  file.insert(file.end(), header.begin(), header.end());
  file.resize(file.size() + data_bytes);
  return file;
}

}  // namespace

void safetensors_case(Bytes input) {
  if (input.empty()) return;
  const bool header_only = (input[0] & std::byte{1}) != std::byte{0};
  const Bytes rest = input.subspan(1);
  ByteBuffer bytes = header_only ? file_with_header(rest) : ByteBuffer(rest.begin(), rest.end());
  const std::size_t file_bytes = bytes.size();

  const auto file = node::parse_safetensors("fuzzed", std::move(bytes));
  if (!file) {
    CHECK(file.error().detail.starts_with("fuzzed: "), file.error().detail);
    return;
  }
  std::size_t covered = 0;
  for (const node::TensorView& tensor : file->tensors()) {
    CHECK(node::tensor_bytes(tensor.dtype, tensor.shape) == tensor.data.size(), tensor.name);
    covered += tensor.data.size();
    CHECK(file->find(tensor.name) == &tensor, tensor.name);
    if (tensor.dtype == node::DType::F32) {
      CHECK(file->floats(tensor.name).value().size() * sizeof(float) == tensor.data.size());
    }
  }
  CHECK(covered <= file_bytes, covered, file_bytes);
}

}  // namespace quadrille::fuzz
