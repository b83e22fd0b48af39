// Updates as datagrams and State frames hold them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "wire/update.hpp"
#include "wire/verified.hpp"

namespace flatbuffers {
class FlatBufferBuilder;
template <typename T>
struct Offset;
template <typename T>
class Vector;
}  // namespace flatbuffers

namespace quadrille::wire::flat {
struct Update;
}

namespace quadrille::wire {

using FlatUpdates = flatbuffers::Vector<flatbuffers::Offset<flat::Update>>;

// CHECKs that a record is there where it belongs. No updates: a null offset.
flatbuffers::Offset<FlatUpdates> write_updates(flatbuffers::FlatBufferBuilder& builder,
                                               std::span<const Update> updates);

// Corrupt: more than `count_max`, or a record that is missing, too long or not its place. Absent:
// no updates.
Result<std::vector<Update>> read_updates(const FlatUpdates* updates, std::size_t count_max,
                                         std::string_view message, Allowance allowance);

}  // namespace quadrille::wire
