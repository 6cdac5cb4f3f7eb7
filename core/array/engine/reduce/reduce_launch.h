/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_launch.h - reduces axes of the values that a graph computes, in the
 * same kernel.
 *
 * Long axes are cut into parts.  A second kernel reduces the accumulated values
 * of the parts.  The layout of the values decides how elements are cut and
 * combined.  Computed values count as if they were stored in C order.  So
 * storing them first gives the same bits.
 */
#ifndef ARRAY_REDUCE_LAUNCH_H
#define ARRAY_REDUCE_LAUNCH_H

#include "core/array/engine/call.h"
#include "core/array/engine/formats.h"

/* Values that are reduced. */
struct reduce_values {
	enum reduction reduction;
	unsigned dtype;
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/* the array of the values; NULL: they are computed */
	const dpr_array *plain;
	bool is_last; /* the values are accumulated values of parts */
	const struct kernel_format *format; /* the format of the kernels */
};

/* How reduce_launch_run() reduces rows.  There are `count` rows of `length`
   elements, cut into `parts`.  A row has 2^team_bits work-items, which take
   `pack` elements together.  `is_exact` is set if any other way gives the same
   bits.  On a CPU, rows of a length are all reduced in the same way: pack and
   team_bits are 0. */
struct reduce_shape {
	int64_t count, length, parts;
	int pack, team_bits;
	bool is_exact;
};

/* Find the shape.  Returns false if rows are not reduced element by element in
   C order. */
bool reduce_launch_foresee(const struct reduce_values *values,
			   struct reduce_shape *out);

/* Whether kernels on @device can compute what they reduce, and rows in stages
   (stages.h). */
bool reduce_launch_computes(dpr_device *device);

/*
 * Compute @call, without waiting for it.  The first use of a kernel builds it.
 * DPR_ERROR_UNSUPPORTED: no kernel can reduce inputs of these layouts; for
 * example, the reduced axes do not follow each other.  Other errors are errors
 * of building and launching, and DPR_ERROR_OVERFLOW.
 */
dpr_status reduce_launch_run(const struct reduce_call *call);

/* Whether kernels can reduce inputs of these layouts. */
bool reduce_launch_reads(const struct reduce_call *call);

/*
 * The first pass of reduce_launch_run().  Makes *@partial, an array of the
 * accumulated values: for each part, the results in C order.  Sets *@parts to
 * the number of parts.  The call's array `out` is not written.  Fails as
 * reduce_launch_run() does.  DPR_ERROR_UNSUPPORTED also means that there would
 * be only one part, or results in another order.
 */
dpr_status reduce_launch_accumulate(const struct reduce_call *call,
				    dpr_array **partial, int64_t *parts);

#endif
