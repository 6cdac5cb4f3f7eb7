/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.cl - elements of DPR_ITEM bytes, and how a CPU transposes a tile of
 * them.
 *
 * A tile is TILE x TILE elements, which are contiguous along axis 1 in the
 * source and along axis 0 in the result.  It goes through private memory, so
 * that whole cache lines are read and written.  In registers squares of SIDE x
 * SIDE are transposed; a side has 16 bytes.
 */
#if DPR_ITEM == 1
typedef uchar M;
#elif DPR_ITEM == 2
typedef ushort M;
#elif DPR_ITEM == 4
typedef uint M;
#elif DPR_ITEM == 8
typedef ulong M;
#else
typedef struct {
	ulong low, high;
} __attribute__((aligned(16))) M;
#endif

#if DPR_CPU
#define TILE (DPR_ITEM == 1 ? 128 : DPR_ITEM <= 4 ? 64 : 32)
#define SIDE (16 / DPR_ITEM)

#if DPR_ITEM == 16
typedef M side;
typedef M side_anywhere;
#define TURN(v)
#else
typedef M side __attribute__((vector_size(16)));
typedef side side_anywhere __attribute__((aligned(DPR_ITEM)));
#if DPR_ITEM == 1
#define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif DPR_ITEM == 2
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#elif DPR_ITEM == 4
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#else
#define LOWER 0, 2
#define UPPER 1, 3
#endif
#if defined(INTERLEAVE)
#elif defined(__clang__)
#define INTERLEAVE(a, b, half) __builtin_shufflevector(a, b, half)
#else
#define INTERLEAVE(a, b, half) __builtin_shuffle(a, b, (side){ half })
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

/* Copy the @ni x @nj elements at @a, whose rows are @sa apart, into columns of
   @block. */
static inline void turn(M (*block)[TILE], global const M *a, long sa, int ni,
	int nj)
{
	const int whole_i = ni / SIDE * SIDE, whole_j = nj / SIDE * SIDE;

	for (int i = 0; i < whole_i; i += SIDE)
		for (int j = 0; j < whole_j; j += SIDE) {
			side v[SIDE];

			UNROLL for (int k = 0; k < SIDE; k++)
				v[k] = *(global const side_anywhere
						*)(a + (i + k) * sa + j);
			TURN(v)
			UNROLL for (int k = 0; k < SIDE; k++)
				*(side *)&block[j + k][i] = v[k];
		}
	for (int i = 0; i < ni; i++)
		for (int j = i < whole_i ? whole_j : 0; j < nj; j++)
			block[j][i] = a[i * sa + j];
}

static inline void put_row(global M *to, const M *from, int n, int past_caches)
{
	global STREAM_UNIT *units = (global STREAM_UNIT *)to;

	if (!past_caches) {
		INDEPENDENT for (int i = 0; i < n; i++)
			to[i] = from[i];
		return;
	}
	for (ulong i = 0; i < sizeof(M) * TILE / sizeof(STREAM_UNIT); i++)
		STREAM(((const STREAM_UNIT *)from)[i], units + i);
}

static inline void fetch_row(global const M *a)
{
	for (int j = 0; j < TILE; j += 64 / DPR_ITEM)
		PREFETCH(a + j);
}

/*
 * Transpose a tile, or the @ni x @nj elements that are left of one: rows of @a
 * are @sa apart, those of @out @so.  @next: most likely the next tile along
 * axis 0 follows.
 */
static inline void turn_tile(global M *out, long so, global const M *a, long sa,
	int ni, int nj, int past_caches, int next)
{
	M block[TILE][TILE] __attribute__((aligned(64)));

	turn(block, a, sa, ni, nj);
	for (int j = 0; j < nj; j++) {
		put_row(out + j * so, block[j], ni, past_caches);
		if (next && nj == TILE)
			fetch_row(a + (TILE + j) * sa);
	}
}
#endif
