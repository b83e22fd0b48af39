#include "peer/placement/cluster.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/overloaded.hpp"

namespace quadrille::peer::test {

PlacementOptions options_of(std::uint16_t rows, std::uint16_t columns,
                            std::optional<std::uint32_t> capacity) {
  PlacementOptions options;
  options.genesis = {.epoch = {.epoch = 0, .rows = rows, .columns = columns}, .stride = columns};
  options.largest = options.genesis;
  options.capacity = capacity.value_or(options.genesis.cell_count());
  return options;
}

std::ostream& operator<<(std::ostream& out, const Fleet& fleet) {
  out << fleet.peers << " peers, " << fleet.rows << " x " << fleet.columns << " cells";
  if (fleet.capacity) out << ", " << *fleet.capacity << " each at most";
  return out << ", seed " << fleet.seed;
}

Cluster::Cluster(PlacementOptions options, std::uint64_t seed, Network network)
    : options_(std::move(options)),
      network_(network),
      random_(stream_key(seed, "cluster", 0)),
      now_{Seconds(1000)} {}

std::size_t Cluster::join(Duration after, std::optional<PlacementOptions> given) {
  const std::size_t number = peers_.size();
  const PlacementOptions options = given.value_or(options_);
  Peer& peer = peers_.emplace_back();
  peer.id = {.high = random_.next_u64(), .low = random_.next_u64()};
  peer.placement = std::make_unique<Placement>(
      options,
      Placement::Self{
          .id = peer.id, .sync = number > 0 ? Gate::Sync::Needed : Gate::Sync::None, .stored = {}},
      RandomStream(random_.next_u64()));
  StoredRecord stored;
  stored.record.id = peer.id;
  stored.record.capacity = options.capacity;
  stored.record.grid = options.genesis.epoch;
  peer.record = RecordRef(std::move(stored));
  numbers_[peer.id] = number;
  at(now_ + after, [this, number] { enter(number); });
  return number;
}

void Cluster::join_all(std::size_t count, Duration within) {
  for (std::size_t i = 0; i < count; ++i)
    join(i == 0 ? Duration{} : draw({.min = {}, .max = within}));
}

void Cluster::enter(std::size_t number) {
  Peer& peer = peers_[number];
  peer.has_joined = true;
  with(number, [this](Placement& placement, PlacementOutput&) { placement.start(now_); });
  publish(number);
  if (number == 0) return;
  at(now_ + draw(network_.sync), [this, number] {
    for (const std::size_t other : live())
      if (other != number) learn(number, other, peers_[other].record);
    with(number, [](Placement& placement, PlacementOutput&) { placement.on_joined(); });
  });
}

void Cluster::crash(std::size_t number) {
  peers_[number].alive = false;
  for (const std::size_t other : live())
    at(now_ + draw(network_.detection), [this, number, other] { lose_sight(number, other); });
}

void Cluster::leave(std::size_t number) {
  peers_[number].leaving = true;
  with(number, [this](Placement& placement, PlacementOutput& out) { placement.leave(now_, out); });
  publish(number);
}

void Cluster::break_cell(std::size_t number, CellIndex cell) {
  peers_[number].broken.insert(cell);
  with(number,
       [&](Placement& placement, PlacementOutput& out) { placement.give_up(cell, now_, out); });
}

void Cluster::remove_leavers() {
  for (const std::size_t leaver : live()) {
    if (!peers_[leaver].leaving) continue;
    peers_[leaver].alive = false;
    for (const std::size_t other : live()) lose_sight(leaver, other);
  }
}

void Cluster::split(std::size_t first_side) {
  for (std::size_t i = 0; i < peers_.size(); ++i) peers_[i].side = i < first_side ? 0 : 1;
  for (const std::size_t a : live())
    for (const std::size_t b : live())
      if (peers_[a].side != peers_[b].side)
        at(now_ + draw(network_.detection), [this, a, b] {
          if (peers_[a].side != peers_[b].side) lose_sight(a, b);
        });
}

void Cluster::heal() {
  for (const std::size_t a : live())
    for (const std::size_t b : live())
      if (peers_[a].side != peers_[b].side) tell(a, b, draw(network_.heal));
  for (Peer& peer : peers_) peer.side = 0;
}

void Cluster::state(wire::PeerRecord record) {
  const RecordRef stored(StoredRecord{.record = std::move(record), .bytes = {}});
  for (const std::size_t number : live())
    with(number, [&](Placement& placement, PlacementOutput& out) {
      placement.on_member_changed({.id = stored->record.id, .before = {}, .after = stored}, now_,
                                  out);
    });
}

void Cluster::run_for(Duration duration) {
  const TimePoint end = now_ + duration;
  while (!events_.empty() && events_.begin()->first <= end) {
    now_ = events_.begin()->first;
    auto& events = events_.begin()->second;  // more may be added while these run
    for (std::size_t i = 0; i < events.size(); ++i) std::exchange(events[i], {})();
    event_hash_ = chain(chain(event_hash_, static_cast<std::uint64_t>(now_.since_start.count())),
                        events.size());
    events_.erase(events_.begin());
  }
  now_ = end;
}

std::optional<Duration> Cluster::run_until(const std::function<bool()>& holds, Duration at_most) {
  const TimePoint begin = now_;
  while (!holds()) {
    if (now_ - begin >= at_most) return std::nullopt;
    run_for(Milliseconds(100));
  }
  return now_ - begin;
}

std::vector<std::size_t> Cluster::live() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < peers_.size(); ++i)
    if (peers_[i].has_joined && peers_[i].alive) numbers.push_back(i);
  return numbers;
}

