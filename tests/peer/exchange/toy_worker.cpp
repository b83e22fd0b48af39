#include "peer/exchange/toy_worker.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "base/hash.hpp"
#include "base/overloaded.hpp"

namespace quadrille::peer::test {
namespace {

// The front of a payload; floats follow, and then padding.
struct Head {
  std::uint64_t base_version = 0;
  std::uint64_t base_checksum = 0;
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;
  std::uint64_t float_count = 0;
};

std::uint64_t checksum_of(const std::vector<float>& values) {
  std::uint64_t sum = 1;
  for (const float value : values) sum = chain(sum, std::bit_cast<std::uint32_t>(value));
  return sum;
}

Payload payload_of(const Head& head, const std::vector<float>& values, std::size_t bytes) {
  ByteBuffer buffer(std::max(bytes, sizeof head + values.size() * sizeof(float)));
  std::memcpy(buffer.data(), &head, sizeof head);
  std::memcpy(buffer.data() + sizeof head, values.data(), values.size() * sizeof(float));
  return std::make_shared<const ByteBuffer>(std::move(buffer));
}

}  // namespace

std::vector<WorkerReport> ToyWorker::carry_out(const WorkerCommand& command) {
  std::vector<WorkerReport> out;
  std::visit(Overloaded{[&](const StartCell& each) { start(each, out); },
                        [&](const ReleaseCell& each) {
                          learner_.release(each.cell);
                          published_.erase(each.cell);
                          given_.erase(each.cell);
                          waiting_.erase(each.cell);
                        },
                        [&](const AdvanceCell& each) { advance(each, out); },
                        [&](const OpenSendingEdge& each) {
                          BOOST_REQUIRE(sending_.try_emplace(each.edge).second);
                        },
                        [&](const EncodePayload& each) { out.emplace_back(encode(each)); },
                        [&](const CloseSendingEdge& each) {
                          BOOST_REQUIRE_EQUAL(sending_.erase(each.edge), 1U);
                        },
                        [&](const OpenReceivingEdge& each) {
                          BOOST_REQUIRE(receiving_.try_emplace(each.edge).second);
                        },
                        [&](const ApplyPayload& each) { out.emplace_back(apply(each)); },
                        [&](const CloseReceivingEdge& each) {
                          BOOST_REQUIRE_EQUAL(receiving_.erase(each.edge), 1U);
                        },
                        [](const auto&) {}},
             command);
  return out;
}

void ToyWorker::refuse(EdgeId edge, wire::PayloadFault fault, int times) {
  refusals_[edge] = {fault, times};
}

void ToyWorker::start(const StartCell& command, std::vector<WorkerReport>& out) {
  Origin origin = Fresh{};
  if (const auto* adopted = std::get_if<StartFromSnapshot>(&command.origin))
    origin = Adopted{.newest = {}, .jump_to = adopted->jump_to};
  BOOST_REQUIRE(learner_.start(command.cell, origin).has_value());
  out.emplace_back(CellStarted{
      .cell = command.cell, .round = {}, .neighbours = learner_.neighbours(command.cell)});
  run({.cell = command.cell, .snapshots = {}, .chunks = {}}, out);
}

void ToyWorker::advance(const AdvanceCell& command, std::vector<WorkerReport>& out) {
  if (waiting_.erase(command.cell) == 0) return;  // meant for an earlier life of the cell
  std::vector<SnapshotView> snapshots;
  for (const AdvanceCell::Input& input : command.snapshots) {
    const Received* found = nullptr;
    for (const Received& each : receiving_.at(input.edge).kept)
      if (each.round == input.round) found = &each;
    BOOST_REQUIRE_MESSAGE(found != nullptr, "edge " << input.edge.source << " to "
                                                    << input.edge.reader << " no longer holds "
                                                    << input.round);
    snapshots.push_back({.cell = input.edge.source,
                         .round = found->round,
                         .values = found->values,
                         .exact = found->exact,
                         .heard = found->heard});
    given_[command.cell][input.edge.source] = input.round;
  }
  std::vector<ChunkView> chunks;
  for (const AdvanceCell::DirectInput& chunk : command.chunks)
    chunks.push_back({.from = chunk.from, .round = chunk.round, .payload = *chunk.payload});
  run({.cell = command.cell,
       .snapshots = snapshots,
       .chunks = chunks,
       .deadline_passed = command.deadline_passed},
      out);
}

// Until the cell needs something, or is done.
void ToyWorker::run(const CellInput& input, std::vector<WorkerReport>& out) {
  CellInput next = input;
  while (true) {
    std::vector<Action> actions;
    learner_.advance({&next, 1}, {}, actions);
    bool goes_on = true;
    for (Action& action : actions) goes_on = report(action, out);
    if (!goes_on) return;
    next = {.cell = input.cell, .snapshots = {}, .chunks = {}};
  }
}

bool ToyWorker::report(Action& action, std::vector<WorkerReport>& out) {
  return std::visit(
      Overloaded{[&](const Publish& each) {
                   auto& kept = published_[each.cell];
                   kept.push_back({.round = each.round,
                                   .values = {each.values.begin(), each.values.end()},
                                   .exact = {each.exact.begin(), each.exact.end()},
                                   .heard = given_[each.cell]});
                   if (kept.size() > snapshots_kept) kept.pop_front();
                   out.emplace_back(CellPublished{.cell = each.cell, .round = each.round});
                   return true;
                 },
                 [&](Send& each) {
                   auto payload = std::make_shared<const ByteBuffer>(std::move(each.payload));
                   out.emplace_back(DirectChunk{each.from, each.to, each.round, payload});
                   return true;
                 },
                 [&](const Need& each) {
                   waiting_.insert(each.cell);
                   out.emplace_back(CellNeeds{each});
                   return false;
                 },
                 [&](const Done& each) {
                   out.emplace_back(CellDone{each.cell});
                   return false;
                 },
                 [&](const Status& each) {
                   out.emplace_back(CellStatusReport{each});
                   return true;
                 },
                 [&](const auto&) { return true; }},
      action);
}

const ToySnapshot* ToyWorker::snapshot_to_encode(const EncodePayload& command,
                                                 std::uint64_t version) const {
  if (command.keyframe && version > 0) return nullptr;  // the replica as it is
  BOOST_REQUIRE_EQUAL(command.round.has_value(), options_.synchronous);
  const auto found = published_.find(command.edge.source);
  if (found == published_.end()) return nullptr;
  if (!command.round) return &found->second.back();
  for (const ToySnapshot& each : found->second)
    if (each.round >= *command.round) return &each;
  return nullptr;
}

PayloadEncoded ToyWorker::encode(const EncodePayload& command) {
  const auto found = sending_.find(command.edge);
  if (found == sending_.end()) BOOST_FAIL("encoding for an edge that is not open");
  SendingEnd& end = found->second;
  Head head{.base_version = end.version, .base_checksum = end.checksum};
  if (const ToySnapshot* next = snapshot_to_encode(command, end.version)) {
    end.state = *next;
    end.checksum = checksum_of(end.state.values);
    ++end.version;
  } else if (end.version == 0 || !command.keyframe) {
    return {.edge = command.edge, .round = {}, .heard = {}, .payload = nullptr, .exact = {}};
  }
  if (command.keyframe) head.base_version = head.base_checksum = 0;
  const bool is_keyframe = head.base_version == 0;
  ++(is_keyframe ? keyframes_encoded : differences_encoded);
  head.version = end.version;
  head.checksum = end.checksum;
  head.float_count = end.state.values.size();
  const auto heard = end.state.heard.find(command.edge.reader);
  return {.edge = command.edge,
          .round = end.state.round,
          .base_version = head.base_version,
          .base_checksum = head.base_checksum,
          .version = head.version,
          .checksum = head.checksum,
          .heard = heard == end.state.heard.end() ? std::nullopt : std::optional(heard->second),
          .payload = payload_of(head, end.state.values,
                                is_keyframe ? options_.keyframe_bytes : options_.difference_bytes),
          .exact = end.state.exact};
}

PayloadTaken ToyWorker::apply(const ApplyPayload& command) {
  ReceivingEnd& end = receiving_.at(command.edge);
  const auto answer = [&](std::optional<wire::PayloadFault> fault) {
    return PayloadTaken{.edge = command.edge,
                        .round = command.round,
                        .version = end.version,
                        .checksum = end.checksum,
                        .fault = fault};
  };
  if (auto& [fault, times] = refusals_[command.edge]; times > 0) {
    --times;
    return answer(fault);
  }
  Head head;
  if (command.payload->size() < sizeof head) return answer(wire::PayloadFault::Corrupt);
  std::memcpy(&head, command.payload->data(), sizeof head);
  if (head.base_version != 0 &&
      (head.base_version != end.version || head.base_checksum != end.checksum))
    return answer(wire::PayloadFault::Mismatch);
  if (command.payload->size() < sizeof head + head.float_count * sizeof(float))
    return answer(wire::PayloadFault::Corrupt);
  Received next{
      .round = command.round, .values = {}, .exact = command.exact, .heard = command.heard};
  next.values.resize(head.float_count);
  std::memcpy(next.values.data(), command.payload->data() + sizeof head,
              head.float_count * sizeof(float));
  if (checksum_of(next.values) != head.checksum) return answer(wire::PayloadFault::Corrupt);
  end.version = head.version;
  end.checksum = head.checksum ^ miscalculated_.erase(command.edge);
  end.kept.push_back(std::move(next));
  if (end.kept.size() > 2) end.kept.pop_front();
  return answer(std::nullopt);
}

}  // namespace quadrille::peer::test
