/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strided.c - copies within host memory, between any layouts.
 *
 * The axes are collapsed, and sorted by the target's strides.  Then the near
 * axes become the innermost axes: neighbours along a near axis share a cache
 * line, in the target or in the source.  So each line is used completely while
 * it is in the cache.  The innermost axes of the two sides form a plane
 * (copy_2d.c).
 */
#include "core/array/data/strided.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/array/data/copy_2d.h"
#include "core/array/layout/layout.h"
#include "core/array/layout/overlap.h"
#include "core/base/crew.h"

/* The near axes of a side span at least this many bytes. */
#define NEAR 128
/* The most rows and columns of a plane if there are other near axes. */
#define BLOCK 512
/* A plane of fewer elements is not worth its setup. */
#define LOOP 64
/* SHARE: the least bytes for each thread.  PARTS: the number of parts for each
   thread. */
#define SHARE ((int64_t)2 << 20)
#define PARTS 4

/* A copy: its axes, with steps in bytes.  Axis 0 is the outermost. */
struct box {
	int rank;
	size_t item;
	char *to;
	const char *from;
	int64_t dim[DPR_MAX_RANK];
	int64_t to_step[DPR_MAX_RANK], from_step[DPR_MAX_RANK];
};

/* --- One box ----------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Move axis @from to position @to, and shift the axes in between by one
   place. */
static void move_axis(struct box *box, int to, int from)
{
	int64_t dim = box->dim[from], to_step = box->to_step[from],
		from_step = box->from_step[from];
	int way = to < from ? -1 : 1;

	for (int k = from; k != to; k += way) {
		box->dim[k] = box->dim[k + way];
		box->to_step[k] = box->to_step[k + way];
		box->from_step[k] = box->from_step[k + way];
	}
	box->dim[to] = dim;
	box->to_step[to] = to_step;
	box->from_step[to] = from_step;
}

/* Merge small elements that are adjacent on both sides into larger ones. */
static void widen_items(struct box *box)
{
	int last = box->rank - 1;
	int64_t item = (int64_t)box->item;

	if (last < 1 || box->to_step[last] != item ||
	    box->from_step[last] != item || box->dim[last] * item >= NEAR)
		return;
	while (box->item < 16 && box->dim[last] % 2 == 0) {
		box->item *= 2;
		box->dim[last] /= 2;
	}
	box->to_step[last] = box->from_step[last] = (int64_t)box->item;
	if (box->dim[last] == 1)
		box->rank--;
}

/* The axis with the smallest step in the source, except steps of 0 and axes in
   @taken.  -1: there is none. */
static int closest_axis(const struct box *box, uint64_t taken)
{
	int best = -1;

	for (int k = 0; k < box->rank; k++)
		if (!(taken >> k & 1) && box->from_step[k] &&
		    (best < 0 ||
		     llabs(box->from_step[k]) <= llabs(box->from_step[best])))
			best = k;
	return best;
}

/*
 * Put the near axes last: first the near axes of the source, then those of the
 * target.  The last axis becomes the plane's columns, and the axis before it
 * the rows.  Returns the index of the first near axis.
 */
static int order_axes(struct box *box)
{
	int last = box->rank - 1, near = last, first, rows = last - 1, axis;
	int64_t item = (int64_t)box->item, span;
	uint64_t taken = 0;

	for (span = item * box->dim[last]; near > 0 && span < NEAR;)
		span *= box->dim[--near];
	first = near;
	for (span = item; span < NEAR; span *= box->dim[axis]) {
		axis = closest_axis(box, taken);
		if (axis < 0)
			break;
		if (axis < near) {
			move_axis(box, --first, axis);
			axis = first;
		}
		if (!taken && axis != last)
			rows = axis;
		taken |= (uint64_t)1 << axis;
	}
	move_axis(box, last - 1, rows);
	return first < last - 1 ? first : last - 1;
}

