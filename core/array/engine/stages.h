/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.h - computes graphs that reduce rows and go on with the results, such
 * as softmax, in one launch or two.
 *
 * A graph with GRAPH_REDUCE goes over a shape whose last axes are reduced.  The
 * elements along these axes are a row.  A step has a value for each element of
 * the row, or one value for the row.  The values are the same as if each
 * function were called alone.  So a reduction in the kernel must combine the
 * elements of a row in the same order as the reduction function.  If no kernel
 * can do this, the call fails.
 */
#ifndef ARRAY_STAGES_H
#define ARRAY_STAGES_H

#include "core/array/engine/call.h"

/* Compute @call, without waiting for it.  The first use of a kernel builds the
   kernel.  DPR_ERROR_UNSUPPORTED: the caller must compute the call in another
   way.  Other errors are errors of building and launching. */
dpr_status stages_run(const struct stages_call *call);

#endif
