// The element-wise loops with AVX2.
#include <immintrin.h>

#define QUADRILLE_KERNELS avx2_kernels
#define QUADRILLE_KERNELS_NAME "AVX2"
#include "compute/cpu/kernels.inl"
