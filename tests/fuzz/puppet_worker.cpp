#include "fuzz/puppet_worker.hpp"

#include <iterator>
#include <memory>
#include <utility>

#include "base/check.hpp"
#include "base/overloaded.hpp"

namespace quadrille::fuzz {
namespace {

using namespace peer;

// The input's own objects are of the same bytes, so that what was sent is what can be sent back.
Payload payload_of(std::size_t bytes) {
  return std::make_shared<const ByteBuffer>(bytes, std::byte{0x5A});
}

}  // namespace

void PuppetWorker::submit(const WorkerCommand& command) {
  commands_.push_back(command);
}

WorkerReport PuppetWorker::encode(const EncodePayload& command) {
  CHECK(sending_.contains(command.edge), command.edge.source, command.edge.reader);
  CHECK(cells_.contains(command.edge.source), command.edge.source);
  Replica& replica = sending_[command.edge];
  const bool is_keyframe = command.keyframe || replica.version == 0;
  const Replica base = is_keyframe ? Replica{} : replica;
  if (!command.keyframe || replica.version == 0)
    replica = {.version = replica.version + 1, .checksum = replica.version + 100};
  return PayloadEncoded{.edge = command.edge,
                        .round = command.round.value_or(cells_[command.edge.source]),
                        .base_version = base.version,
                        .base_checksum = base.checksum,
                        .version = replica.version,
                        .checksum = replica.checksum,
                        .payload = payload_of(32)};
}

WorkerReport PuppetWorker::apply(const ApplyPayload& command, std::uint8_t twist) {
  CHECK(receiving_.contains(command.edge), command.edge.source, command.edge.reader);
  PayloadTaken taken{.edge = command.edge, .round = command.round, .version = command.version};
  if (twist % 4 == 3) {
    taken.fault = static_cast<wire::PayloadFault>(1 + twist / 4 % 4);
    return taken;
  }
  taken.checksum = command.version + 99;
  receiving_[command.edge] = {.version = command.version, .checksum = taken.checksum};
  return taken;
}

// Commands without an answer are carried out on the way to one that has one.
std::optional<WorkerReport> PuppetWorker::take_answer(std::uint8_t twist) {
  const auto object = [&](const auto& command) {
    const bool is_there = cells_.contains(command.cell) && twist % 4 != 3;
    return ObjectReady{.request = command.request,
                       .cell = command.cell,
                       .round = is_there ? cells_[command.cell] : Round{},
                       .payload = is_there ? payload_of(1 + twist) : nullptr};
  };
  using Answer = std::optional<WorkerReport>;
  while (!commands_.empty()) {
    const WorkerCommand next = std::move(commands_.front());
    commands_.pop_front();
    Answer answer = std::visit(
        Overloaded{[&](const StartCell& each) -> Answer {
                     if (twist % 16 == 15)
                       return CellFailed{
                           .cell = each.cell, .error = {ErrorCode::Io, "disk"}, .at_start = true};
                     cells_[each.cell] = {twist};
                     const std::uint32_t cell = each.cell.value;
                     return CellStarted{.cell = each.cell,
                                        .round = {twist},
                                        .neighbours = {{cell ^ 1U}, {cell ^ 2U}}};
                   },
                   [&](const ReleaseCell& each) -> Answer {
                     cells_.erase(each.cell);
                     return std::nullopt;
                   },
                   [&](const OpenSendingEdge& each) -> Answer {
                     CHECK(!sending_.contains(each.edge), each.edge.source, each.edge.reader);
                     sending_[each.edge] = {};
                     return std::nullopt;
                   },
                   [&](const CloseSendingEdge& each) -> Answer {
                     CHECK(sending_.erase(each.edge) == 1, each.edge.source, each.edge.reader);
                     return std::nullopt;
                   },
                   [&](const OpenReceivingEdge& each) -> Answer {
                     CHECK(!receiving_.contains(each.edge), each.edge.source, each.edge.reader);
                     receiving_[each.edge] = {};
                     return std::nullopt;
                   },
                   [&](const CloseReceivingEdge& each) -> Answer {
                     CHECK(receiving_.erase(each.edge) == 1, each.edge.source, each.edge.reader);
                     return std::nullopt;
                   },
                   [&](const EncodePayload& each) -> Answer { return encode(each); },
                   [&](const ApplyPayload& each) -> Answer { return apply(each, twist); },
                   [&](const SaveState& each) -> Answer { return object(each); },
                   [&](const PackSnapshot& each) -> Answer { return object(each); },
                   [&](const DrawSheet& each) -> Answer { return object(each); },
                   [&](const auto&) -> Answer { return std::nullopt; }},
        next);
    if (answer) return answer;
  }
  return std::nullopt;
}

std::optional<WorkerReport> PuppetWorker::tell(std::uint8_t choice, std::uint8_t kind) {
  if (cells_.empty()) return std::nullopt;
  const auto which = choice % static_cast<std::ptrdiff_t>(cells_.size());
  auto& [cell, round] = *std::next(cells_.begin(), which);
  const CellIndex other{cell.value ^ 1U};
  switch (kind % 8) {
    case 0:
    case 1:
      ++round.index;
      return CellPublished{.cell = cell, .round = round};
    case 2:
      return CellNeeds{.need = {.cell = cell, .newest = true}};
    case 3:
      return CellNeeds{.need = {.cell = cell,
                                .snapshots = {{.source = other, .round = round}},
                                .patience = std::chrono::milliseconds(choice)}};
    case 4:
      return CellStatusReport{.status = {.cell = cell, .round = round}};
    case 5:
      return DirectChunk{.from = cell, .to = other, .round = round, .payload = payload_of(choice)};
    case 6:
      return CellNotice{.notice = {.cell = cell, .text = "of itself"}};
    default:
      return CellDone{.cell = cell};
  }
}

}  // namespace quadrille::fuzz
