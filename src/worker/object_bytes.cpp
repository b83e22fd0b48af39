#include "worker/object_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/all_finite.hpp"
#include "base/hash.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"

namespace quadrille::worker {
namespace {

constexpr std::array<char, 3> magic = {'Q', 'C', 'O'};
constexpr std::uint8_t format_version = 1;
constexpr std::size_t checksum_offset = 8;
constexpr std::size_t covered_offset = 16;  // by the checksum; what is before it seeds it
constexpr std::size_t header_bytes = 32;
constexpr std::size_t heard_bytes = 16;  // of each
constexpr std::size_t name_bytes_max = 255;

enum class ObjectKind : std::uint8_t { State = 1, Snapshot = 2 };
enum class PartKind : std::uint8_t { Tensor = 1, Counter = 2, Snapshot = 3 };

struct Header {
  ObjectKind kind = ObjectKind::State;
  CellIndex cell;
  Round round;
};

std::uint64_t checksum_of(Bytes object) {
  return hash_of(object.subspan(covered_offset), wire::load_little<std::uint64_t>(object.data()));
}

Failure corrupt(std::string what) {
  return failure(ErrorCode::Corrupt, std::move(what));
}

// --- Writing ---

template <class Number>
void put(ByteBuffer& out, Number number) {
  out.resize(out.size() + sizeof number);
  wire::store_little(out.data() + out.size() - sizeof number, number);
}

void put_bytes(ByteBuffer& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void put_round(ByteBuffer& out, Round round) {
  put(out, round.index);
  put(out, round.subround);
}

void put_header(ByteBuffer& out, const Header& header) {
  put_bytes(out, std::as_bytes(std::span(magic)));
  put(out, format_version);
  put(out, static_cast<std::uint8_t>(header.kind));
  out.resize(covered_offset);
  put_round(out, header.round);
  put(out, header.cell.value);
}

void seal(ByteBuffer& object) {
  wire::store_little(object.data() + checksum_offset, checksum_of(object));
}

Result<void> put_part(ByteBuffer& out, PartKind kind, const std::string& name,
                      std::uint64_t number) {
  if (name.size() > name_bytes_max)
    return failure(ErrorCode::Limit, "the name \"" + name + "\" is longer than 255 bytes");
  put(out, static_cast<std::uint8_t>(kind));
  put(out, static_cast<std::uint8_t>(name.size()));
  put(out, number);
  put_bytes(out, std::as_bytes(std::span(name)));
  return {};
}

Result<void> put_floats(ByteBuffer& out, const std::vector<float>& values) {
  if (!all_finite(values)) return failure(ErrorCode::NotFinite, "a float is NaN or infinite");
  put_bytes(out, bytes_of(std::span(values)));
  return {};
}

Result<void> put_snapshot(ByteBuffer& out, const PublishedSnapshot& snapshot) {
  if (snapshot.exact.size() > wire::exact_bytes_max || snapshot.heard.size() > heard_max)
    return failure(ErrorCode::Limit, "a snapshot's exact part or list of rounds is too long");
  TRY_VOID(put_part(out, PartKind::Snapshot, {}, snapshot.values.size()));
  put_round(out, snapshot.round);
  put(out, static_cast<std::uint32_t>(snapshot.exact.size()));
  put(out, static_cast<std::uint32_t>(snapshot.heard.size()));
  for (const auto& [cell, round] : snapshot.heard) {
    put(out, cell.value);
    put_round(out, round);
  }
  put_bytes(out, snapshot.exact);
  return put_floats(out, snapshot.values);
}

// --- Reading ---

class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  std::size_t size() const { return rest_.size(); }
  Result<Bytes> take(std::uint64_t count) {
    if (count > rest_.size())
      return corrupt("it ends early: " + std::to_string(count) + " bytes were to follow");
    const Bytes taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  template <class Number>
  Result<Number> number() {
    TRY(bytes, take(sizeof(Number)));
    return wire::load_little<Number>(bytes.data());
  }
  Result<Round> round() {
    TRY(index, number<std::uint64_t>());
    TRY(subround, number<std::uint32_t>());
    return Round{.index = index, .subround = subround};
  }
  Result<std::vector<float>> floats(std::uint64_t count) {
    if (count > rest_.size() / sizeof(float))
      return corrupt("it ends early: " + std::to_string(count) + " floats were to follow");
    TRY(bytes, take(count * sizeof(float)));
    std::vector<float> values(static_cast<std::size_t>(count));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    if (!all_finite(values)) return failure(ErrorCode::NotFinite, "a float is NaN or infinite");
    return values;
  }

 private:
  Bytes rest_;
};

Result<Header> read_header(Bytes object, ObjectKind expected) {
  if (object.size() < header_bytes || std::memcmp(object.data(), magic.data(), magic.size()) != 0)
    return corrupt("it does not begin as an object of a cell");
  const auto version = std::to_integer<unsigned>(object[magic.size()]);
  if (version != format_version)
    return failure(ErrorCode::Mismatch,
                   "it has format version " + std::to_string(version) + ", this release reads 1");
  if (wire::load_little<std::uint64_t>(object.data() + checksum_offset) != checksum_of(object))
    return corrupt("its checksum is wrong");
  // Kind, and three bytes of zeros.
  if (wire::load_little<std::uint32_t>(object.data() + 4) != static_cast<std::uint32_t>(expected))
    return corrupt("it is of another kind");
  Reader fields(object.subspan(covered_offset));
  TRY(round, fields.round());
  TRY(cell, fields.number<std::uint32_t>());
  return Header{.kind = expected, .cell = {cell}, .round = round};
}

struct Part {
  PartKind kind = PartKind::Tensor;
  std::string name;
  std::uint64_t number = 0;
};

Result<Part> read_part(Reader& reader) {
  TRY(kind, reader.number<std::uint8_t>());
  TRY(name_bytes, reader.number<std::uint8_t>());
  TRY(number, reader.number<std::uint64_t>());
  TRY(name, reader.take(name_bytes));
  return Part{.kind = static_cast<PartKind>(kind),
              .name = {reinterpret_cast<const char*>(name.data()), name.size()},
              .number = number};
}

Result<std::map<CellIndex, Round>> read_heard(Reader& reader, std::uint32_t count) {
  if (count > heard_max || count > reader.size() / heard_bytes)
    return failure(ErrorCode::Limit, "a snapshot heard of " + std::to_string(count) + " cells");
  std::map<CellIndex, Round> heard;
  for (std::uint32_t i = 0; i < count; ++i) {
    TRY(cell, reader.number<std::uint32_t>());
    TRY(round, reader.round());
    if (!heard.empty() && CellIndex{cell} <= heard.rbegin()->first)
      return corrupt("the cells that a snapshot heard of are out of order");
    heard.emplace_hint(heard.end(), CellIndex{cell}, round);
  }
  return heard;
}

Result<PublishedSnapshot> read_snapshot(Reader& reader, const Part& part) {
  if (!part.name.empty()) return corrupt("a snapshot has a name");
  PublishedSnapshot snapshot;
  TRY(round, reader.round());
  TRY(exact_bytes, reader.number<std::uint32_t>());
  if (exact_bytes > wire::exact_bytes_max)
    return failure(ErrorCode::Limit, "an exact part of " + std::to_string(exact_bytes) + " bytes");
  TRY(heard_count, reader.number<std::uint32_t>());
  TRY(heard, read_heard(reader, heard_count));
  TRY(exact, reader.take(exact_bytes));
  TRY(values, reader.floats(part.number));
  snapshot.round = round;
  snapshot.heard = std::move(heard);
  snapshot.exact.assign(exact.begin(), exact.end());
  snapshot.values = std::move(values);
  return snapshot;
}

// What a cell published it published before, or as, it was saved. Its readers would pass over every
// round up to one that it never reached.
Result<void> add_snapshot(SavedCell& saved, Reader& reader, const Part& part) {
  std::vector<PublishedSnapshot>& snapshots = saved.snapshots;
  if (snapshots.size() == saved_snapshots_max)
    return failure(ErrorCode::Limit, "more than two snapshots");
  TRY(snapshot, read_snapshot(reader, part));
  if (snapshot.round > saved.state.round) return corrupt("a snapshot is newer than the state");
  if (!snapshots.empty() && snapshot.round <= snapshots.back().round)
    return corrupt("its snapshots are out of order");
  snapshots.push_back(std::move(snapshot));
  return {};
}

Result<void> add_part(SavedCell& saved, Reader& reader, const Part& part) {
  switch (part.kind) {
    case PartKind::Tensor: {
      TRY(values, reader.floats(part.number));
      saved.state.tensors.push_back({.name = part.name, .values = std::move(values)});
      return {};
    }
    case PartKind::Counter:
      saved.state.counters.emplace_back(part.name, part.number);
      return {};
    case PartKind::Snapshot:
      return add_snapshot(saved, reader, part);
  }
  return corrupt("a part of kind " + std::to_string(static_cast<int>(part.kind)));
}

}  // namespace

Result<ByteBuffer> to_bytes(const SavedCell& saved) {
  const peer::CellState& state = saved.state;
  if (saved.snapshots.size() > saved_snapshots_max ||
      state.tensors.size() + state.counters.size() + saved.snapshots.size() > object_parts_max)
    return failure(ErrorCode::Limit, "the cell's state has too many parts");
  ByteBuffer object;
  put_header(object, {.kind = ObjectKind::State, .cell = saved.cell, .round = state.round});
  for (const peer::CellState::Floats& tensor : state.tensors) {
    TRY_VOID(put_part(object, PartKind::Tensor, tensor.name, tensor.values.size()));
    TRY_VOID(put_floats(object, tensor.values));
  }
  for (const auto& [name, number] : state.counters)
    TRY_VOID(put_part(object, PartKind::Counter, name, number));
  for (const PublishedSnapshot& snapshot : saved.snapshots)
    TRY_VOID(put_snapshot(object, snapshot));
  seal(object);
  return object;
}

Result<ByteBuffer> to_bytes(const SavedSnapshot& saved) {
  ByteBuffer object;
  put_header(object,
             {.kind = ObjectKind::Snapshot, .cell = saved.cell, .round = saved.snapshot.round});
  TRY_VOID(put_snapshot(object, saved.snapshot));
  seal(object);
  return object;
}

Result<SavedCell> read_saved_cell(Bytes bytes) {
  TRY(header, read_header(bytes, ObjectKind::State));
  SavedCell saved{.cell = header.cell, .state = {}, .snapshots = {}};
  saved.state.round = header.round;
  Reader reader(bytes.subspan(header_bytes));
  PartKind latest = PartKind::Tensor;
  for (std::size_t parts = 0; reader.size() > 0; ++parts) {
    if (parts == object_parts_max)
      return failure(ErrorCode::Limit, "more than " + std::to_string(object_parts_max) + " parts");
    TRY(part, read_part(reader));
    if (part.kind < latest) return corrupt("its parts are out of order");
    latest = part.kind;
    TRY_VOID(add_part(saved, reader, part));
  }
  return saved;
}

Result<SavedSnapshot> read_saved_snapshot(Bytes bytes) {
  TRY(header, read_header(bytes, ObjectKind::Snapshot));
  Reader reader(bytes.subspan(header_bytes));
  TRY(part, read_part(reader));
  if (part.kind != PartKind::Snapshot) return corrupt("it holds no snapshot");
  TRY(snapshot, read_snapshot(reader, part));
  if (reader.size() > 0) return corrupt("bytes follow its end");
  if (snapshot.round != header.round) return corrupt("it is of another round than it says");
  return SavedSnapshot{.cell = header.cell, .snapshot = std::move(snapshot)};
}

}  // namespace quadrille::worker
