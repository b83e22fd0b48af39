#include "wire/peer_record.hpp"

#include <peer_record_generated.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/text.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

// The rules of peer_record.hpp, each a question to the whole record; and what to say where it is
// broken.

bool texts_are_fine(const PeerRecord& record) {
  return record.name.size() <= name_bytes_max && record.zone.size() <= zone_bytes_max &&
         is_line(record.name) && is_line(record.zone);
}

bool id_is_somebodys(const PeerRecord& record) {
  return record.id != PeerId{};
}

bool endpoints_are_fine(const PeerRecord& record) {
  return !record.endpoints.empty() && record.endpoints.size() <= endpoints_max &&
         std::ranges::all_of(record.endpoints, &Endpoint::is_of_one_host);
}

bool grid_is_fine(const PeerRecord& record) {
  const auto is_side = [](std::uint16_t side) { return side >= 1 && side <= grid_side_max; };
  return is_side(record.grid.rows) && is_side(record.grid.columns);
}

std::uint64_t end_of(std::uint32_t first, std::uint32_t count) {
  return std::uint64_t{first} + count;
}

// Not empty, within the largest grid, and none begins before the one before it has ended.
template <class Run>
bool ascend(const std::vector<Run>& runs) {
  std::uint64_t end = 0;
  for (const Run& run : runs) {
    if (run.count == 0 || run.first < end) return false;
    end = end_of(run.first, run.count);
    if (end > cells_max) return false;
  }
  return true;
}

bool claims_are_fine(const PeerRecord& record) {
  return record.claims.size() <= claim_runs_max && ascend(record.claims);
}

bool yields_are_fine(const PeerRecord& record) {
  const auto is_claimed = [&](const CellYield& yield) {
    return std::ranges::any_of(record.claims, [&](const ClaimRun& claim) {
      return claim.first <= yield.first &&
             end_of(yield.first, yield.count) <= end_of(claim.first, claim.count);
    });
  };
  return record.yields.size() <= yields_max && ascend(record.yields) &&
         std::ranges::all_of(record.yields, is_claimed);
}

bool signature_is_fine(const PeerRecord& record) {
  return record.signature.empty() || record.signature.size() == signature_bytes;
}

struct Rule {
  bool (*holds)(const PeerRecord& record);
  const char* broken;
};
constexpr Rule rules[] = {
    {texts_are_fine, "a name or zone that is too long or no line of text"},
    {id_is_somebodys, "the id of nobody"},
    {endpoints_are_fine, "no endpoint, too many, or one that is not of one host with a port"},
    {grid_is_fine, "a grid that there cannot be"},
    {claims_are_fine, "claims that are too many, out of order or beyond the grid"},
    {yields_are_fine, "yields that are too many, out of order or not its own"},
    {signature_is_fine, "a signature of another length"},
};

// The first rule that the record breaks; null where it keeps them all.
const Rule* broken_rule(const PeerRecord& record) {
  for (const Rule& rule : rules)
    if (!rule.holds(record)) return &rule;
  return nullptr;
}

flatbuffers::Offset<flatbuffers::String> write_text(flatbuffers::FlatBufferBuilder& builder,
                                                    std::string_view text) {
  if (text.empty()) return {};
  return builder.CreateString(text.data(), text.size());
}

flat::Signature flat_signature(Bytes signature) {
  std::array<std::uint8_t, signature_bytes> bytes{};
  std::ranges::copy(signature, std::as_writable_bytes(std::span(bytes)).begin());
  return flat::Signature(flatbuffers::span<const std::uint8_t, signature_bytes>(bytes));
}

ByteBuffer signature_of(const flat::Signature* signature) {
  if (signature == nullptr) return {};
  const Bytes bytes = std::as_bytes(std::span(signature->bytes()->data(), signature_bytes));
  return {bytes.begin(), bytes.end()};
}

Result<PeerRecord> read(const flat::PeerRecord& record) {
  TRY(endpoints, read_list<Endpoint>(record.endpoints(), "PeerRecord"));
  TRY(claims, read_list<ClaimRun>(record.claims(), "PeerRecord"));
  TRY(yields, read_list<CellYield>(record.yields(), "PeerRecord"));
  return PeerRecord{.id = value_of(record.id()),
                    .incarnation = record.incarnation(),
                    .version = record.version(),
                    .name = std::string(value_of(record.name())),
                    .zone = std::string(value_of(record.zone())),
                    .endpoints = std::move(endpoints),
                    .capacity = record.capacity(),
                    .leaving = record.leaving(),
                    .features = record.features(),
                    .grid = value_of(record.grid()),
                    .claims = std::move(claims),
                    .yields = std::move(yields),
                    .signature = signature_of(record.signature())};
}

}  // namespace

ByteBuffer encode(const PeerRecord& record) {
  const Rule* broken = broken_rule(record);
  CHECK(broken == nullptr, broken->broken);
  flatbuffers::FlatBufferBuilder builder(record_bytes_max);
  // In this order the largest record has the least padding.
  const auto name = write_text(builder, record.name);
  const auto zone = write_text(builder, record.zone);
  const auto claims = write_list<flat::ClaimRun>(builder, record.claims);
  const auto endpoints = write_list<flat::Endpoint>(builder, record.endpoints);
  const auto yields = write_list<flat::CellYield>(builder, record.yields);
  const flat::PeerId id = flat_of(record.id);
  const flat::GridEpoch grid = flat_of(record.grid);
  const flat::Signature signature = flat_signature(record.signature);
  const auto root =
      flat::CreatePeerRecord(builder, &id, record.incarnation, record.version, name, zone,
                             endpoints, record.capacity, record.leaving, record.features, &grid,
                             claims, yields, record.signature.empty() ? nullptr : &signature);
  ByteBuffer bytes = finished(builder, root, flat::PeerRecordIdentifier());
  CHECK(bytes.size() <= record_bytes_max, bytes.size());
  return bytes;
}

Result<PeerRecord> decode_peer_record(Bytes bytes) {
  if (bytes.size() > record_bytes_max)
    return corrupt("PeerRecord", std::to_string(bytes.size()) + " bytes are too many");
  TRY(root, verified<flat::PeerRecord>(bytes, flat::PeerRecordIdentifier()));
  TRY(record, read(*root));
  if (const Rule* broken = broken_rule(record)) return corrupt("PeerRecord", broken->broken);
  return record;
}

}  // namespace quadrille::wire
