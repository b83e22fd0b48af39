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
  void rewind() override;

 protected:
  void* allocate(std::size_t bytes) override;

 private:
  struct Free {
    void operator()(std::byte* chunk) const;
  };

  struct Chunk {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t bytes;
  };

  void open_chunk(std::size_t bytes);
  void add_chunk(std::size_t bytes);

  std::vector<Chunk> chunks_;
  std::size_t opened_ = 0;     // chunks since the start or rewind(), the last of them in use
  std::byte* next_ = nullptr;  // in the chunk in use
  std::size_t remaining_ = 0;  // bytes of it after next_
};

}  // namespace quadrille::compute
