/* SPDX-License-Identifier: Apache-2.0 */
/*
 * move.cl - moving elements of ITEM bytes, whatever they mean: strided copies,
 * fills, transposes, where.
 */
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

/* A work-item transposes a tile (turn.cl). */
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
	turn_tile(out, so, a, sa, ni, nj, past_caches, left_i >= 2 * TILE);
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
