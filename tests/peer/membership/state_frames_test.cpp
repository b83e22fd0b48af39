// A view as frames: what stands in them, and that they fit.
#include "peer/membership/state_frames.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "peer/membership/sample_records.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::UpdateKind;

BOOST_AUTO_TEST_SUITE(state_frames_of_a_view)

namespace {

wire::StateEnd every_bucket() {
  return {std::vector<bool>(256, true)};
}

std::vector<wire::State> frames_of(const Roster& roster, const wire::StateEnd& buckets,
                                   std::uint64_t turn, std::span<const wire::State> heard) {
  std::vector<wire::State> frames;
  state_frames(roster, buckets, turn, heard,
               [&](const wire::State& state) { frames.push_back(state); });
  return frames;
}

struct Holder {
  RecordPool pool;
  MembershipOutput out;
  Roster roster{MembershipOptions{}, record_of(1), pool};
  Holder() { roster.begin(at(seconds(1)), out); }
  void apply(const wire::Update& update) {
    roster.apply(update, Roster::Source::Member, at(seconds(2)), out);
  }
  std::vector<wire::Update> frames(const wire::StateEnd& buckets) {
    std::vector<wire::Update> all;
    for (const wire::State& state : frames_of(roster, buckets, 0, {}))
      all.insert(all.end(), state.updates.begin(), state.updates.end());
    return all;
  }
};

// A record of nearly the largest size.
wire::PeerRecord large_record(std::uint32_t number) {
  wire::PeerRecord record = record_of(number);
  record.zone = std::string(wire::zone_bytes_max, 'z');
  for (std::uint32_t run = 0; run < wire::claim_runs_max; ++run)
    record.claims.push_back({.first = 10 * run, .count = 5, .stamp = number});
  return record;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_living_come_with_records_suspects_with_a_suspicion_the_gone_without) {
  Holder holder;
  holder.apply(alive(2));
  holder.apply(alive(3));
  holder.apply(said(UpdateKind::Suspect, 3));
  holder.apply(alive(4));
  holder.apply(said(UpdateKind::Left, 4));
  holder.apply(said(UpdateKind::Dead, 5, 70));
  std::map<std::uint64_t, std::vector<UpdateKind>> kinds;
  for (const wire::Update& update : holder.frames(every_bucket())) {
    kinds[update.subject.low].push_back(update.kind);
    BOOST_TEST((update.kind == UpdateKind::Alive) == !update.record.empty());
  }
  BOOST_TEST((kinds[1] == std::vector{UpdateKind::Alive}));
  BOOST_TEST((kinds[2] == std::vector{UpdateKind::Alive}));
  BOOST_TEST((kinds[3] == std::vector{UpdateKind::Alive, UpdateKind::Suspect}));
  BOOST_TEST((kinds[4] == std::vector{UpdateKind::Left}));
  BOOST_TEST((kinds[5] == std::vector{UpdateKind::Dead}));
  BOOST_TEST(kinds.size() == 5u);
}

BOOST_AUTO_TEST_CASE(only_the_buckets_that_were_asked_for_are_there) {
  Holder holder;
  for (std::uint32_t number = 2; number < 600; ++number) holder.apply(alive(number));
  wire::StateEnd buckets{std::vector<bool>(256)};
  buckets.differing[View::bucket_of(id_of(17), 256)] = true;
  const auto updates = holder.frames(buckets);
  BOOST_TEST(updates.size() >= 1u);
  BOOST_TEST(updates.size() < 20u);
  bool found = false;
  for (const wire::Update& update : updates) {
    BOOST_TEST(View::bucket_of(update.subject, 256) == View::bucket_of(id_of(17), 256));
    found = found || update.subject == id_of(17);
  }
  BOOST_TEST(found);
  BOOST_TEST(holder.frames({std::vector<bool>(256)}).empty());
}

BOOST_AUTO_TEST_CASE(what_the_other_end_has_said_is_not_said_to_it_again) {
  Holder holder;
  for (std::uint32_t number = 2; number <= 7; ++number) holder.apply(alive(number));
  holder.apply(said(UpdateKind::Suspect, 5));
  holder.apply(said(UpdateKind::Left, 6));
  holder.apply(said(UpdateKind::Left, 7));
  const std::vector<wire::State> heard{
      {.updates = {alive(2), alive(3, {.incarnation = 200}), alive(5), said(UpdateKind::Suspect, 5),
                   said(UpdateKind::Left, 6), alive(7)}}};
  std::map<std::uint64_t, std::vector<UpdateKind>> kinds;
  for (const wire::State& state : frames_of(holder.roster, every_bucket(), 0, heard))
    for (const wire::Update& update : state.updates)
      kinds[update.subject.low].push_back(update.kind);
  BOOST_TEST(!kinds.contains(2));                              // known there
  BOOST_TEST(!kinds.contains(3));                              // and newer
  BOOST_TEST((kinds[4] == std::vector{UpdateKind::Alive}));    // not known there
  BOOST_TEST((kinds[5] == std::vector{UpdateKind::Suspect}));  // by another accuser
  BOOST_TEST(!kinds.contains(6));                              // gone there, too
  BOOST_TEST((kinds[7] == std::vector{UpdateKind::Left}));     // which lives there
}

BOOST_AUTO_TEST_CASE(each_frame_fits_and_together_they_keep_the_limit_of_an_exchange) {
  Holder holder;
  for (std::uint32_t number = 2; number < 14'000; ++number)
    holder.apply(alive(large_record(number)));
  std::size_t total_bytes = 0;
  for (const wire::State& state : frames_of(holder.roster, every_bucket(), 0, {})) {
    const std::size_t bytes = encode(state).size();
    BOOST_REQUIRE_LE(bytes, wire::control_frame_bytes_max);
    total_bytes += bytes;
  }
  BOOST_TEST(total_bytes <= wire::sync_bytes_max);
  BOOST_TEST(total_bytes > wire::sync_bytes_max / 2);
}

BOOST_AUTO_TEST_CASE(what_one_exchange_has_no_room_for_travels_with_the_next_ones) {
  Holder holder;
  for (std::uint32_t number = 2; number < 14'000; ++number)
    holder.apply(alive(large_record(number)));
  std::set<PeerId> seen;
  std::size_t most_at_once = 0;
  for (std::uint64_t turn = 0; turn < 20; ++turn) {
    std::size_t count = 0;
    for (const wire::State& state : frames_of(holder.roster, every_bucket(), turn, {}))
      for (const wire::Update& update : state.updates) seen.insert(update.subject), ++count;
    most_at_once = std::max(most_at_once, count);
  }
  BOOST_TEST(most_at_once < 13'999u);
  BOOST_TEST(seen.size() == 13'999u);
}

BOOST_AUTO_TEST_SUITE_END()
