// Memory of the CPU backend: 64-byte aligned pieces of large chunks, freed together.
// It starts as NaN, so that a value read before it was written shows in every result after it.
#pragma once

#include <memory>
#include <vector>

#include "compute/backend.hpp"

namespace quadrille::compute {

class CpuArena : public Arena {
 public:
  DeviceBytes resident(std::span<const std::uint8_t> host) override;
  ConstFloats resident(std::span<const float> host) override;

 protected:
  void* allocate(std::size_t bytes) override;

 private:
  struct Free {
    void operator()(std::byte* chunk) const;
  };

  void add_chunk(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte, Free>> chunks_;
  std::byte* next_ = nullptr;  // in the newest chunk
  std::size_t remaining_ = 0;  // bytes of it after next_
};

}  // namespace quadrille::compute
