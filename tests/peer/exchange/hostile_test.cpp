// Peers that send whatever they like, well-formed but in no order: nothing that they do reaches a
// CHECK, and the worker is never asked for what it cannot do.
#include <boost/test/unit_test.hpp>
#include <deque>
#include <set>

#include "base/random.hpp"
#include "peer/exchange/exchange.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using wire::FrameType;

BOOST_AUTO_TEST_SUITE(hostile_peers)

namespace {

constexpr PeerId self{.high = 0, .low = 1};

// An exchange with cells 0 to 3, its own or not, its worker, and a crowd of liars around it.
class Siege {
 public:
  explicit Siege(std::uint64_t seed, bool synchronous)
      : random_(stream_key(seed, "siege", 0)), exchange_({.synchronous = synchronous}, self) {}

  void step() {
    now_ = now_ + std::chrono::milliseconds(random_.below(2000));
    if (exchange_.wake_at() <= now_) exchange_.on_time(now_, out_);
    settle();
    act();
    settle();
  }

  std::uint64_t offences = 0;
  std::uint64_t payloads_max = 0;  // that were applied

 private:
  void act() {
    switch (random_.below(12)) {
      case 0:
        return change_cells();
      case 1:
        return dial_or_accept();
      case 2:
        return close();
      case 3:
      case 4:
        return report_of_a_cell();
      case 5:
      case 6:
        return report_of_the_worker();
      default:
        return send();
    }
  }
  // Carries out what the exchange wants, with checks.
  void settle() {
    for (const WorkerCommand& command : out_.commands)
      std::visit([&](const auto& each) { obey(each); }, command);
    for (const StreamId stream : out_.hang_ups) BOOST_TEST_REQUIRE(streams_.erase(stream) == 1U);
    for (const PeerId owner : out_.dials) dialling_.push_back(owner);
    for (const OutFrame& frame : out_.frames) {
      if (frame.type != FrameType::PayloadBegin) continue;
      const auto begin = wire::decode_payload_begin(frame.body).value();
      last_sent_ = {begin.edge, begin.version};
    }
    offences += out_.offences.size();
    std::uint64_t payloads = 0;
    for (const auto& [edge, statistics] : exchange_.statistics()) payloads += statistics.payloads;
    payloads_max = std::max(payloads_max, payloads);
    out_ = {};
  }

  CellIndex cell() { return {static_cast<std::uint32_t>(random_.below(4))}; }
  EdgeId edge() {
    const CellIndex source = cell();
    return {.source = source, .reader = {(source.value + 1) % 4}};
  }
  PeerId peer() { return {.high = 0, .low = 1 + random_.below(3)}; }
  std::uint64_t number() { return random_.below(4); }

  void change_cells() {
    const CellIndex changed = cell();
    if (random_.below(3) == 0) {
      exchange_.drop(changed, now_, out_);
      own_.erase(changed);
      return;
    }
    own_.insert(changed);
    exchange_.on_report(CellStarted{.cell = changed, .round = {}, .neighbours = {}}, now_, out_);
    std::vector<EdgeSource> sources;
    for (std::uint32_t each = 0; each < 4; ++each)
      if (CellIndex{each} != changed && random_.below(2) == 0)
        sources.push_back({.cell = {each}, .owner = peer()});
    exchange_.set_sources(changed, sources, now_, out_);
  }
  void dial_or_accept() {
    next_stream_ += 2;
    if (dialling_.empty() || random_.below(2) == 0) {
      const StreamId stream{next_stream_};
      streams_.insert(stream);
      exchange_.on_accepted(peer(), stream, now_, out_);
      return;
    }
    const PeerId owner = dialling_.front();
    dialling_.pop_front();
    if (random_.below(4) == 0) return exchange_.on_dial_failed(owner, now_);
    const StreamId stream{next_stream_ + 1};
    streams_.insert(stream);
    exchange_.on_dialled(owner, stream, now_, out_);
  }
  void close() {
    if (streams_.empty() || random_.below(4) != 0) return;
    const StreamId stream = any_stream();
    streams_.erase(stream);
    exchange_.on_closed(stream, now_, out_);
  }
  StreamId any_stream() {
    return *std::next(streams_.begin(),
                      std::ptrdiff_t(random_.below(std::uint32_t(streams_.size()))));
  }

  void report_of_a_cell() {
    const CellIndex of = cell();
    if (!own_.contains(of)) return;
    switch (random_.below(3)) {
      case 0:
        return exchange_.on_report(CellPublished{.cell = of, .round = {++round_}}, now_, out_);
      case 1: {
        Need need{.cell = of, .newest = random_.below(2) == 0, .snapshots = {}, .chunks = {}};
        if (!need.newest) {
          need.snapshots = {{cell(), {random_.below(round_ + 1)}}};
          need.patience = std::chrono::seconds(random_.below(5));
        }
        return exchange_.on_report(CellNeeds{need}, now_, out_);
      }
      default:
        return exchange_.on_report(
            DirectChunk{.from = of,
                        .to = cell(),
                        .round = {++round_},
                        .payload = std::make_shared<const ByteBuffer>(random_.below(100))},
            now_, out_);
    }
  }
  void report_of_the_worker() {
    if (reports_.empty()) return;
    const WorkerReport report = reports_.front();
    reports_.pop_front();
    exchange_.on_report(report, now_, out_);
  }

