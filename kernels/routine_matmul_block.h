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
 * b, two vectors of columns.  It adds up k products for each element of c. With
 * adds == true these sums are added to c, otherwise they replace c.  Rows of c
 * are `line` elements apart.
 */

/* The sums of a strip stay in registers.  They take 12 vectors, beside two
   vectors of b and one of a.  An element has `PARTS` parts.  ADD(s, a, x, y)
   adds the products of a row's element at a with the vectors x and y of b. */
#define BLOCK(NAME, E, PARTS, ADD)                                            \
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
			for (int i = 0; i < ROUTINE_MATMUL_ROWS; i++)         \
				ADD(s[i], a + i, x, y);                       \
			a += PARTS * ROUTINE_MATMUL_ROWS;                     \
			b += 2;                                               \
		}                                                             \
		UNROLL                                                        \
		for (int i = 0; i < ROUTINE_MATMUL_ROWS; i++) {               \
			vec *c = (vec *)((E *)to + PARTS * i * line);         \
                                                                              \
			if (adds) {                                           \
				s[i][0] += c[0];                              \
				s[i][1] += c[1];                              \
			}                                                     \
			c[0] = s[i][0];                                       \
			c[1] = s[i][1];                                       \
		}                                                             \
	}

#define ADD_PLAIN(s, a, x, y)         \
	do {                          \
		(s)[0] += *(a) * (x); \
		(s)[1] += *(a) * (y); \
	} while (0)

/* For complex numbers.  Of two vectors, the first has real parts and the second
   has imaginary parts.  Each step of a has the real parts of all rows, and then
   the imaginary parts. */
#define ADD_COMPLEX(s, a, re, im)                          \
	do {                                               \
		(s)[0] += *(a) * (re);                     \
		(s)[1] += *(a) * (im);                     \
		(s)[0] -= (a)[ROUTINE_MATMUL_ROWS] * (im); \
		(s)[1] += (a)[ROUTINE_MATMUL_ROWS] * (re); \
	} while (0)

BLOCK(uint32, uint32_t, 1, ADD_PLAIN)
BLOCK(uint64, uint64_t, 1, ADD_PLAIN)
BLOCK(float32, float, 1, ADD_PLAIN)
BLOCK(float64, double, 1, ADD_PLAIN)
BLOCK(complex64, float, 2, ADD_COMPLEX)
BLOCK(complex128, double, 2, ADD_COMPLEX)

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

#undef BLOCK
#undef ADD_PLAIN
#undef ADD_COMPLEX
#undef BLOCK_NAME
#undef BLOCK_BYTES
#undef BLOCK_TARGET
