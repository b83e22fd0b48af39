// Every limit of the protocol, in one place; schemas/README.md says what each is for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quadrille::wire {

// The protocol's versions that this build speaks. Peers use the largest that both know.
inline constexpr std::uint16_t protocol_version_min = 1;
inline constexpr std::uint16_t protocol_version_max = 1;

// Datagrams. 1,200 bytes pass on every path (RFC 9000, 14); 80 of them are for the envelope, which
// is never encrypted, and for the seal.
inline constexpr std::size_t datagram_bytes_max = 1200;
inline constexpr std::size_t envelope_bytes = 24;
inline constexpr std::size_t seal_bytes_max = 41;  // key id 1, nonce 24, tag 16
inline constexpr std::size_t datagram_body_bytes_max = 1120;
inline constexpr std::size_t status_bytes_max = 200;  // of a datagram's body
inline constexpr std::size_t statuses_max = 3;        // which is three of 56 bytes
static_assert(envelope_bytes + seal_bytes_max + datagram_body_bytes_max <= datagram_bytes_max);

// The torus. Cells are numbered by the largest number of columns, which is a side, too.
inline constexpr std::uint16_t grid_side_max = 1024;
inline constexpr std::uint32_t cells_max = std::uint32_t{grid_side_max} * grid_side_max;

// What a peer says of itself.
inline constexpr std::size_t name_bytes_max = 32;
inline constexpr std::size_t zone_bytes_max = 32;
inline constexpr std::size_t endpoints_max = 4;
inline constexpr std::size_t claim_runs_max = 28;
inline constexpr std::size_t yields_max = 4;
inline constexpr std::size_t signature_bytes = 64;
// The largest record of version 1 has 896 bytes (a test builds it): 16 are left for later versions.
// With it a datagram still holds any of the messages.
inline constexpr std::size_t record_bytes_max = 912;
inline constexpr std::size_t updates_max = 64;  // in one datagram
inline constexpr std::size_t members_max = 20480;

// Streams.
inline constexpr std::size_t frame_header_bytes = 16;
inline constexpr std::size_t first_frame_bytes_max = 2048;  // before the other end said who it is
inline constexpr std::size_t control_frame_bytes_max = 64 << 10;
inline constexpr std::size_t chunk_bytes_max = 1 << 20;
inline constexpr std::size_t sync_bytes_max = std::size_t{8} << 20;  // of one anti-entropy exchange
inline constexpr std::uint64_t object_bytes_max = std::uint64_t{2} << 30;
inline constexpr std::size_t run_spec_bytes_max = 64 << 10;
inline constexpr std::size_t exact_bytes_max = 4 << 10;  // of a snapshot
inline constexpr std::size_t sheet_bytes_max = 1 << 20;
inline constexpr std::size_t reason_bytes_max = 512;
inline constexpr std::uint64_t credit_bytes_max = std::uint64_t{64} << 20;  // given, not used
inline constexpr std::size_t transfers_max = 1024;      // under way at once on a stream
inline constexpr std::size_t subscriptions_max = 4096;  // in the life of a stream
inline constexpr std::size_t readers_max = 256;         // of one cell
inline constexpr std::size_t object_requests_max = 32;  // unanswered at once on a stream
inline constexpr std::size_t sheet_requests_max = 4;    // the same of a watcher; more are refused
inline constexpr std::size_t sheet_refusals_max = 16;   // within a quarter of a second
inline constexpr std::size_t text_overhead_bytes = 64;  // of a body that is one text

}  // namespace quadrille::wire
