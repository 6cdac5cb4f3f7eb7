/* SPDX-License-Identifier: Apache-2.0 */
/* block_lanes.c - combines elements with lanes (block_lanes.h). */
#include "kernels/block_lanes.h"

#include <stddef.h>

#include "kernels/block_tables.h"

static void fold(struct block_lanes *l, unsigned step)
{
	l->fold.code = BLOCK_FOLD(l->how->what, step);
	block_tables_fold(l->how->dtype, &l->fold);
}

int64_t block_lanes_width(const struct block_folding *how)
{
	const int64_t near = how->near;
	const int64_t parts = how->parts;
	const int64_t lanes = BLOCK_LANES % (near * parts) == 0
				      ? BLOCK_LANES / (near * parts)
				      : 8;

	return lanes * near;
}

void block_lanes_begin(struct block_lanes *l, int64_t width)
{
	l->width = width;
	l->rows = 0;
	l->fold.width = width * l->how->parts;
	l->fold.has_totals = 0;
	fold(l, BLOCK_FOLD_FIRST);
}

/* Set the input: the elements @from, or with @with their products or squared
   differences. */
static void set_elements(struct block_lanes *l, const void *from,
			 const void *with)
{
	l->fold.of = with ? l->how->of : BLOCK_ELEMENTS;
	l->fold.from = from;
	l->fold.with = with ? with : from;
}

int64_t block_lanes_left(const struct block_lanes *l)
{
	return l->how->what == BLOCK_SUM ? BLOCK_FOLD_ROWS - l->rows
					 : BLOCK_FOLD_ROWS;
}

/* Combine @rows rows of the input with the lanes.  A row has @width elements,
   and rows are @stride elements apart. */
static void add(struct block_lanes *l, int64_t width, int64_t rows,
		int64_t stride)
{
	const int64_t parts = l->how->parts;

	if (!width || !rows)
		return;
	l->fold.width = width * parts;
	l->fold.rows = rows;
	l->fold.stride = stride * parts;
	fold(l, BLOCK_FOLD_ADD);
	l->fold.width = l->width * parts;
	l->rows += rows;
	if (l->rows < BLOCK_FOLD_ROWS || l->how->what != BLOCK_SUM)
		return;
	fold(l, BLOCK_FOLD_EMPTY);
	l->fold.has_totals = 1;
	l->rows = 0;
}

void block_lanes_add(struct block_lanes *l, const void *from, int64_t width,
		     int64_t rows, int64_t stride)
{
	set_elements(l, from, NULL);
	add(l, width, rows, stride);
}

void block_lanes_take(struct block_lanes *l, const void *from, const void *with,
		      int64_t n)
{
	const int64_t rest = n % l->width;
	const size_t whole = (size_t)(n - rest) << l->shift;

	set_elements(l, from, with);
	add(l, l->width, n / l->width, l->width);
	if (!rest)
		return;
	if (with && !l->fold.with_stays)
		with = (const char *)with + whole;
	set_elements(l, (const char *)from + whole, with);
	add(l, rest, 1, l->width);
}

void block_lanes_end(struct block_lanes *l, void *to, int64_t n)
{
	l->fold.to = to;
	l->fold.keep = n * l->how->parts;
	fold(l, BLOCK_FOLD_END);
}

void block_lanes_short(struct block_lanes *l, const void *from,
		       const void *with, int64_t length, int64_t rows,
		       int64_t stride, void *to)
{
	set_elements(l, from, with);
	l->fold.to = to;
	l->fold.width = length;
	l->fold.rows = rows;
	l->fold.stride = stride;
	fold(l, BLOCK_FOLD_SHORT);
}

void block_lanes_elements(struct block_lanes *l, const void *from,
			  const void *with, int64_t n, void *to)
{
	set_elements(l, from, with);
	l->fold.to = to;
	l->fold.width = n;
	fold(l, BLOCK_FOLD_ELEMENTS);
}
