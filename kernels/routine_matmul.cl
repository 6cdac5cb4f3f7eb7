/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routine_matmul.cl - products of matrices on GPUs, after types.cl.
 *
 * A group of 16 x 16 work-items computes a tile of the result.  A part is
 * MATMUL_STEPS columns of a, or MATMUL_STEPS rows of b.  The group copies a
 * part of a and a part of b to local memory, and multiplies them.  Then it goes
 * on with the next parts.  Local memory has room for four parts.  While two of
 * them are multiplied, the next two are loaded into registers, and then stored
 * in the other half of local memory.
 *
 * A work-item computes MATMUL_ITEM times MATMUL_ITEM elements.  The sum of each
 * element is in a register.  Products are added to the sum one after another,
 * in the order of k.
 *
 * Three macros come before this text.  DPR_DTYPE is the dtype, ROUTINE the name
 * of the kernel, and VARIANT the value of MATMUL_ITEM: 2, 4 or 8.
 */
#define MATMUL_ITEM VARIANT
#define MATMUL_TILE (16 * MATMUL_ITEM)

/* In this file compilers may fuse a product and an addition. */
#pragma OPENCL FP_CONTRACT ON

/* S is the type of sums.  Integers wrap, so integers of less than 32 bits are
   added as uint. */
#if KIND_U
#define S U
#else
#define S C
#endif
#if DPR_DTYPE == 10
#define TAKE(x) half_to_float(x)
#define GIVE(s) half_from_float(s)
#elif DPR_DTYPE == 11
#define TAKE(x) bfloat_to_float(x)
#define GIVE(s) bfloat_from_float(s)
#elif KIND_C
#define TAKE(x) (x)
#define GIVE(s) (s)
#else
#define TAKE(x) ((S)(x))
#define GIVE(s) ((T)(s))
#endif
#if KIND_C
#define ZERO { 0, 0 }
#define SET(s, x) (s.re = (x).re, s.im = (x).im)
#define MULTIPLY(s, x, y)            \
	do {                         \
		s.re += x.re * y.re; \
		s.re -= x.im * y.im; \
		s.im += x.re * y.im; \
		s.im += x.im * y.re; \
	} while (0)
#else
#define ZERO 0
#define SET(s, x) (s = (x))
#define MULTIPLY(s, x, y) (s += x * y)
#endif

/* The rows (or columns) of a work-item come in packs of neighbours, which are
   loaded from local memory at once: a vector V.  This is the number of elements
   of a pack. */
#if ITEM == 16
#define MATMUL_PACK 1
#define V double2
#elif ITEM == 8
#define MATMUL_PACK 2
#if KIND_C
#define V float4
#elif KIND_F
#define V double2
#else
#define V ulong2
#endif
#elif MATMUL_ITEM == 2
#define MATMUL_PACK 2
#if KIND_F
#define V float2
#else
#define V uint2
#endif
#else
#define MATMUL_PACK 4
#if KIND_F
#define V float4
#else
#define V uint4
#endif
#endif
#define MATMUL_PACKS (MATMUL_ITEM / MATMUL_PACK)

/* A work-item with 64 sums unrolls two steps.  All steps would make the kernels
   in PTX twice as large. */
#if defined(__clang__) && MATMUL_ITEM == 8
#define MATMUL_UNROLL _Pragma("unroll 2")
#else
#define MATMUL_UNROLL
#endif

/* Four parts fit into 32 KiB. */
#if ITEM * MATMUL_ITEM > 32
#define MATMUL_STEPS 4
#else
#define MATMUL_STEPS 8
#endif

/* The length of a line in local memory, in packs.  Each line ends with a gap,
   so that fewer work-items use the same bank of the memory. */
#define MATMUL_LINE (MATMUL_TILE / MATMUL_PACK + 1)

/* The elements of a part that a work-item copies. */
#define MATMUL_COPIES (MATMUL_TILE * MATMUL_STEPS / 256)

