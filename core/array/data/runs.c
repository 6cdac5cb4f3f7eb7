/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - a copy between two layouts, as runs of elements that are contiguous
   on both sides. */
#include "core/array/data/runs.h"

#include <string.h>

/* A copy has few runs if there are at most FEW, or if each has LONG bytes.  A
   submission takes microseconds, as long as a copy of LONG bytes. */
#define FEW 4
#define LONG ((int64_t)64 << 10)

void runs_find(struct runs *runs, const struct layout *to,
	       const struct layout *from)
{
	const size_t bytes = (size_t)to->rank * sizeof(to->dim[0]);
	int64_t dim[DPR_MAX_RANK], stride[2][DPR_MAX_RANK];
	int64_t offset[2] = { to->offset, from->offset };
	int rank;

	memcpy(dim, to->dim, bytes);
	memcpy(stride[RUNS_TO], to->stride, bytes);
	memcpy(stride[RUNS_FROM], from->stride, bytes);
	rank = layout_collapse(2, to->rank, dim, stride, offset, true);
	runs->n = runs->length = 1;
	for (int k = 0; k < rank; k++)
		runs->n *= dim[k];
	if (rank && stride[RUNS_TO][rank - 1] == 1 &&
	    stride[RUNS_FROM][rank - 1] == 1) {
		runs->length = dim[rank - 1];
		runs->n /= runs->length;
	}
	for (int i = 0; i < 2; i++) {
		struct layout *side = &runs->side[i];

		side->rank = rank;
		side->offset = offset[i];
		memcpy(side->dim, dim, sizeof(dim));
		memcpy(side->stride, stride[i], sizeof(dim));
	}
}

bool runs_are_few(const struct runs *runs, size_t item)
{
	return runs->n <= FEW || runs->length >= LONG / (int64_t)item;
}

void runs_place(const struct runs *runs, int64_t i, int64_t place[2])
{
	const struct layout *to = &runs->side[RUNS_TO];
	const struct layout *from = &runs->side[RUNS_FROM];

	place[RUNS_TO] = to->offset;
	place[RUNS_FROM] = from->offset;
	for (int k = to->rank - (runs->length > 1) - 1; k >= 0; k--) {
		place[RUNS_TO] += i % to->dim[k] * to->stride[k];
		place[RUNS_FROM] += i % to->dim[k] * from->stride[k];
		i /= to->dim[k];
	}
}
