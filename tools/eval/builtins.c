/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.c - the functions of an expression that are not elementwise. */
#include "tools/eval/builtins.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/reduce.h>

/* --- Arguments ----------------------------------------------------------- */

static bool fail_argument(struct call *call, int i, const char *what)
{
	return message_set_at(call->message, call->columns[i], "%s: %s is %s",
			      call->function->name,
			      call->function->parameters[i], what);
}

static bool fail_last(struct call *call)
{
	return message_set_at(call->message, call->column, "%s",
			      dpr_last_error());
}

static bool is_given(const struct call *call, int i)
{
	return call->arguments[i].kind != VALUE_EMPTY;
}

static bool get_array(struct call *call, int i, dpr_array **out)
{
	struct value *value = &call->arguments[i];

	if (value->kind != VALUE_ARRAY && value->kind != VALUE_SCALAR)
		return fail_argument(call, i, "not an array");
	if (!value_to_array(value, call->queue, call->message)) {
		call->message->column = call->columns[i];
		return false;
	}
	*out = value->array;
	return true;
}

static bool get_operand(struct call *call, int i, dpr_operand *out)
{
	struct value *value = &call->arguments[i];

	if (value->kind == VALUE_ARRAY)
		*out = dpr_operand_array(value->array);
	else if (value->kind == VALUE_SCALAR)
		*out = value->scalar;
	else
		return fail_argument(call, i, "not an array or number");
	return true;
}

static bool scalar_as_int64(const struct value *value, int64_t *out)
{
	if (value->kind != VALUE_SCALAR ||
	    value->scalar.kind != DPR_OPERAND_INT)
		return false;
	*out = value->scalar.as.i;
	return true;
}

static bool get_integer(struct call *call, int i, int64_t *out)
{
	return scalar_as_int64(&call->arguments[i], out) ||
	       fail_argument(call, i, "not an integer");
}

static bool get_bool(struct call *call, int i, bool *out)
{
	const struct value *value = &call->arguments[i];

	*out = false;
	if (value->kind == VALUE_EMPTY)
		return true;
	if (value->kind != VALUE_SCALAR ||
	    value->scalar.kind != DPR_OPERAND_BOOL)
		return fail_argument(call, i, "neither True nor False");
	*out = value->scalar.as.u != 0;
	return true;
}

/* DPR_DTYPE_DEFAULT when it was left out. */
static bool get_dtype(struct call *call, int i, dpr_dtype *out)
{
	const struct value *value = &call->arguments[i];

	*out = DPR_DTYPE_DEFAULT;
	if (value->kind == VALUE_EMPTY || value->kind == VALUE_NONE)
		return true;
	if (value->kind != VALUE_DTYPE)
		return fail_argument(call, i, "not a dtype, as float32 is");
	*out = value->dtype;
	return true;
}

/* An integer or a tuple of integers. */
static bool get_integers(struct call *call, int i, int64_t out[DPR_MAX_RANK],
			 int *count)
{
	const struct value *value = &call->arguments[i];
	size_t n;

	*count = 1;
	if (scalar_as_int64(value, &out[0]))
		return true;
	if (value->kind != VALUE_TUPLE)
		return fail_argument(call, i,
				     "neither an integer nor a tuple of them");
	if (value->count > DPR_MAX_RANK)
		return fail_argument(call, i, "longer than 32 axes");
	for (n = 0; n < value->count; n++)
		if (!scalar_as_int64(&value->items[n], &out[n]))
			return fail_argument(call, i,
					     "not a tuple of integers");
	*count = (int)value->count;
	return true;
}

static bool get_axes(struct call *call, int i, int out[DPR_MAX_RANK],
		     int *count)
{
	int64_t axes[DPR_MAX_RANK];
	int n;

	if (!get_integers(call, i, axes, count))
		return false;
	for (n = 0; n < *count; n++) {
		if (axes[n] < INT_MIN || axes[n] > INT_MAX)
			return fail_argument(call, i, "out of range");
		out[n] = (int)axes[n];
	}
	return true;
}

static bool get_axis(struct call *call, int i, int *out)
{
	int axes[DPR_MAX_RANK], count;

	if (!get_axes(call, i, axes, &count))
		return false;
	if (count != 1)
		return fail_argument(call, i, "not one integer");
	*out = axes[0];
	return true;
}

/* What a library call gave is the result. */
static bool set_result(struct call *call, dpr_status status)
{
	if (status)
		return fail_last(call);
	call->result.kind = VALUE_ARRAY;
	return true;
}

/* --- Reductions ---------------------------------------------------------- */

typedef dpr_status (*reduction)(const dpr_array *, const dpr_axes *,
				dpr_array **);

/* A number reduced stays a number. */
static bool unwrap_scalar(struct call *call)
{
	dpr_status status =
		dpr_array_item(call->result.array, &call->result.scalar);

	dpr_array_release(call->result.array);
	call->result.array = NULL;
	call->result.kind = VALUE_SCALAR;
	return status ? fail_last(call) : true;
}

