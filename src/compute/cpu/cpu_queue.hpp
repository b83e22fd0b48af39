// The CPU backend's queue: every operation has happened when submit() returns.
//
// Large operations are cut into blocks that the pool's threads share. The cuts depend on the
// operation's shape alone and sums are combined in block order, so that the bits do not depend on
// the number of threads.
#pragma once

#include "base/worker_pool.hpp"
#include "compute/backend.hpp"
#include "compute/cpu/gemm.hpp"
#include "compute/cpu/kernels.hpp"

namespace quadrille::compute {

class CpuQueue : public Queue {
 public:
  CpuQueue(WorkerPool& pool, GemmFunction gemm, const Kernels& kernels)
      : pool_(pool), gemm_(gemm), kernels_(kernels) {}

  void submit(const Operation& operation) override;
  void synchronise() override {}

 protected:
  void upload_bytes(void* to, const void* from, std::size_t bytes) override;
  void download_bytes(void* to, const void* from, std::size_t bytes) override;

 private:
  void perform(const Copy& o);
  void perform(const Fill& o);
  void perform(const Gemm& o);
  void perform(const BiasActivation& o);
  void perform(const ActivationGradient& o);
  void perform(const ColumnSum& o);
  void perform(const AdversarialLoss& o);
  void perform(const SoftmaxLoss& o);
  void perform(const OptimizerStep& o);
  void perform(const RandomNormal& o);
  void perform(const RandomUniform& o);
  void perform(const GatherBytes& o);
  void perform(const GatherFloats& o);
  void perform(const Axpby& o);
  void perform(const Clip& o);
  void perform(const SumSquares& o);

  // block(begin, count) for every cut of [0, count).
  template <class Block>
  void for_blocks(std::size_t count, std::size_t per_block, Block block);

  WorkerPool& pool_;
  GemmFunction gemm_;
  const Kernels& kernels_;
};

}  // namespace quadrille::compute
