/* SPDX-License-Identifier: Apache-2.0 */
/*
 * move.cl - moving elements of ITEM bytes, whatever they mean: strided copies,
 * fills, transposes, where.
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

static inline M move_value(scalar s)
{
	union {
		scalar s;
		M m;
	} u;

	u.s = s;
	return u.m;
}

#if DPR_CPU
static inline void copy_c_item(ulong id, global M *out, global const M *a,
	const walk *w)
{
	long at[2];
	int n = walk_run(w, id, 2, at);

	out += at[0];
	a += at[1];
	INDEPENDENT for (int i = 0; i < n; i++)
		out[i] = a[i];
}

static inline void copy_s_item(ulong id, global M *out, global const M *a,
	const walk *w)
{
	long at[2], so = w->stride[0][0], sa = w->stride[1][0];
	int n = walk_run(w, id, 2, at);

	out += at[0];
	a += at[1];
	for (int i = 0; i < n; i++)
		out[i * so] = a[i * sa];
}

static inline void fill_s_item(ulong id, global M *out, const walk *w)
{
	long at[1], so = w->stride[0][0];
	int n = walk_run(w, id, 1, at);
	const M v = move_value(w->value[0]);

	out += at[0];
	for (int i = 0; i < n; i++)
		out[i * so] = v;
}

/* The operands are the result, the condition, and two values. */
static inline void where_s_item(ulong id, global M *out, global const uchar *a,
	global const M *b, global const M *c, const walk *w)
{
	long at[4], so = w->stride[0][0], sa = w->stride[1][0];
	long sb = w->stride[2][0], sc = w->stride[3][0];
	int n = walk_run(w, id, 4, at);
	const int fixed_x = (w->scalars >> 1) & 1u;
	const int fixed_y = (w->scalars >> 2) & 1u;
	const M x0 = move_value(w->value[1]), y0 = move_value(w->value[2]);

	out += at[0];
	a += at[1];
	b += at[2];
	c += at[3];
	if (!fixed_x && !fixed_y && so == 1 && sa == 1 && sb == 1 && sc == 1) {
		INDEPENDENT for (int i = 0; i < n; i++)
		{
			const M x = b[i], y = c[i];

			out[i] = a[i] ? x : y;
		}
		return;
	}
	for (int i = 0; i < n; i++)
		out[i * so] = a[i * sa] ? (fixed_x ? x0 : b[i * sb]) :
					  (fixed_y ? y0 : c[i * sc]);
}

/*
 * Copies in blocks of TILE x TILE, if the source is contiguous along axis 1 and
 * the result along axis 0.  A work-item takes one block, and goes through
 * private memory, so that whole cache lines are read and written.  In registers
 * it transposes squares of SIDE x SIDE; a side has 16 bytes.
 */
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

static inline void copy_t_item(ulong id, global M *out, global const M *a,
	const walk *w)
{
	const ulong across = ((ulong)w->shape[0] + TILE - 1) / TILE;
	const ulong down = ((ulong)w->shape[1] + TILE - 1) / TILE;
	ulong row = id / (across * down);
	const long i0 = (long)(id % across) * TILE;
	const long j0 = (long)(id / across % down) * TILE;
	const long so = w->stride[0][1], sa = w->stride[1][0];
	const long left_i = w->shape[0] - i0, left_j = w->shape[1] - j0;
	const int ni = left_i < TILE ? (int)left_i : TILE;
	const int nj = left_j < TILE ? (int)left_j : TILE;
	long to = w->offset[0], from = w->offset[1];
	M block[TILE][TILE] __attribute__((aligned(64)));
	int past_caches;

	if (id >= across * down * (ulong)w->rows)
		return;
	for (int d = 2; d < w->rank; d++) {
		const ulong next = row / (ulong)w->shape[d];
		const long i = (long)(row - next * (ulong)w->shape[d]);

		row = next;
		to += i * w->stride[0][d];
		from += i * w->stride[1][d];
	}
	out += to + i0 + j0 * so;
	a += from + i0 * sa + j0;
	past_caches = ni == TILE && (w->flags & WALK_STREAM) && BEGINS_LINE(out);
	turn(block, a, sa, ni, nj);
	for (int j = 0; j < nj; j++) {
		put_row(out + j * so, block[j], ni, past_caches);
		/* Most likely the next work-item continues here. */
		if (left_i >= 2 * TILE && nj == TILE)
			fetch_row(a + (TILE + j) * sa);
	}
}
ENTRY_2(copy_t, M, M)
#else
static inline void copy_c_item(ulong id, global M *out, global const M *a,
	const walk *w)
{
	if (id < (ulong)w->count)
		out[w->offset[0] + (long)id] = a[w->offset[1] + (long)id];
}

static inline void copy_s_item(ulong id, global M *out, global const M *a,
	const walk *w)
{
	long at[2];

	if (walk_element(w, id, 2, at))
		out[at[0]] = a[at[1]];
}

static inline void fill_s_item(ulong id, global M *out, const walk *w)
{
	long at[1];

	if (walk_element(w, id, 1, at))
		out[at[0]] = move_value(w->value[0]);
}

static inline void where_s_item(ulong id, global M *out, global const uchar *a,
	global const M *b, global const M *c, const walk *w)
{
	const int fixed_x = (w->scalars >> 1) & 1u;
	const int fixed_y = (w->scalars >> 2) & 1u;
	long at[4];
	M x, y;

	if (!walk_element(w, id, 4, at))
		return;
	x = fixed_x ? move_value(w->value[1]) : b[at[2]];
	y = fixed_y ? move_value(w->value[2]) : c[at[3]];
	out[at[0]] = a[at[1]] ? x : y;
}

/* A work-group of TILE * ROWS items copies a block of TILE x TILE through local
   memory: it reads along axis 1 and writes along axis 0. */
#define TILE 32
#define ROWS 8
kernel void copy_t(global M *out, global const M *a, const walk w)
{
	local M block[TILE][TILE + 1];
	const ulong across = ((ulong)w.shape[0] + TILE - 1) / TILE;
	const ulong down = ((ulong)w.shape[1] + TILE - 1) / TILE;
	const ulong id = get_group_id(0);
	ulong row = id / (across * down);
	const long i0 = (long)(id % across) * TILE;
	const long j0 = (long)(id / across % down) * TILE;
	const int fast = (int)(get_local_id(0) % TILE);
	const int slow = (int)(get_local_id(0) / TILE);
	long to = w.offset[0], from = w.offset[1];

	for (int d = 2; d < w.rank; d++) {
		const ulong next = row / (ulong)w.shape[d];
		const long i = (long)(row - next * (ulong)w.shape[d]);

		row = next;
		to += i * w.stride[0][d];
		from += i * w.stride[1][d];
	}
	for (int k = slow; k < TILE; k += ROWS)
		if (i0 + k < w.shape[0] && j0 + fast < w.shape[1])
			block[k][fast] = a[from + (i0 + k) * w.stride[1][0] +
					   (j0 + fast) * w.stride[1][1]];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = slow; k < TILE; k += ROWS)
		if (i0 + fast < w.shape[0] && j0 + k < w.shape[1])
			out[to + (i0 + fast) * w.stride[0][0] +
				(j0 + k) * w.stride[0][1]] = block[fast][k];
}
#endif

ENTRY_2(copy_c, M, M)
ENTRY_2(copy_s, M, M)
ENTRY_1(fill_s, M)
ENTRY_4(where_s, M, uchar, M, M)
