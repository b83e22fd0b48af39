// What a message takes: the bounds by which datagrams are packed, and that the largest record
// always travels.
#include <boost/test/unit_test.hpp>

#include "base/random.hpp"
#include "wire/limits.hpp"
#include "wire/samples.hpp"

using namespace quadrille;
using namespace quadrille::wire;
using namespace quadrille::wire::test;

BOOST_AUTO_TEST_SUITE(bounds)

namespace {

std::size_t body_bytes(const Datagram& datagram) {
  return encode(datagram).size() - envelope_bytes;
}

std::size_t bound(const Datagram& datagram) {
  std::size_t bytes = datagram_overhead_bytes + cell_status_bytes * datagram.statuses.size();
  for (const Update& update : datagram.updates) bytes += encoded_bytes_bound(update);
  return bytes;
}

// Every field that is not 0 and of kinds that differ in what they carry.
Update update_of(UpdateKind kind, std::size_t record_bytes = 0) {
  const bool accused = kind == UpdateKind::Suspect || kind == UpdateKind::Dead;
  return {.kind = kind,
          .subject = {.high = 1, .low = 2},
          .incarnation = 3,
          .version = 4,
          .accuser = accused ? PeerId{.high = 5, .low = 6} : PeerId{},
          .record = ByteBuffer(record_bytes)};
}

std::vector<Message> every_message() {
  const PeerId target{.high = 1, .low = 2};
  return {Gossip{},
          Ping{.sequence = 1, .target = target},
          PingRequest{.sequence = 1, .target = target, .endpoint = Endpoint::v4(0x0A000001, 2)},
          Ack{.sequence = 1},
          Nack{.sequence = 1},
          CompareViews{.view_hash = 1, .is_answer = true},
          YieldRequest{.sequence = 1, .cells_held = 2},
          YieldReply{.sequence = 1, .granted = true}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_largest_record_keeps_its_limit_and_leaves_room_for_a_version_to_come) {
  BOOST_TEST(encode(largest_record()).size() == 896u);
  BOOST_TEST(896u < record_bytes_max);
}

BOOST_AUTO_TEST_CASE(no_record_of_random_content_is_larger_than_the_largest) {
  RandomStream random(stream_key(1, "records", 0));
  for (int trial = 0; trial < 2000; ++trial) {
    PeerRecord record = largest_record();
    record.name.resize(random.below(name_bytes_max + 1));
    record.zone.resize(random.below(zone_bytes_max + 1));
    record.endpoints.resize(1 + random.below(endpoints_max));
    record.claims.resize(yields_max + random.below(claim_runs_max - yields_max + 1));
    record.yields.resize(random.below(yields_max + 1));
    if (random.below(2) == 0) record.signature.clear();
    BOOST_REQUIRE_LE(encode(record).size(), 896u);
  }
}

BOOST_AUTO_TEST_CASE(a_datagram_with_the_largest_record_and_any_message_fits_and_is_known_to_fit) {
  for (const Message& message : every_message()) {
    const Datagram datagram{.run = {.high = 1, .low = 2},
                            .sender = {.high = 3, .low = 4},
                            .incarnation = ~std::uint64_t{0},
                            .message = message,
                            .updates = {update_of(UpdateKind::Alive, record_bytes_max)},
                            .statuses = {}};
    BOOST_TEST(bound(datagram) <= datagram_body_bytes_max);
    BOOST_TEST(encode(datagram).size() + seal_bytes_max <= datagram_bytes_max);
  }
}

BOOST_AUTO_TEST_CASE(the_bound_holds_for_every_message_beside_updates_of_every_kind_and_length) {
  for (const Message& message : every_message())
    for (const UpdateKind first : {UpdateKind::Alive, UpdateKind::Suspect, UpdateKind::Left})
      for (const UpdateKind second : {UpdateKind::Alive, UpdateKind::Suspect, UpdateKind::Left})
        for (std::size_t bytes = 1; bytes <= 17; ++bytes)
          for (std::size_t statuses = 0; statuses <= statuses_max; ++statuses) {
            const auto length = [&](UpdateKind kind, std::size_t count) {
              return kind == UpdateKind::Alive ? count : 0;
            };
            const Datagram datagram{.run = {},
                                    .sender = {.high = 3, .low = 4},
                                    .incarnation = 5,
                                    .message = message,
                                    .updates = {update_of(first, length(first, bytes)),
                                                update_of(second, length(second, 17 - bytes + 1))},
                                    .statuses = std::vector<CellStatus>(statuses)};
            BOOST_REQUIRE_LE(body_bytes(datagram), bound(datagram));
          }
}

BOOST_AUTO_TEST_CASE(the_bound_holds_for_random_content) {
  RandomStream random(stream_key(1, "datagrams", 0));
  for (int trial = 0; trial < 20'000; ++trial) {
    const Datagram datagram = any_datagram(random);
    BOOST_REQUIRE_LE(body_bytes(datagram), bound(datagram));
  }
}

BOOST_AUTO_TEST_CASE(updates_whose_bounds_fit_a_control_frame_fit_it_with_all_that_is_around_them) {
  RandomStream random(stream_key(1, "states", 0));
  for (const UpdateKind kind : {UpdateKind::Alive, UpdateKind::Suspect, UpdateKind::Left})
    for (int trial = 0; trial < 50; ++trial) {
      State state;
      std::size_t bytes = 0;
      while (true) {
        const bool alive = kind == UpdateKind::Alive;
        Update update = update_of(kind, alive ? 1 + random.below(record_bytes_max) : 0);
        bytes += encoded_bytes_bound(update);
        if (bytes > control_frame_bytes_max) break;
        state.updates.push_back(std::move(update));
      }
      BOOST_REQUIRE_LE(encode(state).size(), control_frame_bytes_max);
    }
}

BOOST_AUTO_TEST_SUITE_END()
