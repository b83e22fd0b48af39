// Records as other peers would send them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer::test {

inline PeerId peer_id(std::uint64_t number) {
  return {.high = mix64(number), .low = number};
}

// A record to add to: RecordRef done = Record(1, 8).claims(0, 4, 1).yields(0, 1, 2);
class Record {
 public:
  explicit Record(std::uint64_t number, std::uint32_t capacity = 64) {
    record_.id = peer_id(number);
    record_.capacity = capacity;
  }
  Record& claims(std::uint32_t first, std::uint32_t count, std::uint64_t stamp) {
    record_.claims.push_back({.first = first, .count = count, .stamp = stamp});
    return *this;
  }
  Record& yields(std::uint32_t first, std::uint32_t count, std::uint64_t to) {
    record_.yields.push_back({.first = first, .count = count, .to = peer_id(to)});
    return *this;
  }
  Record& version(std::uint32_t version) {
    record_.version = version;
    return *this;
  }
  Record& leaving() {
    record_.leaving = true;
    return *this;
  }
  Record& grid(wire::GridEpoch grid) {
    record_.grid = grid;
    return *this;
  }

  operator RecordRef() const {  // NOLINT(google-explicit-constructor)
    return RecordRef(StoredRecord{.record = record_, .bytes = {}});
  }
  const wire::PeerRecord& operator*() const { return record_; }

 private:
  wire::PeerRecord record_;
};

}  // namespace quadrille::peer::test
