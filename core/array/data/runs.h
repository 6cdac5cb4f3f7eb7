/* SPDX-License-Identifier: Apache-2.0 */
/* runs.h - a copy between two layouts, as runs of elements that are contiguous
   on both sides. */
#ifndef ARRAY_RUNS_H
#define ARRAY_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/array/layout/layout.h"

/* The sides of a copy. */
enum { RUNS_TO = 0, RUNS_FROM = 1 };

/* Both sides of a copy, over the same extents and with the fewest axes.  The
   order of the axes makes the target as contiguous as possible.  The last axis
   is within a run if `length` is more than 1. */
struct runs {
	struct layout side[2];
	int64_t n, length; /* the number of runs, and the elements of each */
};

/* Find the runs of a copy from @from to @to, which have the same extents, none
   of them 0. */
void runs_find(struct runs *runs, const struct layout *to,
	       const struct layout *from);

/* Whether copies of single runs of elements of @item bytes cost less than
   kernels that pack and unpack the elements. */
bool runs_are_few(const struct runs *runs, size_t item);

/* Get where run @i begins on both sides, in elements. */
void runs_place(const struct runs *runs, int64_t i, int64_t place[2]);

#endif
