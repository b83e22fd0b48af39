// Memory that tells on whoever touches it when they should not. Each block has pages of its own
// between two guard pages, ends as close to the second one as 64-byte alignment allows, and starts
// as NaN (all bits set). It cannot be read or written but between open() and close().
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace quadrille::test {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // 64-byte aligned. Throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  void release(void* begin);

  // Every block is accessible from the first open() to the last close(): calls nest, across threads
  // too.
  void open();
  // CHECKs that nothing was written beside a block: in the bytes that alignment leaves before its
  // guards.
  void close();

  // Whether the bytes lie within one block.
  bool contains(const void* begin, std::size_t bytes) const;

 private:
  struct Block {
    std::byte* pages;  // the accessible ones, `page_bytes` of them
    std::size_t page_bytes;
    std::byte* begin;
    std::size_t bytes;
  };

  void protect(const Block& block, int protection) const;
  void check_surroundings(const Block& block) const;

  mutable std::mutex mutex_;
  std::map<const std::byte*, Block> blocks_;  // by begin
  int open_count_ = 0;
};

}  // namespace quadrille::test
