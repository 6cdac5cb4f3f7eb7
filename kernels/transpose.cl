/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose.cl - transposes elements of TRANSPOSE_ITEM bytes in registers, in
 * squares of SIDE x SIDE elements.
 *
 *   M        the type of an element
 *   SIDE     the extent of a square; a row of a square has 16 bytes
 *   side     a row of a square
 *   side_anywhere
 *            a row of a square without alignment
 *   TRANSPOSE(v)
 *            transposes the square v[SIDE]
 *   transpose_N()
 *            transposes elements of N bytes
 *   fetch_N()
 *            prefetches elements of N bytes
 */
#ifndef TRANSPOSE_ONCE
#define TRANSPOSE_ONCE
/* The number of rows to prefetch ahead. */
#define TRANSPOSE_AHEAD 8
/* The most elements of a row. */
#define TRANSPOSE_MOST 256
#define TRANSPOSE_PASTE_(a, b) a##b
#define TRANSPOSE_PASTE(a, b) TRANSPOSE_PASTE_(a, b)
#define TRANSPOSE_NAME(name) TRANSPOSE_PASTE(name##_, TRANSPOSE_ITEM)
typedef uchar transpose_item_1;
typedef ushort transpose_item_2;
typedef uint transpose_item_4;
typedef ulong transpose_item_8;
typedef struct {
	ulong low, high;
} __attribute__((aligned(16))) transpose_item_16;

#if defined(__clang__)
#define INTERLEAVE(a, b, half) __builtin_shufflevector(a, b, half)
#else
#define INTERLEAVE(a, b, half) __builtin_shuffle(a, b, (side){ half })
#endif
#endif

#undef M
#undef SIDE
#undef side
#undef side_anywhere
#undef LOWER
#undef UPPER
#undef TRANSPOSE
#define M TRANSPOSE_NAME(transpose_item)
#define SIDE (16 / TRANSPOSE_ITEM)
#define side TRANSPOSE_NAME(transpose_side)
#define side_anywhere TRANSPOSE_NAME(transpose_side_anywhere)

#if TRANSPOSE_ITEM == 16
typedef M side;
typedef M side_anywhere;
#define TRANSPOSE(v)
#else
typedef M side __attribute__((vector_size(16)));
typedef side side_anywhere __attribute__((aligned(TRANSPOSE_ITEM)));
#if TRANSPOSE_ITEM == 1
#define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif TRANSPOSE_ITEM == 2
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#elif TRANSPOSE_ITEM == 4
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#else
#define LOWER 0, 2
#define UPPER 1, 3
#endif

/* Transpose a square.  Each round interleaves row k with row k + SIDE / 2.
   This doubles the number of neighbours that belong to one column. */
#define TRANSPOSE(v) \
	UNROLL for (int done = 1; done < SIDE; done *= 2) \
	{ \
		side next[SIDE]; \
		UNROLL for (int k = 0; k < SIDE / 2; k++) \
		{ \
			next[2 * k] = INTERLEAVE(v[k], v[k + SIDE / 2], LOWER); \
			next[2 * k + 1] = \
				INTERLEAVE(v[k], v[k + SIDE / 2], UPPER); \
		} \
		UNROLL for (int k = 0; k < SIDE; k++) \
			v[k] = next[k]; \
	}
#endif

/* Prefetch the cache lines of the @n elements at @a, which are read soon. */
static inline void TRANSPOSE_NAME(fetch)(global const M *a, int n)
{
	for (int j = 0; j < n; j += 64 / TRANSPOSE_ITEM)
		PREFETCH(a + j);
}

/* Transpose the square at @a to @to.  The rows at @a are @sa elements apart,
   and the rows at @to are @pitch elements apart. */
static inline void TRANSPOSE_NAME(transpose_square)(M *to, int pitch,
	global const M *a, long sa)
{
	side v[SIDE];

	UNROLL for (int k = 0; k < SIDE; k++)
		v[k] = *(global const side_anywhere *)(a + k * sa);
	TRANSPOSE(v)
	UNROLL for (int k = 0; k < SIDE; k++)
		*(side *)(to + k * pitch) = v[k];
}

/* Transpose the @ni x @nj elements at @a to @block.  The rows at @a are @sa
   elements apart, and the rows of @block are @pitch elements apart. */
static inline void TRANSPOSE_NAME(transpose)(M *block, int pitch, global const M *a,
	long sa, int ni, int nj)
{
	const int whole_i = ni / SIDE * SIDE, whole_j = nj / SIDE * SIDE;

	for (int i = 0; i < whole_i; i += SIDE) {
		for (int k = 0; k < SIDE; k++)
			TRANSPOSE_NAME(fetch)(a + (i + k + TRANSPOSE_AHEAD) * sa, nj);
		for (int j = 0; j < whole_j; j += SIDE)
			TRANSPOSE_NAME(transpose_square)(block + j * pitch + i, pitch,
				a + i * sa + j, sa);
	}
	for (int i = 0; i < ni; i++)
		for (int j = i < whole_i ? whole_j : 0; j < nj; j++)
			block[j * pitch + i] = a[i * sa + j];
}