bool Cluster::views_agree() const {
  const auto numbers = live();
  return std::ranges::all_of(numbers, [&](std::size_t number) {
    return placement(number).owners_hash() == placement(numbers.front()).owners_hash();
  });
}

bool Cluster::grid_is_full() const {
  return std::ranges::all_of(
      live(), [&](std::size_t number) { return placement(number).vacant_count() == 0; });
}

bool Cluster::each_cell_has_one_owner() const {
  std::vector<CellIndex> held;
  for (const std::size_t number : live())
    for (const CellIndex cell : placement(number).own_cells()) held.push_back(cell);
  std::ranges::sort(held);
  return held.size() == placement(live().front()).grid().cell_count() &&
         std::ranges::adjacent_find(held) == held.end();
}

std::uint32_t Cluster::load_spread() const {
  std::size_t least = ~std::size_t{0};
  std::size_t most = 0;
  for (const std::size_t number : live()) {
    if (peers_[number].leaving) continue;
    const std::size_t load = placement(number).own_cells().size();
    least = std::min(least, load);
    most = std::max(most, load);
  }
  return static_cast<std::uint32_t>(most - least);
}

bool Cluster::is_at_rest() const {
  const bool nothing_on_its_way = std::ranges::all_of(
      live(), [&](std::size_t number) { return placement(number).yields().empty(); });
  return nothing_on_its_way && grid_is_full() && views_agree() && each_cell_has_one_owner() &&
         load_spread() <= 1;
}

Cluster::Owners Cluster::owners() const {
  const Placement& first = placement(live().front());
  Owners owners;
  for (std::uint32_t position = 0; position < first.grid().cell_count(); ++position) {
    const CellIndex cell = first.grid().cell_at(position);
    if (const auto owner = first.owner(cell)) owners[cell] = *find(*owner);
  }
  return owners;
}

std::size_t Cluster::runs_max() const {
  return runs_max_;
}

