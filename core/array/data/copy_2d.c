/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_2d.c - copies along one or two axes of host memory.
 *
 * The loops are inline functions with the size of an element as a parameter.
 * copy_2d() passes each size as a constant.  So the compiler makes a loop
 * for each size, and memcpy() of an element becomes one load and one store.
 */
#include "core/array/data/copy_2d.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* Rows of fewer than SHORT elements are copied column by column, SHORT_ROWS
   rows at a time. */
#define SHORT 16
#define SHORT_ROWS 256
#define LINE 64

typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef uint16_t words_8 __attribute__((vector_size(16)));
typedef uint16_t words_16 __attribute__((vector_size(32)));
typedef uint32_t longs_4 __attribute__((vector_size(16)));
typedef uint32_t longs_8 __attribute__((vector_size(32)));
typedef uint64_t quads_4 __attribute__((vector_size(32)));

INLINE int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* --- Along one axis ---------------------------------------------------- */

INLINE void copy_steps(char *to, int64_t to_step, const char *from,
		       int64_t from_step, int64_t n, size_t item)
{
	for (; n >= 4; n -= 4) {
		memcpy(to, from, item);
		memcpy(to + to_step, from + from_step, item);
		memcpy(to + 2 * to_step, from + 2 * from_step, item);
		memcpy(to + 3 * to_step, from + 3 * from_step, item);
		to += 4 * to_step;
		from += 4 * from_step;
	}
	for (; n > 0; n--) {
		memcpy(to, from, item);
		to += to_step;
		from += from_step;
	}
}

/* Copy every other element.  Each element is read together with the next one,
   as the lower half of a number of twice the size.  The last element is left to
   the caller, since it may have no next element.  Returns the number of copied
   elements. */
INLINE int64_t gather_pairs(char *to, const char *from, int64_t n, size_t item)
{
	int64_t step = 16 / (int64_t)item, i = 0;

	for (; i + step < n; i += step, to += 16, from += 32) {
		if (item == 1) {
			words_16 pairs;
			bytes_16 halves;

			memcpy(&pairs, from, 32);
			halves = __builtin_convertvector(pairs, bytes_16);
			memcpy(to, &halves, 16);
		} else if (item == 2) {
			longs_8 pairs;
			words_8 halves;

			memcpy(&pairs, from, 32);
			halves = __builtin_convertvector(pairs, words_8);
			memcpy(to, &halves, 16);
		} else {
			quads_4 pairs;
			longs_4 halves;

			memcpy(&pairs, from, 32);
			halves = __builtin_convertvector(pairs, longs_4);
			memcpy(to, &halves, 16);
		}
	}
	return i;
}

/* Copy bytes in reverse order, eight at a time.  Returns the number of copied
   bytes. */
INLINE int64_t reverse_bytes(char *to, const char *from, int64_t n)
{
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t eight;

		memcpy(&eight, from - i - 7, 8);
		eight = __builtin_bswap64(eight);
		memcpy(to + i, &eight, 8);
	}
	return i;
}

/* Copy one element to all places of a row. */
INLINE void fill(char *to, const char *from, int64_t n, size_t item)
{
	int64_t step = 64 / (int64_t)item;
	char line[64];

	if (item == 1) {
		memset(to, *from, (size_t)n);
		return;
	}
	for (size_t i = 0; i < 64; i += item)
		memcpy(line + i, from, item);
	for (; n >= step; n -= step, to += 64)
		memcpy(to, line, 64);
	memcpy(to, line, (size_t)n * item);
}

INLINE void copy_row(char *to, int64_t to_step, const char *from,
		     int64_t from_step, int64_t n, size_t item)
{
	int64_t size = (int64_t)item, done = 0;

	if (to_step == size) {
		if (from_step == size) {
			memcpy(to, from, (size_t)n * item);
			return;
		}
		if (!from_step) {
			fill(to, from, n, item);
			return;
		}
		if (IS_LITTLE && item <= 4 && from_step == 2 * size)
			done = gather_pairs(to, from, n, item);
		else if (item == 1 && from_step == -1)
			done = reverse_bytes(to, from, n);
	}
	copy_steps(to + done * to_step, to_step, from + done * from_step,
		   from_step, n - done, item);
}

