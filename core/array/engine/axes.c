/* SPDX-License-Identifier: Apache-2.0 */
/* axes.c - merges and counts the axes over which a launch goes. */
#include "core/array/engine/axes.h"

#include "core/array/layout/layout.h"

void axes_collapse(struct axes *axes, int first, int last)
{
	axes->rank = layout_collapse(last - first + 1, axes->rank, axes->dim,
				     axes->stride + first, axes->offset + first,
				     true);
	if (axes->rank)
		return;
	axes->rank = 1;
	axes->dim[0] = 1;
	for (int k = first; k <= last; k++)
		axes->stride[k][0] = 0;
}

int64_t axes_count(const struct axes *axes, int first)
{
	int64_t count = 1;

	for (int d = first; d < axes->rank; d++)
		count *= axes->dim[d];
	return count;
}

bool axes_begins(const struct axes *axes, int side, int64_t offset, int along,
		 int64_t pack)
{
	if (offset % pack != 0)
		return false;
	for (int d = 0; d < axes->rank; d++)
		if (d != along && axes->stride[side][d] % pack != 0)
			return false;
	return true;
}