/* Go to the next element along the axes @first to @end - 1.  After the last
   element, goes back to the first and returns false. */
static bool advance_place(const struct box *box, int first, int end,
			  int64_t *at, char **to, const char **from)
{
	for (int k = end - 1; k >= first; k--) {
		*to += box->to_step[k];
		*from += box->from_step[k];
		if (++at[k] < box->dim[k])
			return true;
		*to -= box->dim[k] * box->to_step[k];
		*from -= box->dim[k] * box->from_step[k];
		at[k] = 0;
	}
	return false;
}

/* Copy along the near axes, which begin with @first.  If there are more than
   two, the plane is copied in blocks. */
static void copy_near(const struct box *box, int first, char *to,
		      const char *from)
{
	int columns = box->rank - 1, rows = columns - 1;
	int64_t block = first < rows ? BLOCK : INT64_MAX;
	int64_t at[DPR_MAX_RANK] = { 0 };
	struct plane plane = {
		.to_row = box->to_step[rows],
		.to_column = box->to_step[columns],
		.from_row = box->from_step[rows],
		.from_column = box->from_step[columns],
	};

	for (int64_t i = 0; i < box->dim[rows]; i += plane.rows) {
		plane.rows = smaller(block, box->dim[rows] - i);
		for (int64_t k = 0; k < box->dim[columns]; k += plane.columns) {
			char *target =
				to + i * plane.to_row + k * plane.to_column;
			const char *source = from + i * plane.from_row +
					     k * plane.from_column;

			plane.columns = smaller(block, box->dim[columns] - k);
			do
				copy_2d(&plane, box->item, target, source);
			while (advance_place(box, first, rows, at, &target,
					     &source));
		}
	}
}

/* List the places of the elements along the last axes, as many axes as together
   have at most PLACES_MOST elements.  Returns the first of these axes. */
static int list_places(const struct box *box, struct places *places)
{
	int64_t at[DPR_MAX_RANK] = { 0 };
	int first = box->rank, n = 1;
	const char *from = box->from;
	char *to = box->to;

	while (first > 0 && box->dim[first - 1] <= PLACES_MOST / n)
		n *= (int)box->dim[--first];
	places->n = 0;
	do {
		places->to[places->n] = to - box->to;
		places->from[places->n++] = from - box->from;
	} while (advance_place(box, first, box->rank, at, &to, &from));
	return first;
}

/* Copy a box whose axes are all too short for a loop. */
static void copy_scattered(const struct box *box)
{
	int64_t at[DPR_MAX_RANK] = { 0 };
	const char *from = box->from;
	struct places places;
	char *to = box->to;
	int first = list_places(box, &places);

	do
		copy_2d_places(&places, box->item, to, from);
	while (advance_place(box, 0, first, at, &to, &from));
}

static void copy_box(struct box *box)
{
	int64_t at[DPR_MAX_RANK] = { 0 };
	const char *from = box->from;
	char *to = box->to;
	int first, last;

	widen_items(box);
	while (box->rank < 2) {
		box->dim[box->rank] = 1;
		box->to_step[box->rank] = box->from_step[box->rank] = 0;
		move_axis(box, 0, box->rank++);
	}
	first = order_axes(box);
	last = box->rank - 1;
	if (last > 1 && box->dim[last] < LOOP &&
	    box->dim[last] * box->dim[last - 1] < LOOP) {
		copy_scattered(box);
		return;
	}
	do
		copy_near(box, first, to, from);
	while (advance_place(box, 0, first, at, &to, &from));
}

/* --- In parts ---------------------------------------------------------- */

/* A box that is divided into `n` parts.  A part has one index on each of the
   first `whole` axes, one of `cuts` ranges of axis `cut`, and all of the other
   axes. */
struct strided_parts {
	const struct box *box;
	int whole, cut;
	int64_t cuts;
	size_t n;
};

static void make_parts(const struct box *box, int64_t wanted,
		       struct strided_parts *parts)
{
	int longest = 0;
	int64_t n = 1;

