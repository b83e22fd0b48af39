// zstd at level 1, into buffers whose size the caller knows. The contexts are kept between calls,
// so that a call allocates nothing after the first of its size.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace quadrille::codec {

class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  // How many bytes of `to` one frame with all of `from` takes; nothing when it does not fit.
  std::optional<std::size_t> compress(Bytes from, std::span<std::byte> to);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // True when `from` is one frame, nothing more, that fills `to` exactly. Whatever it claims,
  // nothing is written past `to` and no memory is taken for it.
  bool decompress(Bytes from, std::span<std::byte> to);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace quadrille::codec