/* The struct routine_matmul of routine_matmul.h. */
typedef struct {
	long m, n, k;
	long offset[3], row[3], column[3];
	long tiles, down, across, rows, columns, each, first;
	long axes;
	long extent[8];
	long stride[3][8];
} matmul_words;

/* How a work-item copies its elements of a part of a matrix.  A part has
   MATMUL_TILE lines (rows of a, columns of b) and MATMUL_STEPS steps. */
typedef struct {
	int line, step;           /* the first element's place in the part */
	int next_line, next_step; /* the way from one element to the next */
	/* the index in memory of the first element, and the distance from one
	   element to the next, and from one part to the next */
	long at, next, next_part;
} matmul_copy;

static inline long matmul_size(long stride)
{
	return stride < 0 ? -stride : stride;
}

/* Neighbouring work-items copy elements along the smaller stride. */
static inline matmul_copy matmul_begin(int item, long line, long step)
{
	matmul_copy c;

	if (matmul_size(step) < matmul_size(line)) {
		c.step = item % MATMUL_STEPS;
		c.line = item / MATMUL_STEPS;
		c.next_step = 0;
		c.next_line = 256 / MATMUL_STEPS;
	} else {
		c.line = item % MATMUL_TILE;
		c.step = item / MATMUL_TILE;
		c.next_line = 0;
		c.next_step = 256 / MATMUL_TILE;
	}
	c.at = c.line * line + c.step * step;
	c.next = c.next_line * line + c.next_step * step;
	c.next_part = MATMUL_STEPS * step;
	return c;
}

static inline int matmul_least(long x, int most)
{
	return x < most ? (int)x : most;
}

/* Load the work-item's elements of a part.  If @is_whole is false, an element
   beyond @lines or @steps becomes 0. */
static inline void matmul_load(S *to, global const T *from, matmul_copy c,
			       bool is_whole, int lines, int steps)
{
	const S zero = ZERO;
	int i;

	if (is_whole) {
		UNROLL
		for (i = 0; i < MATMUL_COPIES; i++)
			SET(to[i], TAKE(from[i * c.next]));
		return;
	}
	UNROLL
	for (i = 0; i < MATMUL_COPIES; i++) {
		if (c.line < lines && c.step < steps)
			SET(to[i], TAKE(from[i * c.next]));
		else
			SET(to[i], zero);
		c.line += c.next_line;
		c.step += c.next_step;
	}
}

/* Store these elements in local memory. */
static inline void matmul_keep(local V *to, const S *from, matmul_copy c)
{
	const int line = MATMUL_LINE * MATMUL_PACK;
	local S *at = (local S *)to + c.step * line + c.line;
	int i;

	UNROLL
	for (i = 0; i < MATMUL_COPIES; i++)
		SET(at[i * (c.next_step * line + c.next_line)], from[i]);
}

/* The number, in the tile, of row (or column) @i of a work-item.  @of is the
   number of the work-item, 0 to 15, down (or across) the group. */
