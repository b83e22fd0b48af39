#include "node/safetensors.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "node/atomic_file.hpp"

namespace quadrille::node {
namespace {

using Json = nlohmann::json;

constexpr std::string_view metadata_name = "__metadata__";
constexpr std::string_view checksum_prefix = "xxh3-64:";
constexpr std::size_t length_bytes = 8;
constexpr std::size_t header_alignment = 8;
constexpr std::size_t header_depth_max = 3;  // { name: { "shape": [ ] } }

static_assert(std::endian::native == std::endian::little, "the file's values are little-endian");

struct DTypeName {
  DType dtype;
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<DTypeName, 4> dtype_names{{
    {DType::F32, "F32", 4},
    {DType::U8, "U8", 1},
    {DType::U64, "U64", 8},
    {DType::I64, "I64", 8},
}};

const DTypeName& name_of(DType dtype) {
  return *std::ranges::find(dtype_names, dtype, &DTypeName::dtype);
}

// None when the size does not fit 64 bits.
std::optional<std::uint64_t> byte_count(DType dtype, std::span<const std::uint64_t> shape) {
  std::uint64_t bytes = name_of(dtype).bytes;
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) return {};
    bytes *= extent;
  }
  return bytes;
}

std::string to_text(const Json& header) {
  // Text that is not UTF-8 cannot stand in JSON; a replacement character is better than no file.
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Over the header without the checksum itself, in nlohmann's canonical order and spacing, and the
// data.
std::string checksum_of(Json header, std::span<const Bytes> data) {
  if (const auto metadata = header.find(metadata_name); metadata != header.end()) {
    metadata->erase(std::string(checksum_key));
    if (metadata->empty()) header.erase(metadata);
  }
  const std::string text = to_text(header);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  XXH3_64bits_update(state.get(), text.data(), text.size());
  for (const Bytes part : data) XXH3_64bits_update(state.get(), part.data(), part.size());
  constexpr std::string_view digits = "0123456789abcdef";
  const XXH64_hash_t hash = XXH3_64bits_digest(state.get());
  std::string hex(checksum_prefix);
  for (int shift = 60; shift >= 0; shift -= 4) hex += digits[(hash >> shift) & 15];
  return hex;
}

Json make_header(std::span<const TensorView> tensors, const Metadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(metadata_name)] = metadata;
  std::uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    CHECK(tensor.name != metadata_name && !header.contains(tensor.name), tensor.name);
    CHECK(byte_count(tensor.dtype, tensor.shape) == tensor.data.size(), tensor.name,
          tensor.data.size());
    header[tensor.name] = {{"dtype", name_of(tensor.dtype).name},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.data.size()}}};
    offset += tensor.data.size();
  }
  return header;
}

// Files with values of many sizes keep the large ones aligned: 8-byte types first, bytes last.
std::vector<TensorView> by_alignment(std::span<const TensorView> tensors) {
  std::vector<TensorView> sorted(tensors.begin(), tensors.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const TensorView& tensor) { return name_of(tensor.dtype).bytes; });
  return sorted;
}

// Whether brackets outside strings nest deeper than the format's: checked before the parser, so
// that a file of a million brackets costs nothing.
bool nests_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > header_depth_max) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// The header as JSON; none with `why` set when it is not JSON, or says a thing twice.
std::optional<Json> parse_header(std::string_view text, std::string& why) {
  if (nests_too_deep(text)) {
    why = "its header nests too deep";
    return {};
  }
  std::vector<std::set<std::string>> open_objects;
  std::string duplicate;
  const auto note = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == Json::parse_event_t::object_end) open_objects.pop_back();
    if (event == Json::parse_event_t::key &&
        !open_objects.back().insert(parsed.get<std::string>()).second) {
      duplicate = parsed.get<std::string>();
    }
    return true;
  };
  Json header = Json::parse(text.begin(), text.end(), note, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object()) {
    why = "its header is not a JSON object";
    return {};
  }
  if (!duplicate.empty()) {
    why = "its header names '" + duplicate + "' twice";
    return {};
  }
  return header;
}

struct Placed {
  TensorView tensor;  // without its data
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool is_unsigned_list(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& element) {
           return element.is_number_unsigned();
         });
}

Result<Placed> parse_tensor(const std::string& name, const Json& entry, std::uint64_t data_bytes) {
  const auto corrupt = [&](const std::string& what) {
    return failure(ErrorCode::Corrupt, "tensor '" + name + "' " + what);
  };
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    return corrupt("does not have exactly dtype, shape and data_offsets");
  }
  if (!entry["dtype"].is_string()) return corrupt("has a dtype that is no text");
  if (!is_unsigned_list(entry["shape"])) return corrupt("has a shape that is no list of sizes");
  const Json& offsets = entry["data_offsets"];
  if (!is_unsigned_list(offsets) || offsets.size() != 2) {
    return corrupt("has data_offsets that are no pair of offsets");
  }
  const auto dtype_name = entry["dtype"].get<std::string>();
  const auto dtype = std::ranges::find(dtype_names, dtype_name, &DTypeName::name);
  if (dtype == dtype_names.end()) {
    return failure(ErrorCode::Mismatch, "tensor '" + name + "' has dtype '" + dtype_name +
                                            "'; known are F32, U8, U64 and I64");
  }
  Placed placed{{name, dtype->dtype, entry["shape"].get<std::vector<std::uint64_t>>(), {}},
                offsets[0].get<std::uint64_t>(),
                offsets[1].get<std::uint64_t>()};
  if (placed.begin > placed.end || placed.end > data_bytes) {
    return corrupt("lies at " + std::to_string(placed.begin) + " to " + std::to_string(placed.end) +
                   ", outside the " + std::to_string(data_bytes) + " bytes of data");
  }
  if (byte_count(dtype->dtype, placed.tensor.shape) != placed.end - placed.begin) {
    return corrupt("has a shape that does not fit its " +
                   std::to_string(placed.end - placed.begin) + " bytes");
  }
  return placed;
}

