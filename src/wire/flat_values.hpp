// The schemas' structs, strings and enums as the values that all other code knows. What is absent
// reads as its default: 0, nobody, nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "wire/cell_status.hpp"
#include "wire/endpoint.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/peer_record.hpp"
#include "wire/verified.hpp"

namespace flatbuffers {
struct String;
template <typename T>
class Vector;
}  // namespace flatbuffers

namespace quadrille::wire::flat {
struct CellStatus;
struct CellYield;
struct ClaimRun;
struct EdgeId;
struct Endpoint;
struct GridEpoch;
struct PeerId;
struct Round;
struct RunId;
}  // namespace quadrille::wire::flat

namespace quadrille::wire {

PeerId value_of(const flat::PeerId* id);
RunId value_of(const flat::RunId* id);
Round value_of(const flat::Round* round);
EdgeId value_of(const flat::EdgeId* edge);
Endpoint value_of(const flat::Endpoint* endpoint);
GridEpoch value_of(const flat::GridEpoch* grid);  // absent: 1 x 1, epoch 0
ClaimRun value_of(const flat::ClaimRun* run);
CellYield value_of(const flat::CellYield* yield);
CellStatus value_of(const flat::CellStatus* status);  // its numbers made sane: see cell_status.hpp
Bytes value_of(const flatbuffers::Vector<std::uint8_t>* bytes);
std::string_view value_of(const flatbuffers::String* text);

flat::PeerId flat_of(PeerId id);
flat::RunId flat_of(RunId id);
flat::Round flat_of(Round round);
flat::EdgeId flat_of(EdgeId edge);
flat::Endpoint flat_of(const Endpoint& endpoint);
flat::GridEpoch flat_of(GridEpoch grid);
flat::ClaimRun flat_of(const ClaimRun& run);
flat::CellYield flat_of(const CellYield& yield);
flat::CellStatus flat_of(const CellStatus& status);

// An enum of the schema as ours, whose last value is `last`; a later version's is Unknown.
template <auto last, class Flat>
auto enum_of(Flat value) {
  using Enum = decltype(last);
  static_assert(static_cast<int>(Flat::MAX) == static_cast<int>(last));
  return value <= Flat::MAX ? static_cast<Enum>(value) : Enum::Unknown;
}

// A list of structs. Corrupt: they lie where none may, which the verifier (2.0.8) does not see: it
// looks where a list begins, not where its elements do.
template <class Value, class Flat>
Result<std::vector<Value>> read_list(const flatbuffers::Vector<const Flat*>* list,
                                     std::string_view message) {
  std::vector<Value> values;
  if (list == nullptr || list->size() == 0) return values;
  if (!is_aligned(list->Data(), alignof(Flat))) return corrupt(message, "a list that lies askew");
  values.reserve(list->size());
  for (const Flat* value : *list) values.push_back(value_of(value));
  return values;
}

// What a builder writes of a list: nothing of an empty one. (CreateUninitializedVectorOfStructs
// would be shorter, and aligns to the size of a struct rather than to its alignment.)
template <class Flat, class Builder, class Value>
auto write_list(Builder& builder, const std::vector<Value>& values) {
  Flat (*const flat)(const Value&) = flat_of;
  using List = decltype(builder.CreateVectorOfNativeStructs(values.data(), values.size(), flat));
  if (values.empty()) return List();
  return builder.CreateVectorOfNativeStructs(values.data(), values.size(), flat);
}

template <class Builder>
auto write_bytes(Builder& builder, const ByteBuffer& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  using List = decltype(builder.CreateVector(data, bytes.size()));
  return bytes.empty() ? List() : builder.CreateVector(data, bytes.size());
}

// The bytes of what a builder has built, with `root` as its root.
template <class Builder, class Offset>
ByteBuffer finished(Builder& builder, Offset root, const char* identifier) {
  builder.Finish(root, identifier);
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return ByteBuffer(data, data + builder.GetSize());
}

}  // namespace quadrille::wire