	*parts = (struct strided_parts){ .box = box };
	for (int k = 1; k < box->rank; k++)
		if (box->dim[k] > box->dim[longest])
			longest = k;
	parts->cut = longest;
	if (box->dim[longest] < 16 * wanted) {
		while (parts->whole < box->rank - 1 &&
		       box->dim[parts->whole] <= wanted / n)
			n *= box->dim[parts->whole++];
		parts->cut = parts->whole;
	}
	parts->cuts = smaller(wanted / n, box->dim[parts->cut]);
	parts->n = (size_t)(n * parts->cuts);
}

static void enter_axis(struct box *box, int axis, int64_t place)
{
	box->to += place * box->to_step[axis];
	box->from += place * box->from_step[axis];
}

/* Reverse an axis, so that it is walked from its other end. */
static void turn_axis(struct box *box, int axis)
{
	enter_axis(box, axis, box->dim[axis] - 1);
	box->to_step[axis] = -box->to_step[axis];
	box->from_step[axis] = -box->from_step[axis];
}

static void copy_part(void *state, size_t i)
{
	const struct strided_parts *parts = state;
	struct box box = *parts->box;
	int64_t rest = (int64_t)i / parts->cuts,
		place = (int64_t)i % parts->cuts;
	int64_t length = box.dim[parts->cut] / parts->cuts;
	int64_t more = box.dim[parts->cut] % parts->cuts;

	enter_axis(&box, parts->cut, place * length + smaller(place, more));
	box.dim[parts->cut] = length + (place < more);
	for (int k = parts->whole - 1; k >= 0; k--) {
		enter_axis(&box, k, rest % box.dim[k]);
		rest /= box.dim[k];
		move_axis(&box, --box.rank, k);
	}
	copy_box(&box);
}

/* The number of threads that copy a box.  It is 1 if elements of the target may
   share memory: several threads could mix the bytes of two such elements. */
static unsigned count_threads(const struct box *box, const int64_t *to_stride)
{
	struct layout target = { .rank = box->rank };
	int64_t size = (int64_t)box->item;
	unsigned n;

	for (int k = 0; k < box->rank; k++)
		size *= box->dim[k];
	if (size < 2 * SHARE)
		return 1;
	memcpy(target.dim, box->dim, sizeof(target.dim));
	memcpy(target.stride, to_stride, sizeof(target.stride));
	if (!overlap_is_distinct(&target))
		return 1;
	n = crew_cpus();
	return size / SHARE < n ? (unsigned)(size / SHARE) : n;
}

void strided_copy(int rank, const int64_t *dim, size_t item, char *to,
		  const int64_t *to_stride, const char *from,
		  const int64_t *from_stride)
{
	int64_t stride[2][DPR_MAX_RANK] = { { 0 } }, offset[2] = { 0, 0 };
	int64_t size = (int64_t)item;
	struct box box = { .item = item };
	struct strided_parts parts;
	unsigned threads;

	memcpy(box.dim, dim, (size_t)rank * sizeof(dim[0]));
	memcpy(stride[0], to_stride, (size_t)rank * sizeof(dim[0]));
	memcpy(stride[1], from_stride, (size_t)rank * sizeof(dim[0]));
	box.rank = layout_collapse(2, rank, box.dim, stride, offset, true);
	if (box.rank && !box.dim[0])
		return;
	box.to = to + offset[0] * size;
	box.from = from + offset[1] * size;
	for (int k = 0; k < box.rank; k++) {
		box.to_step[k] = stride[0][k] * size;
		box.from_step[k] = stride[1][k] * size;
		if (stride[0][k] < 0)
			turn_axis(&box, k);
	}
	threads = count_threads(&box, stride[0]);
	if (threads < 2) {
		copy_box(&box);
		return;
	}
	make_parts(&box, (int64_t)threads * PARTS, &parts);
	crew_run(threads, parts.n, copy_part, &parts);
}
