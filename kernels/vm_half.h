/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_half.h - casts float16 to float32 and back with instructions of the CPU,
 * where the CPU has them.
 *
 * Compilers do not use these instructions for the casts of kernels/types.cl.
 * The instructions give other NaNs than kernels/types.cl.  The functions here
 * correct the NaNs, so a result is the same on every CPU.  @n is a multiple of
 * VM_HALVES.
 */
#ifndef KERNELS_VM_HALF_H
#define KERNELS_VM_HALF_H

#include <immintrin.h>
#include <stdbool.h>

#include "kernels/native.h"

#define VM_HALVES 16
#define VM_HALF_CPU __attribute__((target("avx2,f16c")))

static inline bool vm_half_is_there(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}

/* Cast 8 values to float.  The instruction vcvtph2ps sets the quiet bit of
   NaNs. @special marks infinities and signalling NaNs.  The quiet bit of each
   marked value is cleared again. */
VM_HALF_CPU static inline __m256i vm_half_widen(__m128i half, __m128i special)
{
	const __m256i quiet = _mm256_set1_epi32(0x00400000);

	return _mm256_andnot_si256(
		_mm256_and_si256(_mm256_cvtepi16_epi32(special), quiet),
		_mm256_castps_si256(_mm256_cvtph_ps(half)));
}

VM_HALF_CPU static inline void vm_half_to_floats(float *to, const ushort *from,
						 int n)
{
	const __m256i top = _mm256_set1_epi16(0x7e00);
	const __m256i infinity = _mm256_set1_epi16(0x7c00);

	for (int i = 0; i < n; i += VM_HALVES) {
		const __m256i half =
			_mm256_loadu_si256((const __m256i *)(from + i));
		const __m256i special = _mm256_cmpeq_epi16(
			_mm256_and_si256(half, top), infinity);
		__m256i *out = (__m256i *)(to + i);

		_mm256_storeu_si256(
			out, vm_half_widen(_mm256_castsi256_si128(half),
					   _mm256_castsi256_si128(special)));
		_mm256_storeu_si256(
			out + 1,
			vm_half_widen(_mm256_extracti128_si256(half, 1),
				      _mm256_extracti128_si256(special, 1)));
	}
}

/* Cast floats to float16.  Every NaN becomes the same NaN, but keeps its sign.
 */
VM_HALF_CPU static inline void vm_half_from_floats(ushort *to,
						   const float *from, int n)
{
	const __m256i sign = _mm256_set1_epi16((short)0x8000);
	const __m256i infinity = _mm256_set1_epi16(0x7c00);
	const __m256i nan = _mm256_set1_epi16(0x7e00);

	for (int i = 0; i < n; i += VM_HALVES) {
		const __m128i low = _mm256_cvtps_ph(_mm256_loadu_ps(from + i),
						    _MM_FROUND_TO_NEAREST_INT);
		const __m128i high =
			_mm256_cvtps_ph(_mm256_loadu_ps(from + i + 8),
					_MM_FROUND_TO_NEAREST_INT);
		const __m256i half = _mm256_inserti128_si256(
			_mm256_castsi128_si256(low), high, 1);
		const __m256i is_nan = _mm256_cmpgt_epi16(
			_mm256_andnot_si256(sign, half), infinity);

		_mm256_storeu_si256(
			(__m256i *)(to + i),
			_mm256_blendv_epi8(
				half,
				_mm256_or_si256(_mm256_and_si256(half, sign),
						nan),
				is_nan));
	}
}

#endif
