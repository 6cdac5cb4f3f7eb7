/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.h - computing rows with reductions in between, in one launch or two.
 *
 * A graph with GRAPH_REDUCE goes over a shape whose last axes are reduced: what
 * these have is a row.  A step has an element for each of the row, or one for
 * the row.  Values are those of the functions called one after the other.  So
 * each reduction of a kernel goes over a row in the same order as alone.
 * Otherwise there is no such kernel.
 */
#ifndef ARRAY_STAGES_H
#define ARRAY_STAGES_H

#include "core/array/engine/call.h"

/*
 * Compute @call.  Does not wait for it, but builds the kernels if this is their
 * first use.  DPR_ERROR_UNSUPPORTED: it must be computed in another way.  Other
 * errors are those of building and launching.
 */
dpr_status stages_run(const struct stages_call *call);

#endif