static bool run_reduction(struct call *call, reduction function,
			  dpr_dtype dtype)
{
	bool scalar = call->arguments[0].kind == VALUE_SCALAR;
	int axis[DPR_MAX_RANK], count = 0;
	dpr_axes axes = { 0, 0, NULL };
	const dpr_axes *list = NULL;
	dpr_status status;
	bool keepdims;
	dpr_array *x;

	if (!get_array(call, 0, &x) || !get_bool(call, 2, &keepdims))
		return false;
	axes.keepdims = keepdims;
	if (is_given(call, 1) && call->arguments[1].kind != VALUE_NONE) {
		if (!get_axes(call, 1, axis, &count))
			return false;
		axes.count = count;
		axes.axis = axis;
		list = &axes;
	} else if (keepdims) {
		list = &axes;
	}
	status = dtype ? dpr_sum_as(x, list, dtype, &call->result.array)
		       : function(x, list, &call->result.array);
	return set_result(call, status) && (!scalar || unwrap_scalar(call));
}

static bool run_sum(struct call *call)
{
	dpr_dtype dtype;

	return get_dtype(call, 3, &dtype) &&
	       run_reduction(call, dpr_sum, dtype);
}

#define REDUCTION(name)                                                    \
	static bool run_##name(struct call *call)                          \
	{                                                                  \
		return run_reduction(call, dpr_##name, DPR_DTYPE_DEFAULT); \
	}
REDUCTION(mean)
REDUCTION(max)
REDUCTION(min)
REDUCTION(any)
REDUCTION(all)

/* --- Conversion and choice ----------------------------------------------- */

static bool run_astype(struct call *call)
{
	dpr_dtype dtype;
	dpr_array *x;

	if (!get_array(call, 0, &x) || !get_dtype(call, 1, &dtype))
		return false;
	if (!dtype)
		return fail_argument(call, 1, "not a dtype, as float32 is");
	return set_result(call, dpr_astype(x, dtype, &call->result.array));
}

static bool run_where(struct call *call)
{
	dpr_operand x1, x2;
	dpr_array *condition;

	if (!get_array(call, 0, &condition) || !get_operand(call, 1, &x1) ||
	    !get_operand(call, 2, &x2))
		return false;
	return set_result(call,
			  dpr_where(condition, x1, x2, &call->result.array));
}

static bool run_concat(struct call *call)
{
	struct value *list = &call->arguments[0];
	const dpr_array **arrays;
	int axis = 0;
	size_t i;
	bool ok;

	if (list->kind != VALUE_TUPLE || !list->count)
		return fail_argument(call, 0,
				     "not a tuple of arrays, as (x, y) "
				     "is");
	for (i = 0; i < list->count; i++)
		if (list->items[i].kind != VALUE_ARRAY)
			return fail_argument(call, 0, "not a tuple of arrays");
	if (is_given(call, 1) && !get_axis(call, 1, &axis))
		return false;
	arrays = calloc(list->count, sizeof(*arrays));
	if (!arrays)
		return message_set(call->message, "out of memory");
	for (i = 0; i < list->count; i++)
		arrays[i] = list->items[i].array;
	ok = set_result(call, dpr_concat(arrays, list->count, axis,
					 &call->result.array));
	free(arrays);
	return ok;
}

/* --- Shapes -------------------------------------------------------------- */

static bool run_reshape(struct call *call)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_array *x;
	int rank;

	if (!get_array(call, 0, &x) || !get_integers(call, 1, shape, &rank))
		return false;
	return set_result(call, dpr_reshape(x, dpr_shape_of(rank, shape),
					    &call->result.array));
}

static bool run_broadcast_to(struct call *call)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_array *x;
	int rank;

	if (!get_array(call, 0, &x) || !get_integers(call, 1, shape, &rank))
		return false;
	return set_result(call, dpr_broadcast_to(x, dpr_shape_of(rank, shape),
						 &call->result.array));
}

static bool run_permute_dims(struct call *call)
{
	int axes[DPR_MAX_RANK], count;
	dpr_array *x;

	if (!get_array(call, 0, &x) || !get_axes(call, 1, axes, &count))
		return false;
	if (count != dpr_array_rank(x))
		return fail_argument(call, 1, "not one axis for each of x");
	return set_result(call, dpr_permute_dims(x, axes, &call->result.array));
}

static bool run_matrix_transpose(struct call *call)
{
	dpr_array *x;

	return get_array(call, 0, &x) &&
	       set_result(call, dpr_matrix_transpose(x, &call->result.array));
}

static bool run_expand_dims(struct call *call)
{
	dpr_array *x;
	int axis;

	return get_array(call, 0, &x) && get_axis(call, 1, &axis) &&
	       set_result(call, dpr_expand_dims(x, axis, &call->result.array));
}

static bool run_squeeze(struct call *call)
{
	dpr_array *x;
	int axis;

	return get_array(call, 0, &x) && get_axis(call, 1, &axis) &&
	       set_result(call, dpr_squeeze(x, axis, &call->result.array));
}

/* --- Creation ------------------------------------------------------------ */

static bool run_zeros(struct call *call)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_dtype dtype;
	int rank;

	return get_integers(call, 0, shape, &rank) &&
	       get_dtype(call, 1, &dtype) &&
	       set_result(call, dpr_zeros(dpr_shape_of(rank, shape), dtype,
					  call->queue, &call->result.array));
}

