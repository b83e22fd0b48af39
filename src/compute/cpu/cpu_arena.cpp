#include "compute/cpu/cpu_arena.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <limits>
#include <new>

namespace quadrille::compute {
namespace {

constexpr std::size_t piece_alignment = 64;  // a cache line, an AVX-512 register
// Chunks are whole huge pages: a step walks over megabytes a row at a time, and with pages of 4 KiB
// a part of its time goes into finding them.
constexpr std::size_t chunk_unit = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void CpuArena::Free::operator()(std::byte* chunk) const {
  ::operator delete(chunk, std::align_val_t{chunk_unit});
}

DeviceBytes CpuArena::resident(std::span<const std::uint8_t> host) {
  return {host.data(), host.size()};
}

ConstFloats CpuArena::resident(std::span<const float> host) {
  return {host.data(), host.size()};
}

void* CpuArena::allocate(std::size_t bytes) {
  const std::size_t taken = round_up(bytes, piece_alignment);
  if (taken > remaining_) add_chunk(round_up(taken, chunk_unit));
  void* const piece = next_;
  next_ += taken;
  remaining_ -= taken;
  return piece;
}

void CpuArena::add_chunk(std::size_t bytes) {
  chunks_.reserve(chunks_.size() + 1);
  next_ = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{chunk_unit}));
  chunks_.emplace_back(next_);
  remaining_ = bytes;
#ifdef __linux__
  madvise(next_, bytes, MADV_HUGEPAGE);  // a wish: it may be refused
#endif
  std::fill_n(reinterpret_cast<float*>(next_), bytes / sizeof(float),
              std::numeric_limits<float>::quiet_NaN());
}

}  // namespace quadrille::compute
