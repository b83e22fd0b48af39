#include "compute/cpu/cpu_arena.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace quadrille::compute {
namespace {

constexpr std::size_t alignment = 64;  // a cache line, an AVX-512 register
constexpr std::size_t chunk_bytes_min = std::size_t{1} << 20;

}  // namespace

void CpuArena::Free::operator()(std::byte* chunk) const {
  ::operator delete(chunk, std::align_val_t{alignment});
}

DeviceBytes CpuArena::resident(std::span<const std::uint8_t> host) {
  return {host.data(), host.size()};
}

ConstFloats CpuArena::resident(std::span<const float> host) {
  return {host.data(), host.size()};
}

void* CpuArena::allocate(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t taken = (bytes + alignment - 1) / alignment * alignment;
  if (taken > remaining_) {
    const std::size_t size = std::max(taken, chunk_bytes_min);
    chunks_.reserve(chunks_.size() + 1);
    next_ = static_cast<std::byte*>(::operator new(size, std::align_val_t{alignment}));
    chunks_.emplace_back(next_);
    remaining_ = size;
    std::fill_n(reinterpret_cast<float*>(next_), size / sizeof(float),
                std::numeric_limits<float>::quiet_NaN());
  }
  void* const piece = next_;
  next_ += taken;
  remaining_ -= taken;
  return piece;
}

}  // namespace quadrille::compute
