/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h - what the hand-written loops of programs that measure share. */
#ifndef TOOLS_BENCH_LOOPS_H
#define TOOLS_BENCH_LOOPS_H

#include <stddef.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	__GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) &&                 \
	!defined(__SANITIZE_THREAD__)
#define LOOPS_CLONES \
	__attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define LOOPS_CLONES
#endif

/* e**x and sin(x) for small x, with an error of about 1e-6: as many steps as
   functions for all x have without special cases. */
static inline float loops_exp(float x)
{
	const float shift = 0x1.8p23f, n = (x * 1.442695041f + shift) - shift;
	const float r = x - n * 0.693145752f - n * 1.42860677e-6f;
	const float p =
		1 + r * (1 + r * (0.5f + r * (0.166666667f +
					      r * (0.0416666667f +
						   r * (0.00833333333f +
							r * 0.00138888889f)))));
	const int bits = ((int)n + 127) << 23;
	float scale;

	memcpy(&scale, &bits, sizeof(scale));
	return p * scale;
}

static inline float loops_sin(float x)
{
	const float shift = 0x1.8p23f, n = (x * 0.318309886f + shift) - shift;
	const float r = x - n * 3.140625f - n * 9.67653590e-4f;
	const float s = r * r;
	const float p = r + r * s *
				    (-0.166666667f +
				     s * (0.00833333333f +
					  s * (-1.98412698e-4f +
					       s * (2.75573192e-6f +
						    s * -2.50521084e-8f))));

	return (int)n & 1 ? -p : p;
}

/* Store @n floats, a multiple of 4, past the caches. */
static inline void loops_store(float *to, const float *from, int n)
{
#ifdef __SSE2__
	for (int i = 0; i < n; i += 4)
		_mm_stream_ps(to + i, _mm_load_ps(from + i));
#else
	memcpy(to, from, (size_t)n * sizeof(*to));
#endif
}

#endif
