/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.cl - transposes elements of TURN_ITEM bytes in the registers of a CPU.
 *
 *   M        the type of an element
 *   SIDE     the extent of a square; a row of a square has 16 bytes
 *   side     a row of a square
 *   side_anywhere
 *            a row of a square without alignment
 *   TURN(v)  transposes the square v[SIDE]
 *   turn_N() transposes elements of N bytes
 *   fetch_N()
 *            prefetches elements of N bytes
 */
#ifndef TURN_ONCE
#define TURN_ONCE
/* The number of rows to prefetch ahead. */
#define TURN_AHEAD 8
/* The most elements of a row. */
#define TURN_MOST 256
#define TURN_PASTE_(a, b) a##b
#define TURN_PASTE(a, b) TURN_PASTE_(a, b)
#define TURN_NAME(name) TURN_PASTE(name##_, TURN_ITEM)
typedef uchar turn_item_1;
typedef ushort turn_item_2;
typedef uint turn_item_4;
typedef ulong turn_item_8;
typedef struct {
	ulong low, high;
} __attribute__((aligned(16))) turn_item_16;

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
#undef TURN
#define M TURN_NAME(turn_item)
#define SIDE (16 / TURN_ITEM)
#define side TURN_NAME(turn_side)
#define side_anywhere TURN_NAME(turn_side_anywhere)

#if TURN_ITEM == 16
typedef M side;
typedef M side_anywhere;
#define TURN(v)
#else
typedef M side __attribute__((vector_size(16)));
typedef side side_anywhere __attribute__((aligned(TURN_ITEM)));
#if TURN_ITEM == 1
#define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif TURN_ITEM == 2
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#elif TURN_ITEM == 4
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#else
#define LOWER 0, 2
#define UPPER 1, 3
#endif

/* Transpose a square.  Each round interleaves rows that are half a square
   apart, and doubles the run of elements that belong to one column. */
#define TURN(v) \
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

/* Prefetch the lines of the @n elements at @a, which are read soon. */
static inline void TURN_NAME(fetch)(global const M *a, int n)
{
	for (int j = 0; j < n; j += 64 / TURN_ITEM)
		PREFETCH(a + j);
}

/* Transpose the square at @a into @to.  The rows of the square are @sa
   apart. */
static inline void TURN_NAME(turn_square)(M *to, int pitch,
	global const M *a, long sa)
{
	side v[SIDE];

	UNROLL for (int k = 0; k < SIDE; k++)
		v[k] = *(global const side_anywhere *)(a + k * sa);
	TURN(v)
	UNROLL for (int k = 0; k < SIDE; k++)
		*(side *)(to + k * pitch) = v[k];
}

/* Transpose the @ni x @nj elements at @a into @block.  The rows at @a are @sa
   apart, and the rows of @block are @pitch apart. */
static inline void TURN_NAME(turn)(M *block, int pitch, global const M *a,
	long sa, int ni, int nj)
{
	const int whole_i = ni / SIDE * SIDE, whole_j = nj / SIDE * SIDE;

	for (int i = 0; i < whole_i; i += SIDE) {
		for (int k = 0; k < SIDE; k++)
			TURN_NAME(fetch)(a + (i + k + TURN_AHEAD) * sa, nj);
		for (int j = 0; j < whole_j; j += SIDE)
			TURN_NAME(turn_square)(block + j * pitch + i, pitch,
				a + i * sa + j, sa);
	}
	for (int i = 0; i < ni; i++)
		for (int j = i < whole_i ? whole_j : 0; j < nj; j++)
			block[j * pitch + i] = a[i * sa + j];
}
