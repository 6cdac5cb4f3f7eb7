/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.h - the arguments of built-in functions in expressions.
 *
 * @i is the number of an argument.  If the argument is of the wrong kind, the
 * error names the function and the argument.
 */
#ifndef ARRAY_ARGUMENTS_H
#define ARRAY_ARGUMENTS_H

#include "core/array/expression/builtins.h"

/* Fail because argument @i is @what.  Returns the status. */
dpr_status arguments_fail(struct function_call *call, int i, const char *what);

/* Whether the call has argument @i. */
bool arguments_given(const struct function_call *call, int i);

/* Get argument @i as an array.  A number becomes a 0-d array. */
dpr_status arguments_array(struct function_call *call, int i, dpr_array **out);

/* Get argument @i, an array or a number. */
dpr_status arguments_operand(struct function_call *call, int i,
			     dpr_operand *out);

/* Get @value as an integer.  Returns false if @value is not an integer, or is
   above INT64_MAX. */
bool arguments_as_integer(const struct value *value, int64_t *out);

/* Get @value as a real number.  Returns false if @value is not a real number.
   */
bool arguments_as_double(const struct value *value, double *out);

/* Get argument @i, a real number. */
dpr_status arguments_double(struct function_call *call, int i, double *out);

/* Get argument @i, an integer. */
dpr_status arguments_integer(struct function_call *call, int i, int64_t *out);

/* Get argument @i, True or False.  A missing argument gives false. */
dpr_status arguments_bool(struct function_call *call, int i, bool *out);

/* Get argument @i as a dtype.  A missing argument, and None, give
   DPR_DTYPE_DEFAULT. */
dpr_status arguments_dtype(struct function_call *call, int i, dpr_dtype *out);

/* Get argument @i, an integer or a tuple of integers. */
dpr_status arguments_integers(struct function_call *call, int i,
			      int64_t out[DPR_MAX_RANK], int *count);

/* Get argument @i, an axis or a tuple of axes. */
dpr_status arguments_axes(struct function_call *call, int i,
			  int out[DPR_MAX_RANK], int *count);

/* Get argument @i, one axis. */
dpr_status arguments_axis(struct function_call *call, int i, int *out);

/* Mark the result as an array, unless @status is a failure.  Returns
   @status. */
dpr_status arguments_result(struct function_call *call, dpr_status status);

/* The axes of a reduction.  `list` is NULL for all axes, and otherwise points
   to `axes`. */
struct arguments_reduction {
	int axis[DPR_MAX_RANK];
	dpr_axes axes;
	const dpr_axes *list;
};

/* Get the axes of a reduction from argument 1.  All axes are reduced if the
   argument is missing or None. */
dpr_status arguments_reduced(struct function_call *call, bool keepdims,
			     struct arguments_reduction *to);

#endif
