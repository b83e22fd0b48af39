// I3, I6 and I8 are found broken, in values made by hand.
#include "sim/host_rules.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(host_rules)

namespace {

constexpr PeerId self{.high = 1, .low = 1};
constexpr PeerId other{.high = 2, .low = 1};

std::string invariant_of(const std::optional<Violation>& violation) {
  return violation ? violation->invariant : "";
}

std::string trained(std::optional<PeerId> owner) {
  return invariant_of(check_training(0, self, {{4}}, [&](CellIndex) { return owner; }));
}

peer::Member member_of(peer::MemberState state) {
  peer::Member member{.id = other, .incarnation = 1, .standing = {state, {}}};
  if (!peer::is_live(state)) return member;
  peer::StoredRecord stored;
  stored.record.id = other;
  stored.record.endpoints = {{}};
  member.record = peer::RecordRef(std::move(stored));
  return member;
}

std::string yielded(const peer::View& view) {
  return invariant_of(check_yields(0, {{.first = 3, .to = other}}, view));
}

constexpr std::size_t cells_max = 5;

struct Row {
  std::size_t HostSizes::* size;
  std::size_t most;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << "most " << row.most;
}

constexpr Row rows[] = {
    {&HostSizes::datagram_bytes, 24 + 1120},
    {&HostSizes::frame_bytes, 16 + 65'536},
    {&HostSizes::backlog_bytes, 9 << 20},
    {&HostSizes::record_bytes, 912},
    {&HostSizes::claim_runs, 28},
    {&HostSizes::yields, 4},
    {&HostSizes::members, 20'480},
    {&HostSizes::streams, 4096},
    {&HostSizes::accepted, 3072},
    {&HostSizes::objects, 128 + 256 + cells_max},
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_cell_that_is_somebody_elses_or_nobodys_may_not_be_trained) {
  BOOST_TEST(trained(self) == "");
  BOOST_TEST(trained(other) == "I3");
  BOOST_TEST(trained(std::nullopt) == "I3");
}

BOOST_AUTO_TEST_CASE(every_cell_that_is_trained_is_looked_at) {
  const auto violation = check_training(
      7, self, {{1}, {2}, {3}}, [](CellIndex cell) { return cell == CellIndex{3} ? other : self; });
  BOOST_TEST_REQUIRE(violation.has_value());
  BOOST_TEST(violation->node == 7U);
  BOOST_TEST(violation->text.starts_with("it trains cell 3, "));
}

BOOST_AUTO_TEST_CASE(a_cell_is_yielded_to_who_lives_and_to_nobody_else) {
  using enum peer::MemberState;
  peer::View view;
  BOOST_TEST(yielded(view) == "I6");
  view.put(member_of(Alive));
  BOOST_TEST(yielded(view) == "");
  view.put(member_of(Suspect));
  BOOST_TEST(yielded(view) == "");
  view.put(member_of(Dead));
  BOOST_TEST(yielded(view) == "I6");
}

BOOST_DATA_TEST_CASE(a_size_may_reach_its_limit_and_not_go_beyond,
                     boost::unit_test::data::make(rows)) {
  HostSizes sizes;
  sizes.*sample.size = sample.most;
  BOOST_TEST(invariant_of(check_sizes(0, sizes, cells_max)) == "");
  sizes.*sample.size = sample.most + 1;
  BOOST_TEST(invariant_of(check_sizes(0, sizes, cells_max)) == "I8");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim
