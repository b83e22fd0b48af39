// Floats to the bytes of a kind and back, for any number of floats, by one table of kernels.
//
// A body is exactly body_bytes(kind, count) long. Int8
// kinds have all scales in front, then the codes.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "codec/codec.hpp"
#include "codec/kernels.hpp"

namespace quadrille::codec {

// NotFinite, naming the first index, when a value is NaN or infinite or would become so: from 65520
// in fp16, from 2^128 - 2^119 in bf16. The body is scrap then. Not for Int8Difference.
Result<void> write_body(const Kernels& kernels, CodecKind kind, std::span<const float> values,
                        std::span<std::byte> body);

// False, with scrap in `values`, when one of them is not finite. Not for Int8Difference.
bool read_body(const Kernels& kernels, CodecKind kind, std::span<const std::byte> body,
               std::span<float> values);

// The difference of `values` from `base`, and what base becomes by it. False, with scrap in both,
// when a difference or a value of `next` is not finite. No two spans may overlap.
bool write_difference(const Kernels& kernels, std::span<const float> values,
                      std::span<const float> base, std::span<std::byte> body,
                      std::span<float> next);

// The same `next` from the body. False, with scrap in it, when a value of it is not finite.
bool read_difference(const Kernels& kernels, std::span<const std::byte> body,
                     std::span<const float> base, std::span<float> next);

// NotFinite for the first value that `kind` cannot hold; nothing when there is none.
Result<void> check_finite(std::span<const float> values, CodecKind kind);

}  // namespace quadrille::codec
