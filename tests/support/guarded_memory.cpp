#include "support/guarded_memory.hpp"

#include "base/check.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>

namespace quadrille::test {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::byte untouched{0xFF};  // four of them are a NaN, and an index out of every range
constexpr std::size_t bytes_max = std::numeric_limits<std::size_t>::max() / 4;

std::size_t page_size() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

bool all_untouched(const std::byte* from, const std::byte* to) {
  return std::all_of(from, to, [](std::byte value) { return value == untouched; });
}

}  // namespace

GuardedMemory::~GuardedMemory() {
  while (!blocks_.empty()) release(blocks_.begin()->second.begin);
}

void* GuardedMemory::allocate(std::size_t bytes) {
  if (bytes > bytes_max) throw std::bad_alloc();
  const std::size_t padded = round_up(std::max(bytes, std::size_t{1}), alignment);
  const std::size_t page_bytes = round_up(padded, page_size());
  void* map =
      mmap(nullptr, page_bytes + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  std::byte* const pages = static_cast<std::byte*>(map) + page_size();
  const Block block{pages, page_bytes, pages + page_bytes - padded, bytes};
  protect(block, PROT_READ | PROT_WRITE);
  std::memset(pages, static_cast<int>(untouched), page_bytes);
  const std::lock_guard lock(mutex_);
  if (open_count_ == 0) protect(block, PROT_NONE);
  blocks_.emplace(block.begin, block);
  return block.begin;
}

void GuardedMemory::release(void* begin) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(static_cast<std::byte*>(begin));
  CHECK(found != blocks_.end());
  const Block& block = found->second;
  munmap(block.pages - page_size(), block.page_bytes + 2 * page_size());
  blocks_.erase(found);
}

void GuardedMemory::open() {
  const std::lock_guard lock(mutex_);
  if (open_count_++ > 0) return;
  for (const auto& [begin, block] : blocks_) protect(block, PROT_READ | PROT_WRITE);
}

void GuardedMemory::close() {
  const std::lock_guard lock(mutex_);
  CHECK(open_count_ > 0);
  if (--open_count_ > 0) return;
  for (const auto& [begin, block] : blocks_) {
    check_surroundings(block);
    protect(block, PROT_NONE);
  }
}

bool GuardedMemory::contains(const void* begin, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto* const from = static_cast<const std::byte*>(begin);
  const auto after = blocks_.upper_bound(from);
  if (after == blocks_.begin()) return false;
  const Block& block = std::prev(after)->second;
  const auto offset = static_cast<std::size_t>(from - block.begin);
  return offset <= block.bytes && bytes <= block.bytes - offset;
}

void GuardedMemory::protect(const Block& block, int protection) const {
  CHECK(mprotect(block.pages, block.page_bytes, protection) == 0, errno);
}

void GuardedMemory::check_surroundings(const Block& block) const {
  CHECK(all_untouched(block.pages, block.begin));
  CHECK(all_untouched(block.begin + block.bytes, block.pages + block.page_bytes));
}

}  // namespace quadrille::test
