#include "wire/flat_values.hpp"

#include <cell_status_generated.h>
#include <endpoint_generated.h>
#include <exchange_generated.h>
#include <ids_generated.h>
#include <peer_record_generated.h>

#include <cmath>
#include <limits>
#include <span>

namespace quadrille::wire {
namespace {

static_assert(sizeof(flat::CellStatus) == cell_status_bytes);

// Diverged: shown as the worst fitness there is.
float finite_fitness(float fitness) {
  return std::isfinite(fitness) ? fitness : std::numeric_limits<float>::max();
}

float finite_score(float score) {
  return std::isfinite(score) ? score : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

PeerId value_of(const flat::PeerId* id) {
  return id == nullptr ? PeerId{} : PeerId{.high = id->high(), .low = id->low()};
}

RunId value_of(const flat::RunId* id) {
  return id == nullptr ? RunId{} : RunId{.high = id->high(), .low = id->low()};
}

Round value_of(const flat::Round* round) {
  if (round == nullptr) return {};
  return {.index = round->index(), .subround = round->subround()};
}

EdgeId value_of(const flat::EdgeId* edge) {
  return edge == nullptr ? EdgeId{}
                         : EdgeId{.source = {edge->source()}, .reader = {edge->reader()}};
}

Endpoint value_of(const flat::Endpoint* endpoint) {
  if (endpoint == nullptr) return {};
  Endpoint value;
  for (flatbuffers::uoffset_t i = 0; i < value.address.size(); ++i)
    value.address[i] = endpoint->address()->Get(i);
  value.port = endpoint->port();
  return value;
}

GridEpoch value_of(const flat::GridEpoch* grid) {
  if (grid == nullptr) return {};
  return {.epoch = grid->epoch(), .rows = grid->rows(), .columns = grid->columns()};
}

ClaimRun value_of(const flat::ClaimRun* run) {
  return {.first = run->first(), .count = run->count(), .stamp = run->stamp()};
}

CellYield value_of(const flat::CellYield* yield) {
  return {.first = yield->first(), .count = yield->count(), .to = value_of(&yield->to())};
}

CellStatus value_of(const flat::CellStatus* status) {
  return {.cell = {status->cell()},
          .owner = value_of(&status->owner()),
          .sequence = status->sequence(),
          .round = status->round(),
          .generator_fitness = finite_fitness(status->generator_fitness()),
          .discriminator_fitness = finite_fitness(status->discriminator_fitness()),
          .score = finite_score(status->score()),
          .sent_bytes_per_second = status->sent_bytes_per_second(),
          .age_seconds = status->age_seconds(),
          .device = enum_of<DeviceKind::Cuda>(status->device()),
          .phase = enum_of<CellPhase::Failed>(status->phase())};
}

Bytes value_of(const flatbuffers::Vector<std::uint8_t>* bytes) {
  return bytes == nullptr ? Bytes{} : std::as_bytes(std::span(bytes->data(), bytes->size()));
}

std::string_view value_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view{} : std::string_view(text->c_str(), text->size());
}

flat::PeerId flat_of(PeerId id) {
  return {id.high, id.low};
}

flat::RunId flat_of(RunId id) {
  return {id.high, id.low};
}

flat::Round flat_of(Round round) {
  return {round.index, round.subround};
}

flat::EdgeId flat_of(EdgeId edge) {
  return {edge.source.value, edge.reader.value};
}

flat::Endpoint flat_of(const Endpoint& endpoint) {
  return {flatbuffers::span<const std::uint8_t, 16>(endpoint.address), endpoint.port};
}

flat::GridEpoch flat_of(GridEpoch grid) {
  return {grid.epoch, grid.rows, grid.columns};
}

flat::ClaimRun flat_of(const ClaimRun& run) {
  return {run.stamp, run.first, run.count};
}

flat::CellYield flat_of(const CellYield& yield) {
  return {flat_of(yield.to), yield.first, yield.count};
}

flat::CellStatus flat_of(const CellStatus& status) {
  return {flat_of(status.owner),
          status.round,
          status.cell.value,
          status.sequence,
          status.generator_fitness,
          status.discriminator_fitness,
          status.score,
          status.sent_bytes_per_second,
          status.age_seconds,
          static_cast<flat::DeviceKind>(status.device),
          static_cast<flat::CellPhase>(status.phase)};
}

}  // namespace quadrille::wire
