#include "fuzz/object_case.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/all_finite.hpp"
#include "base/check.hpp"
#include "base/hash.hpp"
#include "worker/object_bytes.hpp"

namespace quadrille::fuzz {
namespace {

constexpr std::size_t covered_offset = 16;

void mend(ByteBuffer& object) {
  if (object.size() < covered_offset) return;
  std::memcpy(object.data(), "QCO\1", 4);
  std::uint64_t head = 0;
  std::memcpy(&head, object.data(), sizeof head);
  const std::uint64_t checksum = hash_of(Bytes(object).subspan(covered_offset), head);
  std::memcpy(object.data() + sizeof head, &checksum, sizeof checksum);
}

void check_written_again(const auto& saved, Bytes object) {
  const Result<ByteBuffer> again = worker::to_bytes(saved);
  CHECK(again.has_value(), again.error().detail);
  CHECK(std::ranges::equal(*again, object), object.size());
}

}  // namespace

void object_case(Bytes input) {
  if (input.empty()) return;
  ByteBuffer object(input.begin() + 1, input.end());
  if ((std::to_integer<unsigned>(input[0]) & 1U) != 0) mend(object);
  if (const auto saved = worker::read_saved_cell(object)) {
    for (const auto& tensor : saved->state.tensors) CHECK(all_finite(tensor.values), tensor.name);
    for (const auto& snapshot : saved->snapshots) CHECK(all_finite(snapshot.values));
    check_written_again(*saved, object);
  }
  if (const auto saved = worker::read_saved_snapshot(object)) {
    CHECK(all_finite(saved->snapshot.values));
    check_written_again(*saved, object);
  }
}

}  // namespace quadrille::fuzz
