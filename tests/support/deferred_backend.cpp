#include "support/deferred_backend.hpp"

#include "support/operands.hpp"

#include <cstring>
#include <span>
#include <utility>
#include <variant>

namespace quadrille::test {
namespace {

struct Upload {
  std::byte* to;
  std::vector<std::byte> values;
};

struct Download {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};

using Command = std::variant<compute::Operation, Upload, Download>;

void run(compute::Queue& queue, const compute::Operation& operation) {
  queue.submit(operation);
}

void run(compute::Queue& queue, const Upload& upload) {
  queue.upload(compute::DeviceSpan<std::byte>(upload.to, upload.values.size()),
               std::span<const std::byte>(upload.values));
}

void run(compute::Queue& queue, const Download& download) {
  queue.download(std::span<std::byte>(download.to, download.bytes),
                 compute::DeviceSpan<const std::byte>(download.from, download.bytes));
}

class OpenMemory {
 public:
  explicit OpenMemory(GuardedMemory& memory) : memory_(memory) { memory_.open(); }
  ~OpenMemory() { memory_.close(); }
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;

 private:
  GuardedMemory& memory_;
};

}  // namespace

class DeferredBackend::DeferredArena final : public compute::Arena {
 public:
  explicit DeferredArena(GuardedMemory& memory) : memory_(memory) {}
  ~DeferredArena() override {
    for (void* block : blocks_) memory_.release(block);
  }

  compute::DeviceBytes resident(std::span<const std::uint8_t> host) override {
    return {static_cast<const std::uint8_t*>(copy(host.data(), host.size_bytes())), host.size()};
  }
  compute::ConstFloats resident(std::span<const float> host) override {
    return {static_cast<const float*>(copy(host.data(), host.size_bytes())), host.size()};
  }

 protected:
  void* allocate(std::size_t bytes) override {
    blocks_.push_back(memory_.allocate(bytes));
    return blocks_.back();
  }

 private:
  const void* copy(const void* host, std::size_t bytes) {
    void* const device = allocate(bytes);
    if (bytes == 0) return device;
    const OpenMemory open(memory_);
    std::memcpy(device, host, bytes);
    return device;
  }

  GuardedMemory& memory_;
  std::vector<void*> blocks_;
};

class DeferredBackend::DeferredQueue final : public compute::Queue {
 public:
  explicit DeferredQueue(DeferredBackend& backend)
      : backend_(backend), queue_(backend.cpu_->make_queue()) {}

  void submit(const compute::Operation& operation) override {
    compute::check_extents(operation);
    backend_.check_operands(operation);
    backend_.note(operation);
    commands_.emplace_back(operation);
  }

  void synchronise() override {
    const OpenMemory open(backend_.memory_);
    for (const Command& command : commands_)
      std::visit([this](const auto& kind) { run(*queue_, kind); }, command);
    queue_->synchronise();
    commands_.clear();
  }

 protected:
  void upload_bytes(void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    CHECK(backend_.memory_.contains(to, bytes), to, bytes);
    const auto* const values = static_cast<const std::byte*>(from);
    commands_.emplace_back(Upload{static_cast<std::byte*>(to), {values, values + bytes}});
  }

  void download_bytes(void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    CHECK(backend_.memory_.contains(from, bytes), from, bytes);
    std::memset(to, 0xFF, bytes);
    commands_.emplace_back(
        Download{static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes});
  }

 private:
  DeferredBackend& backend_;
  std::unique_ptr<compute::Queue> queue_;
  std::vector<Command> commands_;
};

DeferredBackend::DeferredBackend(WorkerPool& pool, compute::CpuOptions options)
    : cpu_(compute::make_cpu_backend(pool, options)),
      description_("deferred, over " + std::string(cpu_->description())) {}

std::unique_ptr<compute::Arena> DeferredBackend::make_arena() {
  return std::make_unique<DeferredArena>(memory_);
}

std::unique_ptr<compute::Queue> DeferredBackend::make_queue() {
  return std::make_unique<DeferredQueue>(*this);
}

void DeferredBackend::start_record() {
  const std::lock_guard lock(record_mutex_);
  record_.clear();
  recording_ = true;
}

std::vector<compute::Operation> DeferredBackend::take_record() {
  const std::lock_guard lock(record_mutex_);
  recording_ = false;
  return std::exchange(record_, {});
}

void DeferredBackend::note(const compute::Operation& operation) {
  const std::lock_guard lock(record_mutex_);
  if (recording_) record_.push_back(operation);
}

void DeferredBackend::check_operands(const compute::Operation& operation) const {
  const std::vector<Operand> all = operands(operation);
  for (const Operand& operand : all) {
    CHECK(memory_.contains(operand.begin, operand.bytes), operation.index(), operand.bytes);
    for (const Operand& other : all)
      CHECK(&other == &operand || !operand.written || !operand.overlaps(other), operation.index());
  }
}

}  // namespace quadrille::test