INLINE void copy_rows(const struct plane *p, char *to, const char *from,
		      size_t item)
{
	for (int64_t i = 0; i < p->rows; i++)
		copy_row(to + i * p->to_row, p->to_column,
			 from + i * p->from_row, p->from_column, p->columns,
			 item);
}

/* Copy rows that are too short for a loop over each row.  A few rows, which
   stay in the cache, are copied column by column. */
INLINE void copy_columns(const struct plane *p, char *to, const char *from,
			 size_t item)
{
	for (int64_t i = 0; i < p->rows; i += SHORT_ROWS) {
		int64_t n = least(SHORT_ROWS, p->rows - i);

		for (int64_t k = 0; k < p->columns; k++)
			copy_steps(to + i * p->to_row + k * p->to_column,
				   p->to_row,
				   from + i * p->from_row + k * p->from_column,
				   p->from_row, n, item);
	}
}

/* --- Transposed: rows are closer in the source than columns ------------ */

/* Swap the high parts of @a with the low parts of @b. */
INLINE void swap_parts(uint64_t *a, uint64_t *b, int shift, uint64_t low)
{
	uint64_t both = ((*a >> shift) ^ *b) & low;

	*a ^= both << shift;
	*b ^= both;
}

/* Transpose a square of 8 by 8 bytes. */
INLINE void transpose_8(const struct plane *p, char *to, const char *from)
{
	uint64_t row[8];

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		memcpy(&row[i], from + i * p->from_column, 8);
#pragma GCC unroll 8
	for (int i = 0; i < 4; i++)
		swap_parts(&row[i], &row[i + 4], 32, 0x00000000ffffffff);
#pragma GCC unroll 8
	for (int i = 0; i < 8; i += 4) {
		swap_parts(&row[i], &row[i + 2], 16, 0x0000ffff0000ffff);
		swap_parts(&row[i + 1], &row[i + 3], 16, 0x0000ffff0000ffff);
	}
#pragma GCC unroll 8
	for (int i = 0; i < 8; i += 2)
		swap_parts(&row[i], &row[i + 1], 8, 0x00ff00ff00ff00ff);
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		memcpy(to + i * p->to_row, &row[i], 8);
}

/* Transpose a square of 4 by 4 elements of 2 bytes. */
INLINE void transpose_4(const struct plane *p, char *to, const char *from)
{
	uint64_t row[4];

#pragma GCC unroll 8
	for (int i = 0; i < 4; i++)
		memcpy(&row[i], from + i * p->from_column, 8);
	swap_parts(&row[0], &row[2], 32, 0x00000000ffffffff);
	swap_parts(&row[1], &row[3], 32, 0x00000000ffffffff);
	swap_parts(&row[0], &row[1], 16, 0x0000ffff0000ffff);
	swap_parts(&row[2], &row[3], 16, 0x0000ffff0000ffff);
#pragma GCC unroll 8
	for (int i = 0; i < 4; i++)
		memcpy(to + i * p->to_row, &row[i], 8);
}

/* The rows and columns of a block of a transposition, chosen by measurements.
   The rows of a block share cache lines of the source. */
INLINE int64_t block_rows(size_t item)
{
	return item == 1 ? 128 : 64;
}

INLINE int64_t block_columns(size_t item)
{
	return item == 1 ? 128 : item == 2 ? 64 : 32;
}