std::optional<std::size_t> Cluster::find(PeerId id) const {
  const auto found = numbers_.find(id);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

void Cluster::at(TimePoint time, std::function<void()> run) {
  events_[{std::chrono::ceil<Milliseconds>(time.since_start)}].push_back(std::move(run));
}

Duration Cluster::draw(const Delay& delay) {
  const double part = random_.uniform();
  const double span = static_cast<double>((delay.max - delay.min).count());
  return delay.min + Duration(static_cast<Duration::rep>(span * part));
}

// The record as it is then, so that what was changed on the way arrives at once.
void Cluster::tell(std::size_t from, std::size_t to, Duration after) {
  // Small enough for std::function not to allocate: there are millions of these.
  at(now_ + after,
     [this, from = static_cast<std::uint32_t>(from), to = static_cast<std::uint32_t>(to)] {
       if (!peers_[from].alive || peers_[from].side != peers_[to].side) return;
       learn(to, from, peers_[from].record);
     });
}

void Cluster::learn(std::size_t to, std::size_t from, const RecordRef& record) {
  if (!peers_[to].alive || !peers_[to].has_joined || !peers_[from].alive) return;
  peers_[to].known.resize(peers_.size());
  Known& known = peers_[to].known[from];
  if (known.record && record->record.version <= known.version) return;
  const RecordRef before = std::exchange(known.record, record);
  known.version = record->record.version;
  with(to, [&](Placement& placement, PlacementOutput& out) {
    placement.on_member_changed({.id = peers_[from].id, .before = before, .after = record}, now_,
                                out);
  });
}

void Cluster::lose_sight(std::size_t of, std::size_t by) {
  if (!peers_[by].alive) return;
  peers_[by].known.resize(peers_.size());
  const RecordRef before = std::exchange(peers_[by].known[of].record, nullptr);
  if (!before) return;
  with(by, [&](Placement& placement, PlacementOutput& out) {
    placement.on_member_changed({.id = peers_[of].id, .before = before, .after = nullptr}, now_,
                                out);
  });
}

void Cluster::with(std::size_t number,
                   const std::function<void(Placement&, PlacementOutput&)>& act) {
  if (!peers_[number].alive) return;
  PlacementOutput out;
  act(*peers_[number].placement, out);
  carry_out(number, out);
  arm(number);
}

void Cluster::carry_out(std::size_t number, const PlacementOutput& out) {
  Peer& peer = peers_[number];
  for (const PlacementOutput::Action& action : out.actions)
    std::visit(Overloaded{
                   [&](const PlacementOutput::Gained& gained) { peer.trained.insert(gained.cell); },
                   [&](const PlacementOutput::Offered& offer) { fetch(number, offer); },
                   [&](const PlacementOutput::Dropped& dropped) {
                     const bool had = peer.trained.erase(dropped.cell) > 0;
                     moves_ += had && dropped.winner ? 1 : 0;
                   },
                   [](const auto&) {},
               },
               action);
  for (const PlacementOutput::Sending& sending : out.messages) {
    const auto to = find(sending.to);
    if (!to) continue;
    at(now_ + draw(network_.message),
       [this, number, to, message = sending.message] { deliver(number, *to, message); });
  }
  if (out.claims_changed) publish(number);
  const std::vector<CellIndex> own = peer.placement->own_cells();
  if (own.size() != peer.trained.size() || !std::ranges::equal(own, peer.trained))
    BOOST_FAIL("peer " << number << " owns " << own.size() << " cells and was told to train "
                       << peer.trained.size());
}

void Cluster::fetch(std::size_t number, const PlacementOutput::Offered& offer) {
  const auto from = find(offer.from);
  at(now_ + draw(network_.fetch), [this, number, from, cell = offer.cell] {
    const bool there = from && peers_[*from].alive && peers_[*from].side == peers_[number].side;
    if (!peers_[number].alive) return;
    PlacementOutput out;
    Placement& placement = *peers_[number].placement;
    if (there && peers_[number].broken.contains(cell))
      placement.give_up(cell, now_, out);
    else if (there)
      placement.on_acquired(cell, now_, out);
    else
      placement.on_acquire_failed(cell, now_, out);
    for (const CellIndex own : placement.own_cells())
      if (own == cell) peers_[number].trained.insert(cell);
    carry_out(number, out);
    arm(number);
  });
}

void Cluster::deliver(std::size_t from, std::size_t to, const wire::Message& message) {
  if (!peers_[from].alive || !peers_[to].alive || peers_[from].side != peers_[to].side) return;
  with(to, [&](Placement& placement, PlacementOutput& out) {
    const PeerId sender = peers_[from].id;
    if (const auto* request = std::get_if<wire::YieldRequest>(&message))
      placement.on_yield_request(sender, *request, now_, out);
    if (const auto* reply = std::get_if<wire::YieldReply>(&message))
      placement.on_yield_reply(sender, *reply);
  });
}

void Cluster::publish(std::size_t number) {
  Peer& peer = peers_[number];
  wire::PeerRecord revised = peer.record->record;
  ++revised.version;
  revised.leaving = peer.leaving;
  revised.grid = peer.placement->grid().epoch;
  revised.capacity = peer.placement->capacity();
  revised.claims = peer.placement->runs();
  revised.yields = peer.placement->yields();
  BOOST_TEST_REQUIRE(revised.claims.size() <= wire::claim_runs_max);
  BOOST_TEST_REQUIRE(revised.yields.size() <= wire::yields_max);
  runs_max_ = std::max(runs_max_, revised.claims.size());
  const RecordRef record(StoredRecord{.record = std::move(revised), .bytes = {}});
  const RecordRef before = std::exchange(peer.record, record);
  PlacementOutput none;
  peer.placement->on_member_changed({.id = peer.id, .before = before, .after = record}, now_, none);
  for (const std::size_t other : live())
    if (other != number) tell(number, other, draw(network_.record));
}

void Cluster::arm(std::size_t number) {
  Peer& peer = peers_[number];
  const TimePoint wake = peer.placement->wake_at();
  if (wake == TimePoint{Duration::max()} || (peer.armed > now_ && peer.armed <= wake)) return;
  peer.armed = std::max(wake, now_ + Milliseconds(1));
  at(peer.armed, [this, number, armed = peer.armed] {
    if (peers_[number].armed != armed) return;
    with(number,
         [this](Placement& placement, PlacementOutput& out) { placement.on_time(now_, out); });
  });
}

}  // namespace quadrille::peer::test
