/* SPDX-License-Identifier: Apache-2.0 */
/* bits_step.h - steps that take the bits of a value as another dtype. */
#ifndef TESTS_BITS_STEP_H
#define TESTS_BITS_STEP_H

#include <stdbool.h>

#include <dpr/dtype.h>

#include "core/array/engine/graph.h"
#include "tests/support/random.h"

/* Whether bits can be taken from dtype @from as dtype @to. */
static inline bool bits_step_is(unsigned from, unsigned to)
{
	return from > DPR_BOOL && from < DPR_COMPLEX64 && to > DPR_BOOL &&
	       to < DPR_COMPLEX64 && from != to &&
	       dpr_dtype_size((dpr_dtype)from) == dpr_dtype_size((dpr_dtype)to);
}

/* A random dtype for the bits of dtype @from, or 0. */
static inline unsigned bits_step_any(struct random *r, unsigned from)
{
	const unsigned first = (unsigned)random_between(r, 0, DPR_COMPLEX64);

	for (unsigned i = 0; i <= DPR_COMPLEX64; i++) {
		const unsigned to = (first + i) % (DPR_COMPLEX64 + 1);

		if (bits_step_is(from, to))
			return to;
	}
	return 0;
}

/* Whether every device computes the same bits of step @i.  The bits of a NaN
   depend on the device if an operation or a cast makes the NaN.  So do the bits
   of a NaN scalar, because scalars are converted. */
static inline bool bits_step_is_exact(const struct graph *graph, int i)
{
	const struct graph_step *step = &graph->step[i];

	return step->dtype < DPR_FLOAT16 || graph_is_input(step) ||
	       step->kind == GRAPH_BITS;
}

#endif
