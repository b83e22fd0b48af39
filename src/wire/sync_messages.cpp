#include "wire/sync_messages.hpp"

#include <sync_generated.h>

#include <bit>
#include <string>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/update_list.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

std::vector<std::uint8_t> mask_of(const std::vector<bool>& buckets) {
  std::vector<std::uint8_t> mask(buckets.size() / 8);
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket)
    if (buckets[bucket]) mask[bucket / 8] |= static_cast<std::uint8_t>(1U << bucket % 8);
  return mask;
}

std::vector<bool> buckets_of(Bytes mask) {
  std::vector<bool> buckets(mask.size() * 8);
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket)
    buckets[bucket] = (std::to_integer<unsigned>(mask[bucket / 8]) >> bucket % 8 & 1U) != 0;
  return buckets;
}

}  // namespace

using Builder = flatbuffers::FlatBufferBuilder;

bool is_digest_size(std::size_t bucket_count) {
  return std::has_single_bit(bucket_count) && bucket_count >= digest_buckets_min &&
         bucket_count <= digest_buckets_max;
}

ByteBuffer encode(const Digest& message) {
  CHECK(is_digest_size(message.buckets.size()), message.buckets.size());
  Builder builder(message.buckets.size() * 8 + 64);
  const auto buckets = builder.CreateVector(message.buckets.data(), message.buckets.size());
  return finished(builder, flat::CreateDigest(builder, buckets), flat::DigestIdentifier());
}

Result<Digest> decode_digest(Bytes body) {
  TRY(root, verified<flat::Digest>(body, flat::DigestIdentifier()));
  const auto* buckets = root->buckets();
  const std::size_t count = buckets == nullptr ? 0 : buckets->size();
  if (!is_digest_size(count))
    return corrupt("Digest", "it has " + std::to_string(count) + " buckets");
  if (!is_aligned(buckets->Data(), alignof(std::uint64_t)))
    return corrupt("Digest", "a list that lies askew");
  return Digest{{buckets->begin(), buckets->end()}};
}

ByteBuffer encode(const State& message) {
  std::size_t bytes = 64;
  for (const Update& update : message.updates) bytes += encoded_bytes_bound(update);
  Builder builder(bytes);
  const auto updates = write_updates(builder, message.updates);
  ByteBuffer body =
      finished(builder, flat::CreateState(builder, updates), flat::DigestIdentifier());
  CHECK(body.size() <= control_frame_bytes_max, body.size());
  return body;
}

Result<State> decode_state(Bytes body) {
  TRY(root, verified<flat::State>(body, flat::DigestIdentifier()));
  TRY(updates, read_updates(root->updates(), members_max, "State", root.allowance()));
  return State{std::move(updates)};
}

ByteBuffer encode(const StateEnd& message) {
  CHECK(is_digest_size(message.differing.size()), message.differing.size());
  Builder builder(message.differing.size() / 8 + 64);
  const std::vector<std::uint8_t> mask = mask_of(message.differing);
  const auto differing = builder.CreateVector(mask.data(), mask.size());
  return finished(builder, flat::CreateStateEnd(builder, differing), flat::DigestIdentifier());
}

Result<StateEnd> decode_state_end(Bytes body) {
  TRY(root, verified<flat::StateEnd>(body, flat::DigestIdentifier()));
  const Bytes mask = value_of(root->differing());
  if (!is_digest_size(mask.size() * 8))
    return corrupt("StateEnd", "it is about " + std::to_string(mask.size() * 8) + " buckets");
  return StateEnd{buckets_of(mask)};
}

}  // namespace quadrille::wire
