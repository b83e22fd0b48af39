// A FlatBuffer of somebody else that the verifier has passed, and how much may be copied out of it.
//
// Offsets may share what they point to: the 64 KiB of one frame could name the same record many
// thousand times. So what is copied is counted, and is never more than what came in. FlatBuffers
// itself is included by .cpp files only, and stays unnamed here but for its types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace flatbuffers {
class Verifier;
}

namespace quadrille::wire {

class Allowance {
 public:
  explicit Allowance(std::size_t bytes) : left_(bytes) {}

  // False when so many bytes more would exceed it.
  bool take(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::size_t left_;
};

// The untyped half of verified().
class VerifiedBody {
 public:
  using VerifyRoot = bool (*)(flatbuffers::Verifier& verifier, const char* identifier);

  VerifiedBody(VerifiedBody&&) = default;  // and no copy, whose bytes_ would be another's
  VerifiedBody& operator=(VerifiedBody&&) = default;

  static Result<VerifiedBody> open(Bytes body, const char* identifier, std::string_view name,
                                   VerifyRoot verify_root);

  const void* root() const;
  Allowance allowance() const { return Allowance(bytes_.size()); }

 private:
  explicit VerifiedBody(Bytes body);

  ByteBuffer aligned_;  // a copy, where the bytes lay at an odd address
  Bytes bytes_;
};

template <class Root>
class Verified {
 public:
  explicit Verified(VerifiedBody body) : body_(std::move(body)) {}

  const Root& operator*() const { return *static_cast<const Root*>(body_.root()); }
  const Root* operator->() const { return &**this; }
  Allowance allowance() const { return body_.allowance(); }

 private:
  VerifiedBody body_;
};

inline bool is_aligned(const void* data, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

// "Hello" of "quadrille.wire.flat.Hello".
constexpr std::string_view short_name(std::string_view full_name) {
  return full_name.substr(full_name.rfind('.') + 1);
}

// `bytes`, all of them, as the table Root. Corrupt: they are none. Root is a generated table.
template <class Root>
Result<Verified<Root>> verified(Bytes bytes, const char* identifier) {
  TRY(body, VerifiedBody::open(bytes, identifier, short_name(Root::GetFullyQualifiedName()),
                               [](auto& verifier, const char* root_identifier) {
                                 return verifier.template VerifyBuffer<Root>(root_identifier);
                               }));
  return Verified<Root>(std::move(body));
}

// "Hello: version_min 3 is above version_max 1".
inline Failure corrupt(std::string_view message, const std::string& what) {
  return failure(ErrorCode::Corrupt, std::string(message) + ": " + what);
}

}  // namespace quadrille::wire
