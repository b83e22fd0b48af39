#include "wire/verified.hpp"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstdint>

namespace quadrille::wire {
namespace {

constexpr std::size_t alignment = 8;  // of the largest scalar
constexpr std::size_t buffer_bytes_max = std::size_t{2} << 20;

// Deeper than any message nests, and less than what makes a small message expensive: 512 bytes of
// tables that share tables took the verifier's own limits 7.6 ms, these 0.008 ms.
constexpr flatbuffers::uoffset_t depth_max = 16;
constexpr std::size_t tables_max = 20'000;
constexpr std::size_t table_bytes_min = 8;  // its offset and its vtable's offset

flatbuffers::Verifier::Options limits_for(std::size_t bytes) {
  flatbuffers::Verifier::Options limits;
  limits.max_depth = depth_max;
  limits.max_tables =
      static_cast<flatbuffers::uoffset_t>(std::min(bytes / table_bytes_min, tables_max));
  return limits;
}

}  // namespace

VerifiedBody::VerifiedBody(Bytes body) : bytes_(body) {
  if (is_aligned(body.data(), alignment)) return;
  aligned_.assign(body.begin(), body.end());
  bytes_ = aligned_;
}

Result<VerifiedBody> VerifiedBody::open(Bytes body, const char* identifier, std::string_view name,
                                        VerifyRoot verify_root) {
  if (body.size() > buffer_bytes_max)
    return corrupt(name, std::to_string(body.size()) + " bytes are too many");
  VerifiedBody checked(body);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(checked.bytes_.data()),
                                 checked.bytes_.size(), limits_for(body.size()));
  if (!verify_root(verifier, identifier))
    return corrupt(name, std::to_string(body.size()) + " bytes that are none, or damaged");
  return checked;
}

const void* VerifiedBody::root() const {
  return flatbuffers::GetRoot<void>(bytes_.data());
}

}  // namespace quadrille::wire
