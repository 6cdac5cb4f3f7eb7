/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eager_call.h - a fast path for common elementwise calls.  The arrays must be
 * contiguous, and have one dtype and shape.  An earlier call must have put the
 * kernel into the cache (eager_cache.h).
 */
#ifndef ARRAY_EAGER_CALL_H
#define ARRAY_EAGER_CALL_H

#include <dpr/array.h>
#include <dpr/operand.h>

/*
 * Compute operation @op into a new array, or into an existing array.  Returns
 * false, with nothing done, if the call needs the regular path or has an error.
 * Otherwise sets *@status.  eager_call_run() sets *@out if *@status is DPR_OK.
 */
bool eager_call_run(int op, const dpr_operand *operands, dpr_array **out,
		    dpr_status *status);
bool eager_call_run_into(int op, const dpr_operand *operands, dpr_array *out,
			 dpr_status *status);

#endif