  void send() {
    if (streams_.empty()) return;
    const StreamId stream = any_stream();
    const bool is_dialled = stream.value % 2 == 1;
    if (random_.below(50) == 0) return feed(stream, FrameType::State, ByteBuffer(5));
    if (is_dialled) return send_as_owner(stream);
    switch (random_.below(6)) {
      case 0:
        return feed(stream, FrameType::Subscribe,
                    wire::encode(wire::Subscribe{edge(), number(), number(), 1}));
      case 1:
        return feed(stream, FrameType::Unsubscribe, wire::encode(wire::Unsubscribe{edge()}));
      case 2:
        return feed(stream, FrameType::Credit, wire::encode(wire::Credit{random_.below(100'000)}));
      case 3:
        return feed(stream, FrameType::PayloadRefused,
                    wire::encode(wire::PayloadRefused{last_sent_.first, last_sent_.second,
                                                      wire::PayloadFault(random_.below(5))}));
      default:
        return feed(stream, FrameType::PayloadApplied,
                    wire::encode(wire::PayloadApplied{last_sent_.first, last_sent_.second}));
    }
  }
  void send_as_owner(StreamId stream) {
    switch (random_.below(5)) {
      case 0:
      case 1: {
        wire::PayloadBegin begin{.edge = edge(),
                                 .transfer = std::uint32_t(number()),
                                 .round = {number()},
                                 .heard = {},
                                 .exact = {}};
        begin.base_version = random_.below(2) == 0 ? 0 : number();
        begin.base_checksum = begin.base_version;
        begin.version = begin.base_version + 1;
        begin.bytes = 1 + random_.below(40);
        last_begun_ = {begin.transfer, begin.bytes};
        return feed(stream, FrameType::PayloadBegin, wire::encode(begin));
      }
      case 2: {
        const EdgeId along = edge();
        const wire::DirectBegin begin{.from = along.source,
                                      .to = along.reader,
                                      .transfer = std::uint32_t(number()),
                                      .round = {number()},
                                      .bytes = random_.below(40)};
        last_begun_ = {begin.transfer, begin.bytes};
        return feed(stream, FrameType::DirectBegin, wire::encode(begin));
      }
      default: {
        ByteBuffer body =
            wire::encode(wire::ChunkHead{last_begun_.first, random_.below(20) == 0 ? 1U : 0U});
        body.resize(body.size() + last_begun_.second);
        return feed(stream, FrameType::Chunk, body);
      }
    }
  }
  void feed(StreamId stream, FrameType type, const ByteBuffer& body) {
    exchange_.on_frame(stream, {.header = {.type = type}, .body = body}, now_, out_);
  }

  // The worker: it answers every command once, in order, and holds ends to their order.
  void obey(const OpenSendingEdge& each) {
    BOOST_TEST_REQUIRE(sending_.emplace(each.edge, 0).second);
  }
  void obey(const CloseSendingEdge& each) { BOOST_TEST_REQUIRE(sending_.erase(each.edge) == 1U); }
  void obey(const OpenReceivingEdge& each) {
    BOOST_TEST_REQUIRE(receiving_.insert(each.edge).second);
  }
  void obey(const CloseReceivingEdge& each) {
    BOOST_TEST_REQUIRE(receiving_.erase(each.edge) == 1U);
  }
  void obey(const EncodePayload& each) {
    std::uint64_t& version = sending_.at(each.edge);
    const bool moves = version == 0 || !each.keyframe;
    PayloadEncoded encoded;
    encoded.edge = each.edge;
    encoded.round = each.round.value_or(Round{round_});
    if (!each.keyframe) encoded.base_version = encoded.base_checksum = version;
    if (moves) ++version;
    encoded.version = encoded.checksum = version;
    if (random_.below(10) != 0)
      encoded.payload = std::make_shared<const ByteBuffer>(1 + random_.below(40'000));
    reports_.emplace_back(encoded);
  }
  void obey(const ApplyPayload& each) {
    BOOST_TEST_REQUIRE(receiving_.contains(each.edge));
    PayloadTaken taken{.edge = each.edge,
                       .round = each.round,
                       .version = each.version,
                       .checksum = each.version,
                       .fault = {}};
    if (random_.below(8) == 0) taken.fault = wire::PayloadFault(random_.below(5));
    reports_.emplace_back(taken);
  }
  void obey(const AdvanceCell& each) {
    BOOST_TEST_REQUIRE(own_.contains(each.cell));
    for (const auto& input : each.snapshots) BOOST_TEST_REQUIRE(receiving_.contains(input.edge));
  }
  template <class Command>
  void obey(const Command&) {
    BOOST_FAIL("a command that is no exchange's");
  }

  RandomStream random_;
  Exchange exchange_;
  ExchangeOutput out_;
  TimePoint now_;
  std::uint32_t round_ = 1;
  std::uint64_t next_stream_ = 0;
  std::set<CellIndex> own_;
  std::set<StreamId> streams_;
  std::deque<PeerId> dialling_;
  std::deque<WorkerReport> reports_;
  std::map<EdgeId, std::uint64_t> sending_;
  std::set<EdgeId> receiving_;
  std::pair<EdgeId, std::uint64_t> last_sent_;
  std::pair<std::uint32_t, std::uint64_t> last_begun_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(no_order_of_messages_and_reports_breaks_an_exchange) {
  std::uint64_t offences = 0;
  std::uint64_t payloads = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Siege siege(seed, seed % 2 == 1);
      for (int i = 0; i < 5000; ++i) siege.step();
      offences += siege.offences;
      payloads += siege.payloads_max;
    }
  }
  BOOST_TEST(offences > 1000U);  // they were seen,
  BOOST_TEST(payloads > 100U);   // and did not keep everything out
}

BOOST_AUTO_TEST_SUITE_END()
