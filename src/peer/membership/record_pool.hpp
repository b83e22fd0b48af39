// Records, each decoded once and shared by all who hold it. In a simulation one pool serves all
// peers, so that ten thousand views of ten thousand members fit into memory; a real peer has its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

// A record and the bytes that it came in. Never changed.
struct StoredRecord {
  wire::PeerRecord record;
  ByteBuffer bytes;
};
using RecordRef = std::shared_ptr<const StoredRecord>;

class RecordPool {
 public:
  RecordPool() = default;
  RecordPool(const RecordPool&) = delete;
  RecordPool& operator=(const RecordPool&) = delete;

  // The record of these bytes. Corrupt, as wire::decode_peer_record().
  Result<RecordRef> intern(Bytes bytes);

  // Records that somebody holds, and those let go of since the last sweep: never more than twice
  // what the last sweep found held, or 1,024.
  std::size_t size() const { return records_.size(); }

 private:
  void sweep();

  std::unordered_map<std::uint64_t, std::weak_ptr<const StoredRecord>> records_;  // by hash_of()
  std::size_t sweep_at_ = 1024;
};

}  // namespace quadrille::peer
