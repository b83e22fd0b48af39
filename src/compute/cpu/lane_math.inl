// exp, log, tanh, sin and cos of one float, written so that a loop
// over them becomes vector code: no branches, no calls, no tables.
// With contraction off, every instruction set gives the same bits.
//
// Polynomials: Cephes (Moshier), single precision; relative error below 3e-7 on the ranges used
// here. Part of kernels.inl. The names are private to each compiled copy: a linker that merged an
// AVX-512 copy into the generic one would crash older CPUs. For the same reason no standard
// header's functions are used.

namespace quadrille::compute {
namespace {

#define QUADRILLE_INLINE [[gnu::always_inline]] inline

QUADRILLE_INLINE std::uint32_t bits_of(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
QUADRILLE_INLINE float float_of(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
QUADRILLE_INLINE float magnitude(float x) {
  return float_of(bits_of(x) & 0x7FFFFFFFU);
}
QUADRILLE_INLINE float with_sign_of(float x, float sign) {
  return float_of(bits_of(x) | (bits_of(sign) & 0x80000000U));
}

// Infinity above 88.38; 1.2e-38, the smallest normal number, below -87.3; NaN of NaN.
QUADRILLE_INLINE float exp_of(float x) {
  constexpr float log2_e = 1.44269504F;
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  // 1.5 * 2^23: adding it rounds to an integer in the low bits.
  constexpr float rounder = 12582912.0F;
  x = x < -87.3F ? -87.3F : x;
  x = x > 89.0F ? 89.0F : x;
  const float shifted = x * log2_e + rounder;
  const float n = shifted - rounder;
  const float r = (x - n * ln2_high) - n * ln2_low;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float two_to_n = float_of((bits_of(shifted) << 23) + 0x3F800000U);
  return (p * (r * r) + r + 1.0F) * two_to_n;
}

// log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)], without the last addition of f.
QUADRILLE_INLINE float log_correction(float f) {
  float p = 7.0376836292e-2F;
  p = p * f - 1.1514610310e-1F;
  p = p * f + 1.1676998740e-1F;
  p = p * f - 1.2420140846e-1F;
  p = p * f + 1.4249322787e-1F;
  p = p * f - 1.6668057665e-1F;
  p = p * f + 2.0000714765e-1F;
  p = p * f - 2.4999993993e-1F;
  p = p * f + 3.3333331174e-1F;
  const float square = f * f;
  return f * square * p - 0.5F * square;
}

// For normal, finite, positive x.
QUADRILLE_INLINE float log_of(float x) {
  constexpr std::uint32_t sqrt_half = 0x3F3504F3U;
  const auto exponent = static_cast<std::int32_t>(bits_of(x) - sqrt_half) >> 23;
  const float m = float_of(bits_of(x) - (static_cast<std::uint32_t>(exponent) << 23));
  const auto e = static_cast<float>(exponent);
  const float f = m - 1.0F;
  return f + (log_correction(f) + e * -2.12194440e-4F) + e * 0.693359375F;
}

// log(1 + u) for u in [0, 1]; the quotient repairs what rounding 1 + u lost (Kahan).
QUADRILLE_INLINE float log1p_of(float u) {
  const float w = 1.0F + u;
  const float rounded = w - 1.0F;
  const float repaired = log_of(w) * (u / (rounded == 0.0F ? 1.0F : rounded));
  return rounded == 0.0F ? u : repaired;
}

QUADRILLE_INLINE float tanh_of(float x) {
  const float a = magnitude(x);
  const float z = x * x;
  float p = -5.70498872745e-3F;
  p = p * z + 2.06390887954e-2F;
  p = p * z - 5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z - 3.33332819422e-1F;
  const float small = p * z * x + x;
  const float large = with_sign_of(1.0F - 2.0F / (exp_of(2.0F * a) + 1.0F), x);
  return a < 0.625F ? small : large;
}

QUADRILLE_INLINE float sigmoid_of(float x) {
  return 1.0F / (1.0F + exp_of(-x));
}

// log(1 + e^x) without overflow.
QUADRILLE_INLINE float softplus_of(float x) {
  return (x > 0.0F ? x : 0.0F) + log1p_of(exp_of(-magnitude(x)));
}

// sin and cos of x in [-pi/4, pi/4].
QUADRILLE_INLINE float small_sin(float x) {
  const float z = x * x;
  float p = -1.9515295891e-4F;
  p = p * z + 8.3321608736e-3F;
  p = p * z - 1.6666654611e-1F;
  return p * z * x + x;
}

QUADRILLE_INLINE float small_cos(float x) {
  const float z = x * x;
  float p = 2.443315711809948e-5F;
  p = p * z - 1.388731625493765e-3F;
  p = p * z + 4.166664568298827e-2F;
  return p * z * z - 0.5F * z + 1.0F;
}

}  // namespace
}  // namespace quadrille::compute
