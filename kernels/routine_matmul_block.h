/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routine_matmul_block.h - the inner loops of routine_matmul.c, for one set of
 * instructions.  Before each inclusion:
 *
 *   BLOCK_NAME(x)  the name of function x
 *   BLOCK_BYTES    the bytes of a vector
 *   BLOCK_TARGET   the attribute of the functions
 *
 * A function multiplies a strip of a, ROUTINE_MATMUL_ROWS rows, with a strip of
 * b, two vectors of columns.  It adds up k products for each element of c.  If
 * `adds` is set, it adds these sums to c, otherwise it stores them.  Rows of c
 * are `line` elements apart.
 */

/* The sums of a strip stay in registers.  They take 12 vectors, beside two
   vectors of b and one of a. */
#define BLOCK_PLAIN(NAME, E)                                                  \
	BLOCK_TARGET static void BLOCK_NAME(NAME)(                            \
		const void *left, const void *right, void *to, int64_t k,     \
		int64_t line, bool adds)                                      \
	{                                                                     \
		typedef E vec                                                 \
			__attribute__((vector_size(BLOCK_BYTES), may_alias)); \
		const E *a = left;                                            \
		const vec *b = right;                                         \
		vec s[ROUTINE_MATMUL_ROWS][2] = { 0 };                        \
                                                                              \
		for (int64_t p = 0; p < k; p++) {                             \
			const vec x = b[0], y = b[1];                         \
                                                                              \
			UNROLL                                                \
			for (int i = 0; i < ROUTINE_MATMUL_ROWS; i++) {       \
				s[i][0] += a[i] * x;                          \
				s[i][1] += a[i] * y;                          \
			}                                                     \
			a += ROUTINE_MATMUL_ROWS;                             \
			b += 2;                                               \
		}                                                             \
		UNROLL                                                        \
		for (int i = 0; i < ROUTINE_MATMUL_ROWS; i++) {               \
			vec *c = (vec *)((E *)to + i * line);                 \
                                                                              \
			if (adds) {                                           \
				s[i][0] += c[0];                              \
				s[i][1] += c[1];                              \
			}                                                     \
			c[0] = s[i][0];                                       \
			c[1] = s[i][1];                                       \
		}                                                             \
	}

/* For complex numbers.  Of two vectors, the first has real parts and the second
   has imaginary parts.  Each step of a has the real parts of all rows, and then
   the imaginary parts. */
#define BLOCK_COMPLEX(NAME, E)                                                \
	BLOCK_TARGET static void BLOCK_NAME(NAME)(                            \
		const void *left, const void *right, void *to, int64_t k,     \
		int64_t line, bool adds)                                      \
	{                                                                     \
		typedef E vec                                                 \
			__attribute__((vector_size(BLOCK_BYTES), may_alias)); \
		const E *a = left;                                            \
		const vec *b = right;                                         \
		vec s[ROUTINE_MATMUL_ROWS][2] = { 0 };                        \
                                                                              \
		for (int64_t p = 0; p < k; p++) {                             \
			const vec re = b[0], im = b[1];                       \
                                                                              \
			UNROLL                                                \
			for (int i = 0; i < ROUTINE_MATMUL_ROWS; i++) {       \
				const E y = a[ROUTINE_MATMUL_ROWS + i];       \
                                                                              \
				s[i][0] += a[i] * re;                         \
				s[i][1] += a[i] * im;                         \
				s[i][0] -= y * im;                            \
				s[i][1] += y * re;                            \
			}                                                     \
			a += 2 * ROUTINE_MATMUL_ROWS;                         \
			b += 2;                                               \
		}                                                             \
		UNROLL                                                        \
		for (int i = 0; i < ROUTINE_MATMUL_ROWS; i++) {               \
			vec *c = (vec *)((E *)to + 2 * i * line);             \
                                                                              \
			if (adds) {                                           \
				s[i][0] += c[0];                              \
				s[i][1] += c[1];                              \
			}                                                     \
			c[0] = s[i][0];                                       \
			c[1] = s[i][1];                                       \
		}                                                             \
	}

BLOCK_PLAIN(uint32, uint32_t)
BLOCK_PLAIN(uint64, uint64_t)
BLOCK_PLAIN(float32, float)
BLOCK_PLAIN(float64, double)
BLOCK_COMPLEX(complex64, float)
BLOCK_COMPLEX(complex128, double)

static const struct blocks BLOCK_NAME(blocks) = {
	.vector = BLOCK_BYTES,
	.multiply = {
		[COMPUTE_UINT32] = BLOCK_NAME(uint32),
		[COMPUTE_UINT64] = BLOCK_NAME(uint64),
		[COMPUTE_FLOAT32] = BLOCK_NAME(float32),
		[COMPUTE_FLOAT64] = BLOCK_NAME(float64),
		[COMPUTE_COMPLEX64] = BLOCK_NAME(complex64),
		[COMPUTE_COMPLEX128] = BLOCK_NAME(complex128),
	},
};

#undef BLOCK_PLAIN
#undef BLOCK_COMPLEX
#undef BLOCK_NAME
#undef BLOCK_BYTES
#undef BLOCK_TARGET
