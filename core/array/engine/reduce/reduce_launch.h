/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_launch.h - reduces axes of the values that a graph computes, in the
 * same kernel.
 *
 * A long axis is cut into parts, and a second kernel reduces the accumulated
 * values of the parts.  The layout of the values in memory decides where an
 * axis is cut, and in which order elements are combined.  Values that the graph
 * computes have no layout, and are treated as if they lay in C order.  So the
 * result has the same bits as if the values had been stored first.
 */
#ifndef ARRAY_REDUCE_LAUNCH_H
#define ARRAY_REDUCE_LAUNCH_H

#include "core/array/engine/call.h"
#include "core/array/engine/formats.h"

/* A description of values for reduce_launch_foresee(). */
struct reduce_values {
	enum reduction reduction;
	unsigned dtype;
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/* the array that has the values; NULL: the kernel computes them */
	const dpr_array *plain;
	/* set if the values are results of parts, and the last pass reduces
	   them */
	bool is_last;
	const struct kernel_format *format; /* the format of the kernels */
};

/* How reduce_launch_run() reduces rows.  There are `count` rows of `length`
   elements, and a row is cut into `parts`.  A team of 2^team_bits work-items
   reduces a part of a row; a work-item loads packs of `pack` elements.
   `is_exact` is set if every order of combining the elements gives the same
   bits.  On a CPU the length alone decides how a row is reduced, so pack and
   team_bits are 0. */
struct reduce_shape {
	int64_t count, length, parts;
	int pack, team_bits;
	bool is_exact;
};

/* Find how reduce_launch_run() would reduce @values.  Returns false if
   reduce_launch_run() would not combine the elements of each row in C order. */
bool reduce_launch_foresee(const struct reduce_values *values,
			   struct reduce_shape *out);

/* Whether a kernel on @device can compute the values that it reduces.  If so,
   kernels on @device can also reduce rows and go on with the results
   (stages.h). */
bool reduce_launch_computes(dpr_device *device);

/*
 * Compute @call, without waiting for it.  The first use of a kernel builds the
 * kernel.  DPR_ERROR_UNSUPPORTED: no kernel can reduce inputs of these layouts;
 * for example, the reduced axes do not follow each other.  Other errors are
 * errors of building and launching, and DPR_ERROR_OVERFLOW.
 */
dpr_status reduce_launch_run(const struct reduce_call *call);

/* Whether kernels can reduce inputs with the layouts of @call's inputs. */
bool reduce_launch_reads(const struct reduce_call *call);

/*
 * Run only the first pass of reduce_launch_run().  Makes *@partial, an array of
 * the accumulated values: for each part, the results in C order.  Sets *@parts
 * to the number of parts.  The call's array `out` is not written.  Fails as
 * reduce_launch_run() does.  DPR_ERROR_UNSUPPORTED also means that there would
 * be only one part, or that the results would be in another order.
 */
dpr_status reduce_launch_accumulate(const struct reduce_call *call,
				    dpr_array **partial, int64_t *parts);

#endif
