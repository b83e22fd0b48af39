// The rules of single messages of streams: what is refused on arrival, and what is never sent.
#include <exchange_generated.h>
#include <session_generated.h>
#include <sync_generated.h>
#include <watch_generated.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/signal_of.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/flat_values.hpp"
#include "wire/frame.hpp"
#include "wire/limits.hpp"
#include "wire/session_messages.hpp"
#include "wire/sync_messages.hpp"
#include "wire/watch_messages.hpp"

using namespace quadrille;
using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(messages)

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

template <class Build>
ByteBuffer body_of(const char* identifier, const Build& build) {
  Builder builder;
  return finished(builder, build(builder), identifier);
}

template <class Message>
void must_be_refused(const Result<Message>& decoded, ErrorCode code = ErrorCode::Corrupt) {
  BOOST_REQUIRE(!decoded.has_value());
  BOOST_TEST((decoded.error().code == code));
}

template <class Message>
void must_not_be_sent(const Message& message) {
  BOOST_TEST(quadrille::test::signal_of([&] { (void)encode(message); }) == SIGABRT);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_hello_speaks_a_range_of_versions) {
  must_not_be_sent(Hello{.version_min = 2, .version_max = 1});
  must_be_refused(decode_hello(body_of(
      flat::HelloIdentifier(), [](Builder& builder) { return flat::CreateHello(builder, 2, 1); })));
}

BOOST_AUTO_TEST_CASE(a_hello_of_a_later_versions_purpose_is_of_an_unknown_one) {
  const auto hello = decode_hello(body_of(flat::HelloIdentifier(), [](Builder& builder) {
    return flat::CreateHello(builder, 1, 1, nullptr, nullptr,
                             static_cast<flat::StreamPurpose>(100));
  }));
  BOOST_REQUIRE(hello.has_value());
  BOOST_TEST((hello->purpose == StreamPurpose::Unknown));
}

BOOST_AUTO_TEST_CASE(a_hello_with_the_largest_record_fits_the_first_frame) {
  Hello hello{.version_min = 1, .version_max = 0xFFFF, .features = ~std::uint64_t{0}};
  hello.record.resize(record_bytes_max);
  BOOST_TEST(encode(hello).size() <= first_frame_bytes_max);
  hello.record.resize(record_bytes_max + 1);
  must_not_be_sent(hello);
  must_be_refused(decode_hello(body_of(flat::HelloIdentifier(), [&](Builder& builder) {
    const auto record = write_bytes(builder, hello.record);
    return flat::CreateHello(builder, 1, 1, nullptr, nullptr, flat::StreamPurpose::Watch, 0,
                             record);
  })));
}

BOOST_AUTO_TEST_CASE(the_text_of_a_refusal_is_made_to_fit_and_must_fit_on_arrival) {
  const Refusal refusal{.text = "two\nlines" + std::string(1000, '.'), .run = {}};
  const auto decoded = decode_refusal(encode(refusal));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(decoded->text.size() == reason_bytes_max);
  BOOST_TEST(decoded->text.starts_with("two?lines..."));
  for (const std::string& text : {std::string(reason_bytes_max + 1, 'x'), std::string("\x1b")})
    must_be_refused(decode_refusal(body_of(flat::HelloIdentifier(), [&](Builder& builder) {
      const auto written = builder.CreateString(text);
      return flat::CreateRefusal(builder, flat::RefusalReason::Busy, written);
    })));
}

BOOST_AUTO_TEST_CASE(a_run_spec_is_text_of_many_lines_and_the_longest_fits_its_frame) {
  RunSpecText spec{.run = {.high = 1, .low = 2}, .toml = std::string(run_spec_bytes_max, '\n')};
  BOOST_TEST(encode(spec).size() <= body_bytes_max(FrameType::RunSpec).value());
  spec.toml += '\n';
  must_not_be_sent(spec);
  for (const std::string& text : {spec.toml, std::string("\x1b"), std::string("\xff")})
    must_be_refused(decode_run_spec(body_of(flat::HelloIdentifier(), [&](Builder& builder) {
      const auto toml = builder.CreateString(text);
      return flat::CreateRunSpecText(builder, nullptr, toml);
    })));
}

BOOST_AUTO_TEST_CASE(a_digest_has_16_to_4096_buckets_a_power_of_two) {
  for (const std::size_t count : {0, 1, 8, 15, 17, 255, 4095, 4097, 8192})
    must_be_refused(decode_digest(body_of(flat::DigestIdentifier(), [&](Builder& builder) {
      const auto buckets = builder.CreateVector(std::vector<std::uint64_t>(count));
      return flat::CreateDigest(builder, buckets);
    })));
  for (const std::size_t count : {0, 1, 3, 31, 33, 511, 513, 1024})
    must_be_refused(decode_state_end(body_of(flat::DigestIdentifier(), [&](Builder& builder) {
      const auto mask = builder.CreateVector(std::vector<std::uint8_t>(count));
      return flat::CreateStateEnd(builder, mask);
    })));
  must_not_be_sent(Digest{std::vector<std::uint64_t>(48)});
  must_not_be_sent(StateEnd{std::vector<bool>(48)});
}

