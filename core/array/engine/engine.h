/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h - computing a graph over the elements of arrays, in one launch. */
#ifndef ARRAY_ENGINE_H
#define ARRAY_ENGINE_H

#include "core/array/engine/graph.h"
#include "core/array/object/array.h"

/* The bytes of a scalar, in the type in which its dtype is computed. */
struct engine_scalar {
	_Alignas(16) unsigned char bytes[16];
};

/*
 * A graph and its operands, in the order of their numbers.  All arrays are on
 * one queue.  The results have one shape, to which the inputs are broadcast.
 * An input either has the layout of each result that it shares memory with, or
 * shares none.  That of a GRAPH_INDEX is an array without an allocation, whose
 * offset and strides make the values.
 */
struct engine_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	dpr_array *const *results;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* Elements of the whole results, of which this call computes a part; 0:
	   it computes them all.  `rest`: an earlier call has computed a part.
	 */
	int64_t whole;
	bool rest;
};

/* Whether a kernel can cast its operands and results beside its operation. */
bool engine_casts(dpr_device *device);

/* The name of the format in which kernels are made for @device, lent; NULL:
   there is none, and engine_run() computes nothing. */
const char *engine_format(dpr_device *device);

/*
 * Compute @call.  Does not wait for it, but builds the kernel if this is its
 * first use.  DPR_ERROR_UNSUPPORTED: the device takes none of the formats, or
 * its format cannot express the graph, or the kernel's file is missing.  Other
 * errors are those of building (DPR_ERROR_BUILD) and launching.  If nothing was
 * launched, the results are as they were.
 */
dpr_status engine_run(const struct engine_call *call);

#endif