INLINE void transpose_squares(const struct plane *p, char *to, const char *from,
			      size_t item)
{
	int64_t square = 8 / (int64_t)item;

	for (int64_t i = 0; i < block_rows(item); i += square)
		for (int64_t k = 0; k < block_columns(item); k += square) {
			char *at = to + i * p->to_row + k * (int64_t)item;
			const char *source =
				from + i * (int64_t)item + k * p->from_column;

			if (item == 1)
				transpose_8(p, at, source);
			else
				transpose_4(p, at, source);
		}
}

/* Prefetch the cache lines that a block is written to.  They are too far apart
   for the processor to prefetch them by itself. */
INLINE void fetch_target(const struct plane *p, char *to, int64_t rows,
			 int64_t columns)
{
	int64_t last = columns * p->to_column - 1;

	for (int64_t i = 0; i < rows; i++, to += p->to_row) {
		for (int64_t k = 0; k < last; k += LINE)
			__builtin_prefetch(to + k, 1);
		__builtin_prefetch(to + last, 1);
	}
}

INLINE void transpose_block(const struct plane *p, char *to, const char *from,
			    int64_t rows, int64_t columns, size_t item)
{
	if (p->to_column == (int64_t)item)
		fetch_target(p, to, rows, columns);
	if (IS_LITTLE && item <= 2 && rows == block_rows(item) &&
	    columns == block_columns(item) && p->from_row == (int64_t)item &&
	    p->to_column == (int64_t)item) {
		transpose_squares(p, to, from, item);
		return;
	}
	for (int64_t i = 0; i < rows; i++)
		copy_steps(to + i * p->to_row, p->to_column,
			   from + i * p->from_row, p->from_column, columns,
			   item);
}

INLINE void transpose(const struct plane *p, char *to, const char *from,
		      size_t item)
{
	int64_t rows = block_rows(item), columns = block_columns(item);

	for (int64_t i = 0; i < p->rows; i += rows)
		for (int64_t k = 0; k < p->columns; k += columns)
			transpose_block(
				p, to + i * p->to_row + k * p->to_column,
				from + i * p->from_row + k * p->from_column,
				least(rows, p->rows - i),
				least(columns, p->columns - k), item);
}

/* Transpose.  Rows that go backwards in the source are copied in reverse
   order. */
INLINE void transpose_forwards(const struct plane *p, char *to,
			       const char *from, size_t item)
{
	struct plane reversed = *p;

	if (p->from_row < 0) {
		to += (p->rows - 1) * p->to_row;
		from += (p->rows - 1) * p->from_row;
		reversed.to_row = -p->to_row;
		reversed.from_row = -p->from_row;
	}
	transpose(&reversed, to, from, item);
}

INLINE void copy_plane(const struct plane *p, char *to, const char *from,
		       size_t item)
{
	if (p->from_row && llabs(p->from_row) < llabs(p->from_column))
		transpose_forwards(p, to, from, item);
	else if (p->columns < SHORT && p->rows > p->columns)
		copy_columns(p, to, from, item);
	else
		copy_rows(p, to, from, item);
}

void copy_2d(const struct plane *plane, size_t item, char *to, const char *from)
{
	switch (item) {
	case 1: copy_plane(plane, to, from, 1); break;
	case 2: copy_plane(plane, to, from, 2); break;
	case 4: copy_plane(plane, to, from, 4); break;
	case 8: copy_plane(plane, to, from, 8); break;
	default: copy_plane(plane, to, from, 16); break;
	}
}

INLINE void copy_places(const struct places *p, char *to, const char *from,
			size_t item)
{
	for (int i = 0; i < p->n; i++)
		memcpy(to + p->to[i], from + p->from[i], item);
}

void copy_2d_places(const struct places *places, size_t item, char *to,
		    const char *from)
{
	switch (item) {
	case 1: copy_places(places, to, from, 1); break;
	case 2: copy_places(places, to, from, 2); break;
	case 4: copy_places(places, to, from, 4); break;
	case 8: copy_places(places, to, from, 8); break;
	default: copy_places(places, to, from, 16); break;
	}
}
