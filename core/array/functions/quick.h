/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quick.h - the common elementwise call, of which all is known: its arrays are
 * contiguous and have one dtype and shape, and such a call was made before.
 */
#ifndef ARRAY_QUICK_H
#define ARRAY_QUICK_H

#include <dpr/array.h>
#include <dpr/operand.h>

/*
 * Compute operation @op into a new array, or into an array that exists.
 * Returns false, with nothing done, for any other call and for each that is
 * wrong; else *@status is the result, and @out is set if it is DPR_OK.
 */
bool quick_run(int op, const dpr_operand *operands, dpr_array **out,
	       dpr_status *status);
bool quick_run_into(int op, const dpr_operand *operands, dpr_array *out,
		    dpr_status *status);

#endif
