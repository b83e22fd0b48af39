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
constexpr std::size_t huge_page = std::size_t{2} << 20;
// Large enough that the rest of a chunk into which a network does not fit is a small part of it.
// What is not handed out is not touched, so it takes addresses and no memory.
constexpr std::size_t chunk_bytes_min = std::size_t{32} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void CpuArena::Free::operator()(std::byte* chunk) const {
  ::operator delete(chunk, std::align_val_t{huge_page});
}

DeviceBytes CpuArena::resident(std::span<const std::uint8_t> host) {
  return {host.data(), host.size()};
}

ConstFloats CpuArena::resident(std::span<const float> host) {
  return {host.data(), host.size()};
}

void* CpuArena::allocate(std::size_t bytes) {
  const std::size_t taken = rounded_up(bytes, piece_alignment);
  if (taken > remaining_) open_chunk(taken);
  std::byte* const piece = next_;
  next_ += taken;
  remaining_ -= taken;
  std::fill_n(reinterpret_cast<float*>(piece), taken / sizeof(float),
              std::numeric_limits<float>::quiet_NaN());
  return piece;
}

void CpuArena::rewind() {
  opened_ = 0;
  next_ = nullptr;
  remaining_ = 0;
}

// The next chunk that holds `bytes`: one that is there since before a rewind(), or a new one.
void CpuArena::open_chunk(std::size_t bytes) {
  while (opened_ < chunks_.size() && chunks_[opened_].bytes < bytes) ++opened_;
  if (opened_ == chunks_.size()) add_chunk(std::max(rounded_up(bytes, huge_page), chunk_bytes_min));
  next_ = chunks_[opened_].memory.get();
  remaining_ = chunks_[opened_].bytes;
  ++opened_;
}

void CpuArena::add_chunk(std::size_t bytes) {
  chunks_.reserve(chunks_.size() + 1);
  auto* const memory = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{huge_page}));
  chunks_.push_back({.memory = std::unique_ptr<std::byte, Free>(memory), .bytes = bytes});
#ifdef __linux__
  madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: it may be refused
#endif
}

}  // namespace quadrille::compute
