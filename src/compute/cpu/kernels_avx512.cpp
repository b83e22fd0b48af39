// The element-wise loops with AVX-512.
#include <immintrin.h>

#define QUADRILLE_KERNELS avx512_kernels
#define QUADRILLE_KERNELS_NAME "AVX-512"
#include "compute/cpu/kernels.inl"