// All tensors in the order of their data, which must cover every byte once.
Result<std::vector<TensorView>> parse_tensors(const Json& header, Bytes data) {
  std::vector<Placed> all;
  for (const auto& [name, entry] : header.items()) {
    if (name == metadata_name) continue;
    TRY(placed, parse_tensor(name, entry, data.size()));
    all.push_back(std::move(placed));
  }
  std::ranges::stable_sort(
      all, {}, [](const Placed& placed) { return std::pair(placed.begin, placed.end); });
  std::vector<TensorView> tensors;
  std::uint64_t covered = 0;
  for (Placed& placed : all) {
    if (placed.begin != covered) {
      return failure(ErrorCode::Corrupt,
                     "tensor '" + placed.tensor.name + "' " +
                         (placed.begin < covered ? "overlaps another" : "leaves a gap before it"));
    }
    covered = placed.end;
    placed.tensor.data = data.subspan(static_cast<std::size_t>(placed.begin),
                                      static_cast<std::size_t>(placed.end - placed.begin));
    tensors.push_back(std::move(placed.tensor));
  }
  if (covered != data.size()) {
    return failure(ErrorCode::Corrupt,
                   std::to_string(data.size() - covered) + " bytes at its end belong to no tensor");
  }
  return tensors;
}

Result<Metadata> parse_metadata(const Json& header) {
  Metadata metadata;
  const auto entry = header.find(metadata_name);
  if (entry == header.end()) return metadata;
  if (!entry->is_object()) return failure(ErrorCode::Corrupt, "its metadata is not an object");
  for (const auto& [key, value] : entry->items()) {
    if (!value.is_string()) {
      return failure(ErrorCode::Corrupt, "its metadata '" + key + "' is not text");
    }
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

// The text of the header at the front of the file.
Result<std::string_view> header_text(Bytes file) {
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

Result<SafetensorsFile> parse_file(const std::string& path, ByteBuffer file) {
  TRY(text, header_text(file));
  std::string why;
  const std::optional<Json> header = parse_header(text, why);
  if (!header) return failure(ErrorCode::Corrupt, why);
  const Bytes data = Bytes(file).subspan(length_bytes + text.size());
  TRY(metadata, parse_metadata(*header));
  TRY(tensors, parse_tensors(*header, data));
  if (const auto stored = metadata.find(std::string(checksum_key)); stored != metadata.end()) {
    const std::string computed = checksum_of(*header, std::span<const Bytes>(&data, 1));
    if (stored->second != computed) {
      return failure(ErrorCode::Corrupt, "its checksum is " + computed + ", and it claims " +
                                             stored->second + ": it was damaged");
    }
  }
  return SafetensorsFile(path, std::move(file), std::move(tensors), std::move(metadata));
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

  Json header = make_header(sorted, metadata);
  header[std::string(metadata_name)][std::string(checksum_key)] =
      checksum_of(header, std::span(parts).subspan(2));
  std::string text = to_text(header);
  text.resize((text.size() + header_alignment - 1) / header_alignment * header_alignment, ' ');
  const std::uint64_t header_bytes = text.size();
  CHECK(header_bytes <= safetensors_header_bytes_max, header_bytes);
  parts[0] = bytes_of(std::span(&header_bytes, 1));
  parts[1] = bytes_of(std::span<const char>(text));
  return write_file_atomically(path, parts);
}

SafetensorsFile::SafetensorsFile(std::string path, ByteBuffer data, std::vector<TensorView> tensors,
                                 Metadata metadata)
    : path_(std::move(path)),
      data_(std::move(data)),
      tensors_(std::move(tensors)),
      metadata_(std::move(metadata)) {}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto tensor = std::ranges::find(tensors_, name, &TensorView::name);
  return tensor == tensors_.end() ? nullptr : &*tensor;
}

template <class T>
Result<std::vector<T>> SafetensorsFile::values(std::string_view name, DType dtype) const {
  const TensorView* tensor = find(name);
  if (tensor == nullptr) {
    return failure(ErrorCode::Mismatch, path_ + ": there is no tensor '" + std::string(name) + "'");
  }
  if (tensor->dtype != dtype) {
    return failure(ErrorCode::Mismatch, path_ + ": tensor '" + std::string(name) + "' is " +
                                            std::string(name_of(tensor->dtype).name) + ", not " +
                                            std::string(name_of(dtype).name));
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

Result<SafetensorsFile> read_safetensors(const std::filesystem::path& path,
                                         std::uint64_t bytes_max) {
  TRY(file, read_file(path, bytes_max));
  auto parsed = parse_file(path.string(), std::move(file));
  if (!parsed) return Failure(failure_in(path.string(), parsed.error()));
  return parsed;
}

}  // namespace quadrille::node
