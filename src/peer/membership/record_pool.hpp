// Records, each decoded once and shared by all who hold it. In a simulation one pool serves all
// peers, so that ten thousand views of ten thousand members fit into memory; a real peer has its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

// A record and the bytes that it came in. Never changed.
struct StoredRecord {
  wire::PeerRecord record;
  ByteBuffer bytes;
};

// One of those who hold a stored record, or nothing. Eight bytes and no atomic operation, where a
// std::shared_ptr has sixteen and two: a simulation of ten thousand peers holds two hundred million
// of them. So all who hold one record are of one thread.
class RecordRef {
 public:
  RecordRef() = default;
  RecordRef(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit RecordRef(StoredRecord content) : shared_(new Shared{std::move(content), 1}) {}
  RecordRef(const RecordRef& other) : shared_(other.shared_) {
    if (shared_ != nullptr) ++shared_->holders;
  }
  RecordRef(RecordRef&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  RecordRef& operator=(RecordRef other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~RecordRef() {
    if (shared_ != nullptr && --shared_->holders == 0) delete shared_;
  }

  explicit operator bool() const { return shared_ != nullptr; }
  const StoredRecord& operator*() const { return shared_->content; }
  const StoredRecord* operator->() const { return &shared_->content; }
  bool is_only_holder() const { return shared_ != nullptr && shared_->holders == 1; }
  // Of the same memory; records of equal content may be two.
  bool operator==(const RecordRef&) const = default;

 private:
  struct Shared {
    StoredRecord content;
    std::size_t holders = 0;
  };
  Shared* shared_ = nullptr;
};

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

  std::unordered_map<std::uint64_t, RecordRef> records_;  // by hash_of()
  std::size_t sweep_at_ = 1024;
};

}  // namespace quadrille::peer
