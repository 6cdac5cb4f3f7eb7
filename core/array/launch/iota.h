/* SPDX-License-Identifier: Apache-2.0 */
/* iota.h - arrays of equal steps. */
#ifndef ARRAY_IOTA_H
#define ARRAY_IOTA_H

#include "core/array/engine/engine.h"
#include "core/array/object/array.h"

/* The values start + i * step, and the last one if it `has_last`, as
   kernels/iota.cl takes them. */
struct iota {
	struct engine_scalar start, step, last;
	bool has_last;
};

/* Write them to @out, which is contiguous.  Does nothing if it has no elements.
   Does not wait. */
dpr_status iota_launch(const char *what, const struct iota *iota,
		       dpr_array *out);

/* Write to @out, of int64, where the elements of @index would be, an array of
   its shape without memory.  Does not wait. */
dpr_status iota_index(const char *what, const dpr_array *index, dpr_array *out);

#endif