BOOST_AUTO_TEST_CASE(bucket_b_is_bit_b_of_the_mask_from_the_lowest) {
  StateEnd end{std::vector<bool>(256)};
  end.differing[0] = end.differing[9] = end.differing[255] = true;
  const ByteBuffer body = encode(end);
  ByteBuffer mask(32);
  mask[0] = std::byte{1};
  mask[1] = std::byte{2};
  mask[31] = std::byte{0x80};
  BOOST_TEST(!std::ranges::search(body, mask).empty());
}

BOOST_AUTO_TEST_CASE(a_state_beyond_a_control_frame_is_not_sent) {
  State state;
  state.updates.assign(80, {.kind = UpdateKind::Alive, .record = ByteBuffer(record_bytes_max)});
  must_not_be_sent(state);
}

BOOST_AUTO_TEST_CASE(a_state_cannot_make_more_of_a_frame_by_sharing_a_record) {
  must_be_refused(decode_state(body_of(flat::DigestIdentifier(), [](Builder& builder) {
    const auto record = write_bytes(builder, ByteBuffer(record_bytes_max));
    const auto update = flat::CreateUpdate(builder, flat::UpdateKind::Alive, nullptr, 0, 0, record);
    const auto updates = builder.CreateVector(std::vector(5000, update));
    return flat::CreateState(builder, updates);
  })));
}

BOOST_AUTO_TEST_CASE(more_than_an_object_may_have_is_not_announced) {
  PayloadBegin payload{.bytes = object_bytes_max};
  BOOST_TEST(decode_payload_begin(encode(payload)).has_value());
  ++payload.bytes;
  must_not_be_sent(payload);
  must_not_be_sent(ObjectBegin{.bytes = object_bytes_max + 1});
  must_not_be_sent(DirectBegin{.bytes = object_bytes_max + 1});
  const auto announced = [](auto create) { return body_of(flat::SubscribeIdentifier(), create); };
  must_be_refused(decode_payload_begin(announced([](Builder& builder) {
                    return flat::CreatePayloadBegin(builder, nullptr, 0, nullptr, 0, nullptr, 0, 0,
                                                    0, object_bytes_max + 1);
                  })),
                  ErrorCode::Limit);
  must_be_refused(decode_object_begin(announced([](Builder& builder) {
                    return flat::CreateObjectBegin(builder, 0, 0, nullptr, ~std::uint64_t{0});
                  })),
                  ErrorCode::Limit);
  must_be_refused(decode_direct_begin(announced([](Builder& builder) {
                    return flat::CreateDirectBegin(builder, 0, 0, 0, nullptr, ~std::uint64_t{0});
                  })),
                  ErrorCode::Limit);
}

BOOST_AUTO_TEST_CASE(the_exact_part_of_a_snapshot_has_its_limit) {
  PayloadBegin payload;
  payload.exact.resize(exact_bytes_max);
  BOOST_TEST(decode_payload_begin(encode(payload)).has_value());
  payload.exact.resize(exact_bytes_max + 1);
  must_not_be_sent(payload);
  must_be_refused(decode_payload_begin(body_of(flat::SubscribeIdentifier(), [&](Builder& builder) {
    const auto exact = write_bytes(builder, payload.exact);
    return flat::CreatePayloadBegin(builder, nullptr, 0, nullptr, 0, nullptr, 0, 0, 0, 0, exact);
  })));
}

BOOST_AUTO_TEST_CASE(a_chunk_has_a_head_and_bytes_that_lie_within_an_object) {
  const auto chunk_of = [](ChunkHead head, std::size_t bytes) {
    ByteBuffer body = encode(head);
    body.resize(body.size() + bytes, std::byte{9});
    return body;
  };
  const ChunkHead head{.transfer = 0x01020304, .offset = 0x05060708};
  const ByteBuffer body = chunk_of(head, 100);
  const auto chunk = decode_chunk(body);
  BOOST_REQUIRE(chunk.has_value());
  BOOST_TEST((chunk->head == head));
  BOOST_TEST(chunk->bytes.size() == 100u);
  BOOST_TEST((chunk->bytes.data() == body.data() + chunk_head_bytes));

  BOOST_TEST(decode_chunk(chunk_of({}, chunk_bytes_max)).has_value());
  must_be_refused(decode_chunk(chunk_of({}, chunk_bytes_max + 1)));
  must_be_refused(decode_chunk(Bytes(body).first(chunk_head_bytes - 1)));
  BOOST_TEST(decode_chunk(chunk_of({.offset = object_bytes_max - 1}, 1)).has_value());
  must_be_refused(decode_chunk(chunk_of({.offset = object_bytes_max}, 1)));
  must_be_refused(decode_chunk(chunk_of({.offset = ~std::uint64_t{0}}, 1)));
}

