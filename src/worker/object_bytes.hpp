// Saved cells and snapshots as the bytes that peers hand each other (docs/objects-format.md has the
// byte boxes).
//
// One content has one form, so that what was read and is written again is the same bytes. Nothing
// is allocated by a length that the bytes claim: a length is first compared with what is there.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "worker/saved_cell.hpp"

namespace quadrille::worker {

inline constexpr std::size_t object_parts_max = 4096;  // tensors, counters and snapshots together
inline constexpr std::size_t heard_max = 4096;         // cells that one snapshot has heard of

// NotFinite when a float is not; Limit when there is more of something than a reader takes.
Result<ByteBuffer> to_bytes(const SavedCell& saved);
Result<ByteBuffer> to_bytes(const SavedSnapshot& saved);

// Corrupt: damaged, or not what its kind holds. Mismatch: of another format version. Limit and
// NotFinite: as above.
Result<SavedCell> read_saved_cell(Bytes bytes);
Result<SavedSnapshot> read_saved_snapshot(Bytes bytes);

}  // namespace quadrille::worker
