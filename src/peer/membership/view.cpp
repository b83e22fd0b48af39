#include "peer/membership/view.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace quadrille::peer {
namespace {

std::uint64_t hash_of_id(PeerId id) {
  return chain(mix64(id.high), id.low);
}

const wire::Endpoint& first_endpoint(const Member& member) {
  return member.record->record.endpoints.front();
}

// Of what the digest covers.
std::uint64_t hash_of_edition(const Member& member) {
  const wire::PeerRecord& record = member.record->record;
  return chain(chain(hash_of_id(member.id), record.incarnation), record.version);
}

std::uint64_t hash_of_endpoint(const wire::Endpoint& endpoint) {
  return mix64(std::hash<wire::Endpoint>{}(endpoint));
}

}  // namespace

View::View(std::size_t expected) {
  members_.reserve(expected);
  by_id_.reserve(expected);
  by_endpoint_.reserve(expected);
}

const Member* View::find(PeerId id) const {
  const Place place = place_of(id);
  return place == PlaceTable::none ? nullptr : &members_[place];
}

const Member* View::find_live(const wire::Endpoint& endpoint) const {
  const Place place = by_endpoint_.find(hash_of_endpoint(endpoint), [&](Place candidate) {
    return first_endpoint(members_[candidate]) == endpoint;
  });
  return place == PlaceTable::none ? nullptr : &members_[place];
}

void View::put(Member member) {
  const bool live = is_live(member.state());
  CHECK(live == (member.record != nullptr), member.id);
  Place place = place_of(member.id);
  if (place == PlaceTable::none) place = append(member.id);
  const bool was_live = place < live_count_;
  if (was_live && live && first_endpoint(members_[place]) == first_endpoint(member)) {
    // A newer record at the same address, as most changes are.
    toggle(members_[place]);
    members_[place] = std::move(member);
    toggle(members_[place]);
    return;
  }
  if (was_live) uncount(place);
  if (was_live != live) place = move_across(place, live);
  members_[place] = std::move(member);
  if (live) count(place);
  if (suitable_bucket_count() > digest_.buckets.size())
    digest_ = recounted(suitable_bucket_count());
}

void View::forget(PeerId id) {
  const Place place = place_of(id);
  CHECK(place != PlaceTable::none, id);
  CHECK(place >= live_count_, id);
  const auto hash_at = [this](Place at) { return hash_of_id(members_[at].id); };
  by_id_.erase(hash_of_id(id), place, hash_at);
  const auto last = static_cast<Place>(members_.size() - 1);
  if (place != last) {
    by_id_.move(hash_at(last), last, place);
    members_[place] = std::move(members_[last]);
  }
  members_.pop_back();
}

// Fewer buckets: those that fall together are added up. More: from the members.
wire::Digest View::digest_of(std::size_t bucket_count) const {
  CHECK(wire::is_digest_size(bucket_count), bucket_count);
  if (bucket_count > digest_.buckets.size()) return recounted(bucket_count);
  wire::Digest digest{std::vector<std::uint64_t>(bucket_count)};
  for (std::size_t bucket = 0; bucket < digest_.buckets.size(); ++bucket)
    digest.buckets[bucket % bucket_count] ^= digest_.buckets[bucket];
  return digest;
}

std::size_t View::suitable_bucket_count() const {
  return std::clamp(std::bit_ceil(live_count_), wire::digest_buckets_min, wire::digest_buckets_max);
}

wire::Digest View::recounted(std::size_t bucket_count) const {
  wire::Digest digest{std::vector<std::uint64_t>(bucket_count)};
  for (const Member& member : live())
    digest.buckets[bucket_of(member.id, bucket_count)] ^= hash_of_edition(member);
  return digest;
}

std::size_t View::bucket_of(PeerId id, std::size_t bucket_count) {
  return hash_of_id(id) % bucket_count;
}

std::size_t View::bytes_held() const {
  return sizeof(*this) + digest_.buckets.capacity() * 8 + members_.capacity() * sizeof(Member) +
         by_id_.bytes_held() + by_endpoint_.bytes_held();
}

View::Place View::place_of(PeerId id) const {
  return by_id_.find(hash_of_id(id), [&](Place place) { return members_[place].id == id; });
}

// As a gone one: put() says what it is.
View::Place View::append(PeerId id) {
  // By an eighth: doubling would leave half of the largest array of a simulation empty.
  if (members_.size() == members_.capacity())
    members_.reserve(members_.size() + members_.size() / 8 + 8);
  const auto place = static_cast<Place>(members_.size());
  members_.push_back({.id = id, .standing = {MemberState::Dead, {}}});
  by_id_.insert(hash_of_id(id), place, [this](Place at) { return hash_of_id(members_[at].id); });
  return place;
}

// To the border between live and gone, which then moves by one. Who stood there takes its place.
View::Place View::move_across(Place place, bool to_live) {
  if (!to_live) --live_count_;
  const auto border = static_cast<Place>(live_count_);
  if (to_live) ++live_count_;
  if (place == border) return border;
  by_id_.exchange(hash_of_id(members_[place].id), place, hash_of_id(members_[border].id), border);
  if (!to_live)
    by_endpoint_.move(hash_of_endpoint(first_endpoint(members_[border])), border, place);
  std::swap(members_[place], members_[border]);
  return border;
}

void View::count(Place place) {
  toggle(members_[place]);
  by_endpoint_.insert(hash_of_endpoint(first_endpoint(members_[place])), place,
                      [this](Place at) { return hash_of_endpoint(first_endpoint(members_[at])); });
}

void View::uncount(Place place) {
  toggle(members_[place]);
  by_endpoint_.erase(hash_of_endpoint(first_endpoint(members_[place])), place,
                     [this](Place at) { return hash_of_endpoint(first_endpoint(members_[at])); });
}

void View::toggle(const Member& member) {
  const std::uint64_t hash = hash_of_edition(member);
  digest_.buckets[bucket_of(member.id, digest_.buckets.size())] ^= hash;
  hash_ ^= hash;
}

}  // namespace quadrille::peer
