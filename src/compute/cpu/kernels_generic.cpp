// The element-wise loops for any CPU.
#define QUADRILLE_KERNELS generic_kernels
#define QUADRILLE_KERNELS_NAME "generic"
#include "compute/cpu/kernels.inl"
