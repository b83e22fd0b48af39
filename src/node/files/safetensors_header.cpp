#include "node/files/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/check.hpp"

namespace quadrille::node {
namespace {

using Json = nlohmann::json;

constexpr std::string_view metadata_name = "__metadata__";
constexpr std::size_t depth_max = 3;  // { name: { "shape": [ ] } }

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<DTypeRow, 4> dtypes{{
    {DType::F32, "F32", 4},
    {DType::U8, "U8", 1},
    {DType::U64, "U64", 8},
    {DType::I64, "I64", 8},
}};

const DTypeRow& row_of(DType dtype) {
  return *std::ranges::find(dtypes, dtype, &DTypeRow::dtype);
}

Failure corrupt(std::string what) {
  return failure(ErrorCode::Corrupt, std::move(what));
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
      if (++depth > depth_max) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// Corrupt when it is no JSON object, or says a thing twice (the parser would take the last one).
Result<Json> parse_object(std::string_view text) {
  if (nests_too_deep(text)) return corrupt("its header nests too deep");
  std::vector<std::set<std::string>> open_objects;
  std::optional<std::string> duplicate;
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
    return corrupt("its header is not a JSON object");
  }
  if (duplicate) return corrupt("its header names '" + *duplicate + "' twice");
  return header;
}

bool is_unsigned_list(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& element) {
           return element.is_number_unsigned();
         });
}

Result<PlacedTensor> parse_tensor(const std::string& name, const Json& entry,
                                  std::uint64_t data_bytes) {
  const auto refused = [&](const std::string& what) {
    return failure(ErrorCode::Corrupt, "tensor '" + name + "' " + what);
  };
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    return refused("does not have exactly dtype, shape and data_offsets");
  }
  if (!entry["dtype"].is_string()) return refused("has a dtype that is no text");
  if (!is_unsigned_list(entry["shape"])) return refused("has a shape that is no list of sizes");
  const Json& offsets = entry["data_offsets"];
  if (!is_unsigned_list(offsets) || offsets.size() != 2) {
    return refused("has data_offsets that are no pair of offsets");
  }
  const auto type_name = entry["dtype"].get<std::string>();
  const auto dtype = std::ranges::find(dtypes, type_name, &DTypeRow::name);
  if (dtype == dtypes.end()) {
    return failure(ErrorCode::Mismatch, "tensor '" + name + "' has dtype '" + type_name +
                                            "'; known are F32, U8, U64 and I64");
  }
  PlacedTensor placed{name, dtype->dtype, entry["shape"].get<std::vector<std::uint64_t>>(),
                      offsets[0].get<std::uint64_t>(), offsets[1].get<std::uint64_t>()};
  if (placed.begin > placed.end || placed.end > data_bytes) {
    return refused("lies at " + std::to_string(placed.begin) + " to " + std::to_string(placed.end) +
                   ", outside the " + std::to_string(data_bytes) + " bytes of data");
  }
  if (tensor_bytes(placed.dtype, placed.shape) != placed.end - placed.begin) {
    return refused("has a shape that does not fit its " +
                   std::to_string(placed.end - placed.begin) + " bytes");
  }
  return placed;
}

// Sorts the tensors by their data, which must cover every byte once.
Result<void> put_in_order(std::vector<PlacedTensor>& tensors, std::uint64_t data_bytes) {
  std::ranges::sort(tensors, {},
                    [](const PlacedTensor& tensor) { return std::pair(tensor.begin, tensor.end); });
  std::uint64_t covered = 0;
  for (const PlacedTensor& tensor : tensors) {
    if (tensor.begin != covered) {
      return corrupt("tensor '" + tensor.name + "' " +
                     (tensor.begin < covered ? "overlaps another" : "leaves a gap before it"));
    }
    covered = tensor.end;
  }
  if (covered != data_bytes) {
    return corrupt(std::to_string(data_bytes - covered) + " bytes at its end belong to no tensor");
  }
  return {};
}

Result<Metadata> parse_metadata(const Json& header) {
  Metadata metadata;
  const auto entry = header.find(metadata_name);
  if (entry == header.end()) return metadata;
  if (!entry->is_object()) return corrupt("its metadata is not an object");
  for (const auto& [key, value] : entry->items()) {
    if (!value.is_string()) {
      return corrupt("its metadata '" + key + "' is not text");
    }
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  return row_of(dtype).name;
}

std::uint64_t dtype_bytes(DType dtype) {
  return row_of(dtype).bytes;
}

std::optional<std::uint64_t> tensor_bytes(DType dtype, std::span<const std::uint64_t> shape) {
  std::uint64_t bytes = dtype_bytes(dtype);
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) return {};
    bytes *= extent;
  }
  return bytes;
}

std::string header_text(const SafetensorsHeader& header) {
  Json json = Json::object();
  if (!header.metadata.empty()) json[std::string(metadata_name)] = header.metadata;
  for (const PlacedTensor& tensor : header.tensors) {
    CHECK(tensor.name != metadata_name && !json.contains(tensor.name), tensor.name);
    json[tensor.name] = {{"dtype", dtype_name(tensor.dtype)},
                         {"shape", tensor.shape},
                         {"data_offsets", {tensor.begin, tensor.end}}};
  }
  // Text that is not UTF-8 cannot stand in JSON; a replacement character is better than no file.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<SafetensorsHeader> parse_header(std::string_view text, std::uint64_t data_bytes) {
  TRY(json, parse_object(text));
  TRY(metadata, parse_metadata(json));
  SafetensorsHeader header{{}, std::move(metadata)};
  for (const auto& [name, entry] : json.items()) {
    if (name == metadata_name) continue;
    TRY(tensor, parse_tensor(name, entry, data_bytes));
    header.tensors.push_back(std::move(tensor));
  }
  TRY_VOID(put_in_order(header.tensors, data_bytes));
  return header;
}

}  // namespace quadrille::node
