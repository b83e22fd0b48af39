#include "wire/sync_messages.hpp"

#include <sync_generated.h>

#include <algorithm>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/update_list.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

constexpr std::size_t mask_bytes = digest_buckets / 8;
using Mask = std::array<std::uint8_t, mask_bytes>;

Mask mask_of(const std::bitset<digest_buckets>& buckets) {
  Mask mask{};
  for (std::size_t bucket = 0; bucket < digest_buckets; ++bucket)
    if (buckets[bucket]) mask[bucket / 8] |= static_cast<std::uint8_t>(1U << bucket % 8);
  return mask;
}

std::bitset<digest_buckets> buckets_of(Bytes mask) {
  std::bitset<digest_buckets> buckets;
  for (std::size_t bucket = 0; bucket < digest_buckets; ++bucket)
    buckets[bucket] = (std::to_integer<unsigned>(mask[bucket / 8]) >> bucket % 8 & 1U) != 0;
  return buckets;
}

}  // namespace

using Builder = flatbuffers::FlatBufferBuilder;

ByteBuffer encode(const Digest& message) {
  Builder builder(digest_buckets * 8 + 64);
  const auto buckets = builder.CreateVector(message.buckets.data(), message.buckets.size());
  return finished(builder, flat::CreateDigest(builder, buckets), flat::DigestIdentifier());
}

Result<Digest> decode_digest(Bytes body) {
  TRY(root, verified<flat::Digest>(body, flat::DigestIdentifier()));
  const auto* buckets = root->buckets();
  if (buckets == nullptr || buckets->size() != digest_buckets)
    return corrupt("Digest", "it has not 256 buckets");
  if (!is_aligned(buckets->Data(), alignof(std::uint64_t)))
    return corrupt("Digest", "a list that lies askew");
  Digest digest;
  std::ranges::copy(*buckets, digest.buckets.begin());
  return digest;
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
  Builder builder(128);
  const Mask mask = mask_of(message.differing);
  const auto differing = builder.CreateVector(mask.data(), mask.size());
  return finished(builder, flat::CreateStateEnd(builder, differing), flat::DigestIdentifier());
}

Result<StateEnd> decode_state_end(Bytes body) {
  TRY(root, verified<flat::StateEnd>(body, flat::DigestIdentifier()));
  const Bytes mask = value_of(root->differing());
  if (mask.size() != mask_bytes) return corrupt("StateEnd", "it has not 256 bits");
  return StateEnd{buckets_of(mask)};
}

}  // namespace quadrille::wire
