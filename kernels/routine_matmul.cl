/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routine_matmul.cl - products of matrices on GPUs, after types.cl.
 *
 * A group of 16 x 16 work-items computes a tile of the result.  The group
 * copies MATMUL_STEPS columns of a and MATMUL_STEPS rows of b to local memory,
 * and multiplies them.  Then the group copies and multiplies the next columns
 * and rows.  A work-item computes MATMUL_ITEM times MATMUL_ITEM elements.  The
 * sum of each element is in a register.  Products are added to the sum one
 * after another, in the order of k.
 *
 * The core defines three macros before this text.  DPR_DTYPE is the dtype,
 * ROUTINE the name of the kernel, and VARIANT the value of MATMUL_ITEM: 2, 4 or
 * 8.
 */
#define MATMUL_ITEM VARIANT
#define MATMUL_TILE (16 * MATMUL_ITEM)
#if ITEM > 4
#define MATMUL_STEPS 8
#else
#define MATMUL_STEPS 16
#endif
/* The rows (or columns) of a work-item come in packs.  This is the number of
   neighbouring rows in a pack. */
#if MATMUL_ITEM < 4
#define MATMUL_PACK MATMUL_ITEM
#else
#define MATMUL_PACK 4
#endif
/* The length of a line in local memory.  Each line ends with a gap, so that
   fewer work-items use the same bank of the memory. */
#define MATMUL_LINE (MATMUL_TILE + 4)

/* In this file compilers may fuse a product and an addition. */
#pragma OPENCL FP_CONTRACT ON

/* S is the type of sums.  Integers wrap, so integers of less than 32 bits are
   added as uint. */
#if KIND_I || KIND_U
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
#define MULTIPLY(s, x, y)            \
	do {                         \
		s.re += x.re * y.re; \
		s.re -= x.im * y.im; \
		s.im += x.re * y.im; \
		s.im += x.im * y.re; \
	} while (0)
#else
#define ZERO 0
#define MULTIPLY(s, x, y) (s += x * y)
#endif

/* The struct routine_matmul of routine_matmul.h. */
typedef struct {
	long m, n, k;
	long offset[3], row[3], column[3];
	long tiles, down, across, rows, columns, each;
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
	   element to the next */
	long at, next;
} matmul_copy;

/* Neighbouring work-items copy elements along the smaller stride. */
static inline matmul_copy matmul_begin(int item, long line, long step)
{
	const long line_size = line < 0 ? -line : line;
	const long step_size = step < 0 ? -step : step;
	matmul_copy c;

	if (step_size < line_size) {
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
	return c;
}

/* Copy the work-item's elements to local memory.  An element beyond @lines or
   @steps becomes 0. */
static inline void matmul_copy_part(local S *to, global const T *from,
				    matmul_copy c, long lines, long steps)
{
	const S zero = ZERO;
	int i;

	for (i = 0; i < MATMUL_TILE * MATMUL_STEPS; i += 256) {
		S x = zero;

		if (c.line < lines && c.step < steps)
			x = TAKE(from[c.at]);
		to[c.step * MATMUL_LINE + c.line] = x;
		c.line += c.next_line;
		c.step += c.next_step;
		c.at += c.next;
	}
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
	local S left[MATMUL_STEPS * MATMUL_LINE] __attribute__((aligned(16)));
	local S right[MATMUL_STEPS * MATMUL_LINE] __attribute__((aligned(16)));
	const int item = (int)get_local_id(0);
	const int y = item / 16, x = item % 16;
	const matmul_copy copy_a = matmul_begin(item, w.row[0], w.column[0]);
	const matmul_copy copy_b = matmul_begin(item, w.column[1], w.row[1]);
	long tile, p;
	int i, j, s;

	for (tile = (long)get_group_id(0); tile < w.tiles;
	     tile += (long)get_num_groups(0)) {
		long rest = tile / (w.down * w.across);
		const long in = tile % (w.down * w.across);
		const long row = in / w.across * MATMUL_TILE;
		const long column = in % w.across * MATMUL_TILE;
		long at_a = w.offset[0] + row * w.row[0];
		long at_b = w.offset[1] + column * w.column[1];
		long at_c = w.offset[2] + row * w.row[2] +
			    column * w.column[2];
		S sum[MATMUL_ITEM][MATMUL_ITEM];

		for (i = (int)w.axes - 1; i >= 0; i--) {
			const long index = rest % w.extent[i];

			rest /= w.extent[i];
			at_a += index * w.stride[0][i];
			at_b += index * w.stride[1][i];
			at_c += index * w.stride[2][i];
		}
		UNROLL
		for (i = 0; i < MATMUL_ITEM; i++)
			UNROLL
			for (j = 0; j < MATMUL_ITEM; j++) {
				const S zero = ZERO;

				sum[i][j] = zero;
			}
		for (p = 0; p < w.k; p += MATMUL_STEPS) {
			matmul_copy_part(left, a + at_a + p * w.column[0],
					 copy_a, w.m - row, w.k - p);
			matmul_copy_part(right, b + at_b + p * w.row[1],
					 copy_b, w.n - column, w.k - p);
			barrier(CLK_LOCAL_MEM_FENCE);
			for (s = 0; s < MATMUL_STEPS; s++) {
				S u[MATMUL_ITEM], v[MATMUL_ITEM];

				UNROLL
				for (i = 0; i < MATMUL_ITEM; i++) {
					u[i] = left[s * MATMUL_LINE +
						    matmul_place(y, i)];
					v[i] = right[s * MATMUL_LINE +
						     matmul_place(x, i)];
				}
				UNROLL
				for (i = 0; i < MATMUL_ITEM; i++)
					UNROLL
					for (j = 0; j < MATMUL_ITEM; j++)
						MULTIPLY(sum[i][j], u[i], v[j]);
			}
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		UNROLL
		for (i = 0; i < MATMUL_ITEM; i++) {
			const long r = matmul_place(y, i);

			UNROLL
			for (j = 0; j < MATMUL_ITEM; j++) {
				const long q = matmul_place(x, j);

				if (row + r < w.m && column + q < w.n)
					c[at_c + r * w.row[2] +
					  q * w.column[2]] = GIVE(sum[i][j]);
			}
		}
	}
}
