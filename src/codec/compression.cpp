#include "codec/compression.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "base/check.hpp"

namespace quadrille::codec {
namespace {

// Higher levels gained nothing on weights (docs/decisions/zstd.md).
constexpr int level = 1;

}  // namespace

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

Compressor::Compressor() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
  const std::size_t set = ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  CHECK(!ZSTD_isError(set), ZSTD_getErrorName(set));
}

Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

std::optional<std::size_t> Compressor::compress(Bytes from, std::span<std::byte> to) {
  const std::size_t size =
      ZSTD_compress2(context_.get(), to.data(), to.size(), from.data(), from.size());
  if (!ZSTD_isError(size)) return size;
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  CHECK(ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall, ZSTD_getErrorName(size));
  return std::nullopt;
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
  if (!context_) throw std::bad_alloc();
}

Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

bool Decompressor::decompress(Bytes from, std::span<std::byte> to) {
  // zstd would also take frames of its old formats, several in a row, and some made to be skipped.
  std::uint32_t magic = 0;
  if (from.size() < sizeof magic) return false;
  std::memcpy(&magic, from.data(), sizeof magic);
  if (magic != ZSTD_MAGICNUMBER) return false;
  if (ZSTD_findFrameCompressedSize(from.data(), from.size()) != from.size()) return false;
  return ZSTD_decompressDCtx(context_.get(), to.data(), to.size(), from.data(), from.size()) ==
         to.size();
}

}  // namespace quadrille::codec
