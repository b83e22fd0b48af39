#include "peer/membership/record_pool.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"

namespace quadrille::peer {

Result<RecordRef> RecordPool::intern(Bytes bytes) {
  const std::uint64_t hash = hash_of(bytes);
  if (const auto found = records_.find(hash); found != records_.end()) {
    // Two records of one hash are two records: the hash only says where to look.
    if (same_bytes(found->second->bytes, bytes)) return found->second;
  }
  TRY(record, wire::decode_peer_record(bytes));
  RecordRef made(StoredRecord{std::move(record), ByteBuffer(bytes.begin(), bytes.end())});
  if (records_.size() >= sweep_at_) sweep();
  records_[hash] = made;
  return made;
}

void RecordPool::sweep() {
  std::erase_if(records_, [](const auto& entry) { return entry.second.is_only_holder(); });
  sweep_at_ = std::max<std::size_t>(1024, 2 * records_.size());
}

}  // namespace quadrille::peer
