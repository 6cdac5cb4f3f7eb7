/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.h - arrays in several layouts: whole, permuted, with steps,
   broadcast, with one element, empty. */
#ifndef TESTS_LAYOUTS_H
#define TESTS_LAYOUTS_H

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define LAYOUTS_COUNT 7
/* The elements of the array that they are made from. */
#define LAYOUTS_ELEMENTS (4 * 5 * 6)

/* One of several layouts of @x, which has shape (4, 5, 6). */
static inline dpr_array *layouts_make(const dpr_array *x, int which)
{
	dpr_array *y, *z;

	switch (which) {
	case 0: CHECK_OK(dpr_array_index(x, NULL, 0, &y)); break;
	case 1: CHECK_OK(dpr_permute_dims(x, NULL, &y)); break;
	case 2:
		CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(3, DPR_OPEN, -2),
					DPR_ALL, DPR_SLICE(1, DPR_OPEN, 2)));
		break;
	case 3:
		CHECK_OK(dpr_array_view(x, &y, DPR_AT(2), DPR_SLICE(1, 3, 1)));
		break;
	case 4:
		CHECK_OK(dpr_array_view(x, &z, DPR_AT(1), DPR_AT(1)));
		CHECK_OK(dpr_broadcast_to(z, DPR_SHAPE(3, 6), &y));
		dpr_array_release(z);
		break;
	case 5:
		CHECK_OK(
			dpr_array_view(x, &y, DPR_AT(3), DPR_AT(4), DPR_AT(5)));
		break;
	default: CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(0, 0, 1)));
	}
	return y;
}

#endif
