/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.h - reducing axes of what a graph computes, in the same kernel.
 *
 * Long axes are cut into parts; a second kernel reduces what was accumulated of
 * these.  How elements are cut and combined follows from the layout of the
 * values: an array, or, where a graph computes anything, as if these had been
 * stored in C order.  So computing them first gives the same bits.
 */
#ifndef ARRAY_REDUCTION_H
#define ARRAY_REDUCTION_H

#include "core/array/engine/call.h"
#include "core/array/engine/formats.h"

/* Values that are reduced. */
struct reduction_values {
	enum reduction reduction;
	unsigned dtype;
	int rank;
	const int64_t *shape;
	const bool *reduced;
	const dpr_array *plain; /* the array that has them; NULL: computed */
	bool is_last;           /* they were accumulated of parts */
	const struct kernel_format *format; /* of the kernels */
};

/* How reduction_run() reduces rows: their number and length, the elements of a
   pack, the work-items of a row (1 << team_bits), and the parts of a row.
   is_exact: any other way gives the same bits.  On a CPU there is one way for
   rows of a length, pack and team_bits are 0. */
struct reduction_shape {
	int64_t count, length, parts;
	int pack, team_bits;
	bool is_exact;
};

/* Find the shape.  Returns false if rows are not reduced element by element in
   C order. */
bool reduction_foresee(const struct reduction_values *values,
		       struct reduction_shape *out);

/* Whether kernels on @device compute what they reduce, and rows in stages
   (stages.h). */
bool reduction_computes(dpr_device *device);

/*
 * Compute @call.  Does not wait for it, but builds the kernels if this is their
 * first use.  DPR_ERROR_UNSUPPORTED: no kernel can reduce inputs of these
 * layouts, such as one of which the reduced axes do not follow each other.
 * Other errors are those of building and launching, and DPR_ERROR_OVERFLOW.
 */
dpr_status reduction_run(const struct reduction_call *call);

/* Whether kernels can reduce inputs of these layouts. */
bool reduction_reads(const struct reduction_call *call);

/*
 * The same without the last pass: make an array of what is accumulated of the
 * parts: for each part the results in C order.  The call's array `out` is only
 * looked at.  Sets *@parts.  Fails as reduction_run() does, and with
 * DPR_ERROR_UNSUPPORTED if that would make only one part, or parts in another
 * order.
 */
dpr_status reduction_accumulate(const struct reduction_call *call,
				dpr_array **partial, int64_t *parts);

#endif