BOOST_AUTO_TEST_CASE(a_watched_grid_is_one_that_can_be) {
  must_not_be_sent(WatchBegin{.grid = {.rows = 0}});
  must_not_be_sent(WatchBegin{.column_stride = 0});
  const auto begin_with = [](flat::GridEpoch grid, std::uint16_t stride, const std::string& name) {
    return body_of(flat::WatchBeginIdentifier(), [&](Builder& builder) {
      const auto run_name = builder.CreateString(name);
      return flat::CreateWatchBegin(builder, nullptr, nullptr, run_name, &grid, stride);
    });
  };
  BOOST_TEST(decode_watch_begin(begin_with({0, 1, 1024}, 1024, "run")).has_value());
  must_be_refused(decode_watch_begin(begin_with({0, 0, 1}, 1, "run")));
  must_be_refused(decode_watch_begin(begin_with({0, 1, 1025}, 1, "run")));
  must_be_refused(decode_watch_begin(begin_with({0, 1, 1}, 0, "run")));
  must_be_refused(decode_watch_begin(begin_with({0, 1, 1}, 1, "\n")));
}

BOOST_AUTO_TEST_CASE(an_events_text_is_made_to_fit_and_must_fit_on_arrival) {
  WatchEvents sent;
  sent.events = {{.text = std::string(2000, 'e')}};
  BOOST_TEST(decode_watch_events(encode(sent))->events.at(0).text.size() == reason_bytes_max);
  must_be_refused(decode_watch_events(body_of(flat::WatchBeginIdentifier(), [](Builder& builder) {
    const auto text = builder.CreateString("\x1b[2J");
    const auto event =
        flat::CreateWatchEvent(builder, 0, 0, flat::EventKind::Died, nullptr, 0, text);
    return flat::CreateWatchEvents(builder, builder.CreateVector(std::vector{event}));
  })));
}

BOOST_AUTO_TEST_CASE(watched_lists_cannot_make_more_of_a_frame_by_sharing) {
  must_be_refused(decode_watch_events(body_of(flat::WatchBeginIdentifier(), [](Builder& builder) {
    const auto text = builder.CreateString(std::string(reason_bytes_max, 'e'));
    const auto event =
        flat::CreateWatchEvent(builder, 0, 0, flat::EventKind::Died, nullptr, 0, text);
    return flat::CreateWatchEvents(builder, builder.CreateVector(std::vector(500, event)));
  })));
  must_be_refused(decode_watch_members(body_of(flat::WatchBeginIdentifier(), [](Builder& builder) {
    const auto record = write_bytes(builder, ByteBuffer(record_bytes_max));
    const auto member =
        flat::CreateWatchedMember(builder, flat::MemberState::Alive, nullptr, 0, record);
    return flat::CreateWatchMembers(builder, builder.CreateVector(std::vector(500, member)));
  })));
}

// Of two places that are four bytes apart one is no place for numbers of eight.
BOOST_AUTO_TEST_CASE(a_list_of_structs_or_numbers_that_lies_askew_is_refused) {
  const auto list_at = [](Builder& builder, std::size_t offset, std::size_t count,
                          std::size_t bytes) {
    builder.Align(8);
    builder.Pad(offset);
    builder.StartVector(bytes, 1);
    builder.PushBytes(std::vector<std::uint8_t>(bytes).data(), bytes);
    return builder.EndVector(count);
  };
  int statuses_read = 0;
  int digests_read = 0;
  for (const std::size_t offset : {0, 4}) {
    statuses_read +=
        decode_watch_statuses(body_of(flat::WatchBeginIdentifier(), [&](Builder& out) {
          return flat::CreateWatchStatuses(out, list_at(out, offset, 2, 2 * cell_status_bytes));
        })).has_value();
    digests_read += decode_digest(body_of(flat::DigestIdentifier(), [&](Builder& out) {
                      return flat::CreateDigest(out, list_at(out, offset, 256, 256 * 8));
                    })).has_value();
  }
  BOOST_TEST(statuses_read == 1);
  BOOST_TEST(digests_read == 1);
}

BOOST_AUTO_TEST_CASE(lists_that_are_absent_are_empty) {
  BOOST_TEST(decode_state(body_of(flat::DigestIdentifier(), [](Builder& builder) {
               return flat::CreateState(builder);
             }))->updates.empty());
  const char* watch = flat::WatchBeginIdentifier();
  BOOST_TEST(decode_watch_members(body_of(watch, [](Builder& builder) {
               return flat::CreateWatchMembers(builder);
             }))->members.empty());
  BOOST_TEST(decode_watch_statuses(body_of(watch, [](Builder& builder) {
               return flat::CreateWatchStatuses(builder);
             }))->statuses.empty());
  BOOST_TEST(decode_watch_events(body_of(watch, [](Builder& builder) {
               return flat::CreateWatchEvents(builder);
             }))->events.empty());
}

BOOST_AUTO_TEST_SUITE_END()
