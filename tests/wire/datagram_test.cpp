// What a datagram may hold, and what is done with one that holds something else.
#include "wire/datagram.hpp"

#include <datagram_generated.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <csignal>
#include <limits>

#include "support/signal_of.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"
#include "wire/samples.hpp"

using namespace quadrille;
using namespace quadrille::wire;
using namespace quadrille::wire::test;

BOOST_AUTO_TEST_SUITE(datagrams)

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

Datagram good() {
  return {.run = {.high = 0x1122334455667788, .low = 0x99AABBCCDDEEFF00},
          .sender = {.high = 1, .low = 2},
          .incarnation = 3,
          .message = Ping{.sequence = 4, .target = {.high = 5, .low = 6}},
          .updates = {},
          .statuses = {}};
}

// The body that `build` makes, in an envelope of the good datagram's.
template <class Build>
ByteBuffer with_body(const Build& build) {
  Builder builder;
  const ByteBuffer body = finished(builder, build(builder), flat::DatagramIdentifier());
  ByteBuffer bytes = encode(good());
  bytes.resize(envelope_bytes);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

void must_be_refused(Bytes datagram, ErrorCode code = ErrorCode::Corrupt) {
  const auto decoded = decode_datagram(datagram);
  BOOST_REQUIRE(!decoded.has_value());
  BOOST_TEST((decoded.error().code == code));
}

void must_not_be_sent(const Datagram& datagram) {
  BOOST_TEST(quadrille::test::signal_of([&] { (void)encode(datagram); }) == SIGABRT);
}

Update alive(std::size_t record_bytes) {
  return {.kind = UpdateKind::Alive, .record = ByteBuffer(record_bytes)};
}

CellStatus received(const CellStatus& sent) {
  Datagram datagram = good();
  datagram.statuses = {sent};
  const auto decoded = decode_datagram(encode(datagram));
  BOOST_REQUIRE(decoded.has_value());
  return decoded->statuses.at(0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_envelope_is_readable_without_the_body) {
  const auto envelope = read_envelope(encode(good()));
  BOOST_REQUIRE(envelope.has_value());
  BOOST_TEST(envelope->version == protocol_version_min);
  BOOST_TEST(envelope->flags == 0);
  BOOST_TEST(envelope->run == good().run);
}

BOOST_AUTO_TEST_CASE(what_is_too_short_too_long_or_not_ours_is_no_datagram) {
  ByteBuffer bytes = encode(good());
  BOOST_TEST(!read_envelope({}).has_value());
  BOOST_TEST(!read_envelope(Bytes(bytes).first(envelope_bytes)).has_value());
  BOOST_TEST(!read_envelope(ByteBuffer(datagram_bytes_max + 1)).has_value());
  bytes[0] = std::byte{'X'};
  must_be_refused(bytes);
}

BOOST_AUTO_TEST_CASE(a_version_that_we_do_not_speak_is_told_from_damage) {
  ByteBuffer bytes = encode(good());
  for (const int version : {0, protocol_version_max + 1, 0xFFFF}) {
    store_little(bytes.data() + 4, static_cast<std::uint16_t>(version));
    must_be_refused(bytes, ErrorCode::Mismatch);
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_follow_the_body_count_against_its_limit) {
  ByteBuffer bytes = encode(good());
  bytes.resize(envelope_bytes + datagram_body_bytes_max);
  BOOST_TEST(decode_datagram(bytes).has_value());
  bytes.resize(bytes.size() + 1);
  must_be_refused(bytes);
}

BOOST_AUTO_TEST_CASE(a_message_of_a_later_version_is_passed_over_and_what_it_carries_is_read) {
  const CellStatus status{.cell = {3}, .sequence = 9};
  const auto decoded = decode_datagram(with_body([&](Builder& builder) {
    const auto statuses = write_list<flat::CellStatus>(builder, std::vector{status});
    const flat::PeerId subject(7, 8);
    const auto update = flat::CreateUpdate(builder, flat::UpdateKind::Left, &subject);
    const auto updates = builder.CreateVector(std::vector{update});
    const auto message = flat::CreateAck(builder, 1).Union();
    return flat::CreateDatagram(builder, nullptr, 0, static_cast<flat::Message>(200), message,
                                updates, statuses);
  }));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(std::holds_alternative<std::monostate>(decoded->message));
  BOOST_TEST(decoded->updates.at(0).subject == (PeerId{.high = 7, .low = 8}));
  BOOST_TEST(decoded->statuses.at(0).sequence == 9u);
  must_not_be_sent(*decoded);
}

BOOST_AUTO_TEST_CASE(a_message_without_its_table_is_none_that_we_know) {
  const auto decoded = decode_datagram(with_body([](Builder& builder) {
    return flat::CreateDatagram(builder, nullptr, 0, flat::Message::Ping, 0);
  }));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(std::holds_alternative<std::monostate>(decoded->message));
}

BOOST_AUTO_TEST_CASE(values_of_a_later_version_become_unknown) {
  const auto decoded = decode_datagram(with_body([](Builder& builder) {
    const flat::PeerId subject(7, 8);
    const auto update = flat::CreateUpdate(builder, static_cast<flat::UpdateKind>(99), &subject);
    const auto updates = builder.CreateVector(std::vector{update});
    const std::vector<flat::CellStatus> list = {{subject, 1, 2, 3, 4.f, 5.f, 6.f, 7, 8,
                                                 static_cast<flat::DeviceKind>(77),
                                                 static_cast<flat::CellPhase>(88)}};
    const auto statuses = builder.CreateVectorOfStructs(list);
    return flat::CreateDatagram(builder, nullptr, 0, flat::Message::NONE, 0, updates, statuses);
  }));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST((decoded->updates.at(0).kind == UpdateKind::Unknown));
  BOOST_TEST((decoded->statuses.at(0).device == DeviceKind::Unknown));
  BOOST_TEST((decoded->statuses.at(0).phase == CellPhase::Unknown));
}

BOOST_AUTO_TEST_CASE(alive_has_a_record_and_nothing_else_has_one) {
  Datagram datagram = good();
  datagram.updates = {alive(1)};
  BOOST_TEST(decode_datagram(encode(datagram)).has_value());
  datagram.updates = {alive(0)};
  must_not_be_sent(datagram);
  datagram.updates = {alive(record_bytes_max + 1)};
  must_not_be_sent(datagram);
  const auto hostile = [](flat::UpdateKind kind, std::size_t record_bytes) {
    return with_body([&](Builder& builder) {
      const auto record = write_bytes(builder, ByteBuffer(record_bytes));
      const auto update = flat::CreateUpdate(builder, kind, nullptr, 0, 0, record);
      return flat::CreateDatagram(builder, nullptr, 0, flat::Message::NONE, 0,
                                  builder.CreateVector(std::vector{update}));
    });
  };
  must_be_refused(hostile(flat::UpdateKind::Alive, 0));
  must_be_refused(hostile(flat::UpdateKind::Alive, record_bytes_max + 1));
  must_be_refused(hostile(flat::UpdateKind::Dead, 1));
  must_be_refused(hostile(flat::UpdateKind::Left, 1));
}

BOOST_AUTO_TEST_CASE(updates_cannot_make_more_of_a_datagram_by_sharing_a_record) {
  must_be_refused(with_body([](Builder& builder) {
    const auto record = write_bytes(builder, ByteBuffer(400));
    const auto update = flat::CreateUpdate(builder, flat::UpdateKind::Alive, nullptr, 0, 0, record);
    return flat::CreateDatagram(builder, nullptr, 0, flat::Message::NONE, 0,
                                builder.CreateVector(std::vector(updates_max, update)));
  }));
}

BOOST_AUTO_TEST_CASE(more_updates_or_statuses_than_there_may_be_are_refused) {
  must_be_refused(with_body([](Builder& builder) {
    const auto update = flat::CreateUpdate(builder);
    return flat::CreateDatagram(builder, nullptr, 0, flat::Message::NONE, 0,
                                builder.CreateVector(std::vector(updates_max + 1, update)));
  }));
  must_be_refused(with_body([](Builder& builder) {
    const auto statuses =
        write_list<flat::CellStatus>(builder, std::vector<CellStatus>(statuses_max + 1));
    return flat::CreateDatagram(builder, nullptr, 0, flat::Message::NONE, 0, 0, statuses);
  }));
  Datagram datagram = good();
  datagram.updates.resize(updates_max + 1);
  must_not_be_sent(datagram);
  datagram = good();
  datagram.statuses.resize(statuses_max + 1);
  must_not_be_sent(datagram);
}

BOOST_AUTO_TEST_CASE(a_datagram_that_would_not_pass_on_every_path_is_not_sent) {
  Datagram datagram = good();
  datagram.updates = {alive(600), alive(600)};
  must_not_be_sent(datagram);
}

BOOST_AUTO_TEST_CASE(the_probe_that_is_asked_for_must_have_somewhere_to_go) {
  for (const Endpoint nowhere : {Endpoint::v4(0x0A000001, 0), Endpoint::v4(0xE0000001, 7746)}) {
    Datagram datagram = good();
    datagram.message = PingRequest{.sequence = 1, .target = {}, .endpoint = nowhere};
    must_be_refused(encode(datagram));
  }
}

BOOST_AUTO_TEST_CASE(a_fitness_that_is_no_number_is_the_worst_and_such_a_score_is_not_measured) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float worst = std::numeric_limits<float>::max();
  for (const float odd : {infinity, -infinity, nan}) {
    const CellStatus status =
        received({.generator_fitness = odd, .discriminator_fitness = odd, .score = odd});
    BOOST_TEST(status.generator_fitness == worst);
    BOOST_TEST(status.discriminator_fitness == worst);
    BOOST_TEST(std::isnan(status.score));
  }
  const CellStatus status =
      received({.generator_fitness = -1, .discriminator_fitness = 2, .score = 3});
  BOOST_TEST(status.generator_fitness == -1);
  BOOST_TEST(status.discriminator_fitness == 2);
  BOOST_TEST(status.score == 3);
}

BOOST_AUTO_TEST_CASE(a_datagram_that_is_cut_or_damaged_is_survived) {
  RandomStream random(stream_key(1, "damage", 0));
  for (int trial = 0; trial < 5000; ++trial) {
    ByteBuffer bytes = encode(any_datagram(random));
    bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^=
        static_cast<std::byte>(1 + random.below(255));
    (void)decode_datagram(bytes);
    bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size())));
    (void)decode_datagram(bytes);
  }
}

BOOST_AUTO_TEST_SUITE_END()
