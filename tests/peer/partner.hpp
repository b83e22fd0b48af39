// Somebody else, as a test plays it: its record, and the bytes that it would send.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "peer/placement/grid.hpp"
#include "wire/datagram.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"
#include "wire/session_messages.hpp"

namespace quadrille::peer::test {

inline constexpr RunId this_run{.high = 0x51, .low = 0x7A};

// 10.0.0.n:7746
inline wire::Endpoint address(std::uint32_t number) {
  return wire::Endpoint::v4(0x0A000000U + number, 7746);
}

inline Grid grid_of(std::uint16_t rows, std::uint16_t columns) {
  return {.epoch = {.epoch = 0, .rows = rows, .columns = columns}, .stride = columns};
}

struct Partner {
  wire::PeerRecord record;
  RunId run = this_run;

  const PeerId& id() const { return record.id; }
  const wire::Endpoint& endpoint() const { return record.endpoints.front(); }

  // What it says of itself, after a change that it makes to its record.
  template <class Change>
  wire::Update revise(const Change& change) {
    ++record.version;
    change(record);
    return alive();
  }
  wire::Update alive() const {
    return {.kind = wire::UpdateKind::Alive,
            .subject = record.id,
            .incarnation = record.incarnation,
            .version = record.version,
            .record = wire::encode(record)};
  }
  wire::Update claims(std::uint32_t first, std::uint32_t count, std::uint64_t stamp) {
    return revise([&](wire::PeerRecord& own) {
      own.claims = {{.first = first, .count = count, .stamp = stamp}};
    });
  }
  // What it says of somebody else.
  wire::Update accuses(wire::UpdateKind kind, PeerId subject, std::uint64_t incarnation) const {
    return {.kind = kind,
            .subject = subject,
            .incarnation = incarnation,
            .accuser = id(),
            .record = {}};
  }

  ByteBuffer datagram(wire::Message message, std::vector<wire::Update> updates = {},
                      std::vector<wire::CellStatus> statuses = {}) const {
    return wire::encode(wire::Datagram{.run = run,
                                       .sender = id(),
                                       .incarnation = record.incarnation,
                                       .message = std::move(message),
                                       .updates = std::move(updates),
                                       .statuses = std::move(statuses)});
  }
  wire::Hello hello(wire::StreamPurpose purpose) const {
    return {.version_min = wire::protocol_version_min,
            .version_max = wire::protocol_version_max,
            .run = run,
            .sender = id(),
            .purpose = purpose,
            .record = wire::encode(record)};
  }
  wire::Welcome welcome() const {
    return {.version = wire::protocol_version_max, .run = run, .sender = id()};
  }
};

// peer-n, which can hold `capacity` cells and is reached at address(n).
inline Partner partner(std::uint32_t number, std::uint32_t capacity = 1) {
  return {.record = {.id = {.high = 0, .low = number},
                     .incarnation = 1000,
                     .name = "peer-" + std::to_string(number),
                     .endpoints = {address(number)},
                     .capacity = capacity}};
}

}  // namespace quadrille::peer::test
