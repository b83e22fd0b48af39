// The built-in matrix multiplication for any CPU: tiles of 4 x 8. Without fused multiply-adds its
// products are rounded, and its bits differ from those of the AVX kernels.
#include "compute/cpu/gemm.hpp"

namespace quadrille::compute {
namespace {

struct Lanes {
  static constexpr std::size_t count = 4;
  using Values [[gnu::vector_size(16)]] = float;
  Values values;

  static Lanes zero() { return {Values{}}; }
  static Lanes load(const float* from) {
    Lanes lanes;
    __builtin_memcpy(&lanes.values, from, sizeof lanes.values);
    return lanes;
  }
  static Lanes broadcast(float value) { return {Values{value, value, value, value}}; }
  void store(float* to) const { __builtin_memcpy(to, &values, sizeof values); }
  void add(Lanes other) { values += other.values; }
  void add_product(Lanes a, Lanes b) { values += a.values * b.values; }
};

constexpr std::size_t tile_rows_max = 4;
constexpr std::size_t unpacked_leading_max = 256;

}  // namespace
}  // namespace quadrille::compute

#define QUADRILLE_GEMM gemm_generic
#define QUADRILLE_FMA_BURST fma_burst_generic
#include "compute/cpu/gemm_packed.inl"
