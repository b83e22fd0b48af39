// Members as tests name them: number 7 has id 7 and listens at 10.0.0.7.
#pragma once

#include <chrono>
#include <string>

#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "wire/peer_record.hpp"
#include "wire/update.hpp"

namespace quadrille::peer::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint at(Duration since_start) {
  return {since_start};
}

inline PeerId id_of(std::uint64_t number) {
  return {.high = 0, .low = number};
}

inline wire::Endpoint endpoint_of(std::uint32_t number) {
  return wire::Endpoint::v4(0x0A000000U + number, 7746);
}

struct Stand {  // of a record
  std::uint64_t incarnation = 100;
  std::uint32_t version = 0;
};

inline wire::PeerRecord record_of(std::uint32_t number, Stand stand = {}) {
  wire::PeerRecord record;
  record.id = id_of(number);
  record.incarnation = stand.incarnation;
  record.version = stand.version;
  record.name = "peer-" + std::to_string(number);
  record.endpoints = {endpoint_of(number)};
  return record;
}

inline RecordRef stored(RecordPool& pool, const wire::PeerRecord& record) {
  return pool.intern(encode(record)).value();
}

inline wire::Update alive(const wire::PeerRecord& record) {
  return {.kind = wire::UpdateKind::Alive,
          .subject = record.id,
          .incarnation = record.incarnation,
          .version = record.version,
          .accuser = {},
          .record = encode(record)};
}

inline wire::Update alive(std::uint32_t number, Stand stand = {}) {
  return alive(record_of(number, stand));
}

// Suspect, Dead or Left.
inline wire::Update said(wire::UpdateKind kind, std::uint32_t subject,
                         std::uint64_t incarnation = 100, std::uint32_t accuser = 90) {
  return {.kind = kind,
          .subject = id_of(subject),
          .incarnation = incarnation,
          .version = 0,
          .accuser = kind == wire::UpdateKind::Left ? PeerId{} : id_of(accuser),
          .record = {}};
}

}  // namespace quadrille::peer::test