static inline int matmul_place(int of, int i)
{
	return of * MATMUL_PACK + i / MATMUL_PACK * 16 * MATMUL_PACK +
	       i % MATMUL_PACK;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
ROUTINE(global const T *a, global const T *b, global T *c, matmul_words w)
{
	/* two halves, each with a part of a and a part of b */
	local V parts[2][2][MATMUL_STEPS * MATMUL_LINE];
	const int item = (int)get_local_id(0);
	/* 32 neighbouring work-items compute 4 rows of 8 blocks: so they load
	   few different packs. */
	const int y = item / 64 * 4 + item / 8 % 4;
	const int x = item / 32 % 2 * 8 + item % 8;
	const matmul_copy copy_a = matmul_begin(item, w.row[0], w.column[0]);
	const matmul_copy copy_b = matmul_begin(item, w.column[1], w.row[1]);
	const long tile = w.first + (long)get_group_id(0);
	const long in = tile % (w.down * w.across);
	const long row = in / w.across * MATMUL_TILE;
	const long column = in % w.across * MATMUL_TILE;
	const int rows = matmul_least(w.m - row, MATMUL_TILE);
	const int columns = matmul_least(w.n - column, MATMUL_TILE);
	const bool is_whole = rows == MATMUL_TILE && columns == MATMUL_TILE;
	global const T *from_a = a + w.offset[0] + row * w.row[0] + copy_a.at;
	global const T *from_b = b + w.offset[1] + column * w.column[1] +
				 copy_b.at;
	global T *to = c + w.offset[2] + row * w.row[2] + column * w.column[2];
	S sum[MATMUL_ITEM][MATMUL_ITEM];
	S next_a[MATMUL_COPIES], next_b[MATMUL_COPIES];
	long rest = tile / (w.down * w.across), p;
	int i, j, s, now = 0;
	const bool along = matmul_size(w.column[2]) <= matmul_size(w.row[2]);

	for (i = (int)w.axes - 1; i >= 0; i--) {
		const long index = rest % w.extent[i];

		rest /= w.extent[i];
		from_a += index * w.stride[0][i];
		from_b += index * w.stride[1][i];
		to += index * w.stride[2][i];
	}
	UNROLL
	for (i = 0; i < MATMUL_ITEM; i++)
		UNROLL
		for (j = 0; j < MATMUL_ITEM; j++) {
			const S zero = ZERO;

			sum[i][j] = zero;
		}
	/* p: the steps that have not been loaded */
	for (p = w.k; p > -MATMUL_STEPS; p -= MATMUL_STEPS) {
		const int steps = matmul_least(p, MATMUL_STEPS);

		if (steps > 0) {
			const bool loads_whole =
				is_whole && steps == MATMUL_STEPS;

			matmul_load(next_a, from_a, copy_a, loads_whole, rows,
				    steps);
			matmul_load(next_b, from_b, copy_b, loads_whole,
				    columns, steps);
			from_a += copy_a.next_part;
			from_b += copy_b.next_part;
		}
		if (p < w.k)
			MATMUL_UNROLL
			for (s = 0; s < MATMUL_STEPS; s++) {
				V u[MATMUL_PACKS], v[MATMUL_PACKS];

				UNROLL
				for (i = 0; i < MATMUL_PACKS; i++) {
					u[i] = parts[now][0][s * MATMUL_LINE +
							     y + 16 * i];
					v[i] = parts[now][1][s * MATMUL_LINE +
							     x + 16 * i];
				}
				UNROLL
				for (i = 0; i < MATMUL_ITEM; i++)
					UNROLL
					for (j = 0; j < MATMUL_ITEM; j++)
						MULTIPLY(sum[i][j],
							 ((const S *)u)[i],
							 ((const S *)v)[j]);
			}
		now = 1 - now;
		if (steps > 0) {
			matmul_keep(parts[now][0], next_a, copy_a);
			matmul_keep(parts[now][1], next_b, copy_b);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	/* Store a row of each work-item after the other, which is sum[0].
	   Neighbouring work-items store along the smaller stride. */
	for (i = 0; i < MATMUL_ITEM; i++) {
		local S *const line = (local S *)parts;

		UNROLL
		for (j = 0; j < MATMUL_ITEM; j++)
			line[y * MATMUL_LINE * MATMUL_PACK +
			     matmul_place(x, j)] = sum[0][j];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (s = item; s < 16 * MATMUL_TILE; s += 256) {
			const int q = along ? s % MATMUL_TILE : s / 16;
			const int of = along ? s / MATMUL_TILE : s % 16;
			const int r = matmul_place(of, i);

			if (r < rows && q < columns)
				to[r * w.row[2] + q * w.column[2]] = GIVE(
					line[of * MATMUL_LINE * MATMUL_PACK +
					     q]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		UNROLL
		for (s = 0; s < MATMUL_ITEM - 1; s++)
			UNROLL
			for (j = 0; j < MATMUL_ITEM; j++)
				sum[s][j] = sum[s + 1][j];
	}
}