static bool run_ones(struct call *call)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_dtype dtype;
	int rank;

	return get_integers(call, 0, shape, &rank) &&
	       get_dtype(call, 1, &dtype) &&
	       set_result(call, dpr_ones(dpr_shape_of(rank, shape), dtype,
					 call->queue, &call->result.array));
}

static bool run_full(struct call *call)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_operand value;
	dpr_dtype dtype;
	int rank;

	if (!get_integers(call, 0, shape, &rank) ||
	    !get_operand(call, 1, &value) || !get_dtype(call, 2, &dtype))
		return false;
	if (value.kind == DPR_OPERAND_ARRAY)
		return fail_argument(call, 1, "not a number");
	return set_result(call,
			  dpr_full(dpr_shape_of(rank, shape), value, dtype,
				   call->queue, &call->result.array));
}

static bool run_arange(struct call *call)
{
	dpr_operand part[3] = { dpr_operand_int(0), dpr_operand_int(0),
				dpr_operand_int(1) };
	/* Without a second number the first one is where to stop. */
	const bool one =
		!is_given(call, 1) || call->arguments[1].kind == VALUE_NONE;
	dpr_dtype dtype;

	if (!get_operand(call, 0, &part[one ? 1 : 0]) ||
	    (!one && !get_operand(call, 1, &part[1])) ||
	    (is_given(call, 2) && !get_operand(call, 2, &part[2])) ||
	    !get_dtype(call, 3, &dtype))
		return false;
	return set_result(call, dpr_arange(part[0], part[1], part[2], dtype,
					   call->queue, &call->result.array));
}

static bool get_double(struct call *call, int i, double *out)
{
	const struct value *value = &call->arguments[i];

	if (value->kind == VALUE_SCALAR)
		switch (value->scalar.kind) {
		case DPR_OPERAND_INT:
			*out = (double)value->scalar.as.i;
			return true;
		case DPR_OPERAND_UINT:
			*out = (double)value->scalar.as.u;
			return true;
		case DPR_OPERAND_FLOAT: *out = value->scalar.as.f; return true;
		}
	return fail_argument(call, i, "not a real number");
}

static bool run_linspace(struct call *call)
{
	double start, stop;
	dpr_dtype dtype;
	int64_t count;

	return get_double(call, 0, &start) && get_double(call, 1, &stop) &&
	       get_integer(call, 2, &count) && get_dtype(call, 3, &dtype) &&
	       set_result(call, dpr_linspace(start, stop, count, dtype,
					     call->queue, &call->result.array));
}

static bool run_eye(struct call *call)
{
	int64_t rows, columns, k = 0;
	dpr_dtype dtype;

	if (!get_integer(call, 0, &rows))
		return false;
	columns = rows;
	if (is_given(call, 1) && !get_integer(call, 1, &columns))
		return false;
	if (is_given(call, 2) && !get_integer(call, 2, &k))
		return false;
	return get_dtype(call, 3, &dtype) &&
	       set_result(call, dpr_eye(rows, columns, k, dtype, call->queue,
					&call->result.array));
}

/* --- The table ----------------------------------------------------------- */

#define REDUCES(name)                                                        \
	{                                                                    \
#name, 1, 2,                                                 \
			{ "x", "axis", "keepdims" }, run_##name, NULL, NULL, \
			  NULL                                               \
	}

/* clang-format off */
#define FUNCTION(name, required, positional, ...) \
	{ #name, required, positional, { __VA_ARGS__ }, run_##name, \
	  NULL, NULL, NULL }

const struct function builtins_list[] = {
	REDUCES(all),
	REDUCES(any),
	FUNCTION(arange, 1, 3, "start", "stop", "step", "dtype"),
	FUNCTION(astype, 2, 2, "x", "dtype"),
	FUNCTION(broadcast_to, 2, 2, "x", "shape"),
	FUNCTION(concat, 1, 1, "arrays", "axis"),
	FUNCTION(expand_dims, 2, 2, "x", "axis"),
	FUNCTION(eye, 1, 2, "n_rows", "n_cols", "k", "dtype"),
	FUNCTION(full, 2, 2, "shape", "fill_value", "dtype"),
	FUNCTION(linspace, 3, 3, "start", "stop", "num", "dtype"),
	FUNCTION(matrix_transpose, 1, 1, "x"),
	REDUCES(max),
	REDUCES(mean),
	REDUCES(min),
	FUNCTION(ones, 1, 1, "shape", "dtype"),
	FUNCTION(permute_dims, 2, 2, "x", "axes"),
	FUNCTION(reshape, 2, 2, "x", "shape"),
	FUNCTION(squeeze, 2, 2, "x", "axis"),
	FUNCTION(sum, 1, 2, "x", "axis", "keepdims", "dtype"),
	FUNCTION(where, 3, 3, "condition", "x1", "x2"),
	FUNCTION(zeros, 1, 1, "shape", "dtype"),
};
/* clang-format on */

const size_t builtins_count = sizeof(builtins_list) / sizeof(builtins_list[0]);
