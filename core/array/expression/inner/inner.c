/* SPDX-License-Identifier: Apache-2.0 */
/* inner.c - the functions that only the texts of kernels/derived.def and of
   kernels/composed.def call. */
#include "core/array/expression/inner/inner.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/inner/float_calls.h"
#include "core/array/expression/inner/inner_arguments.h"
#include "core/array/expression/inner/one_read.h"
#include "core/array/expression/inner/positions.h"
#include "core/array/expression/number.h"
#include "core/array/functions/reduce.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/broadcast.h"
#include "core/base/status.h"

/* --- Functions of one operand --------------------------------------------- */

static dpr_status run_dtype_of(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	return status ? status : inner_arguments_dtype(call, x->dtype);
}

static dpr_status run_work(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status;
	dpr_dtype dtype;

	status = inner_arguments_shape(call, 0, &x);
	if (status)
		return status;
	dtype = x->dtype;
	if (dtype_level(dtype) < 2)
		dtype = dpr_dtype_default(dpr_queue_device(call->queue), 'f');
	else if (dpr_dtype_size(dtype) == 2)
		dtype = DPR_FLOAT32;
	return inner_arguments_cast(call, x, dtype);
}

static dpr_status run_as_result(struct function_call *call)
{
	const dpr_array *value, *x;
	dpr_status status;

	if ((status = inner_arguments_shape(call, 0, &value)) ||
	    (status = inner_arguments_shape(call, 1, &x)))
		return status;
	return inner_arguments_cast(call, value,
				    dtype_level(x->dtype) == 2 ? x->dtype
							       : value->dtype);
}

/* The result is the smallest or the largest value of the dtype of argument 0.
 */
static dpr_status set_limit(struct function_call *call, bool largest)
{
	dpr_integer_limits limits;
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (status)
		return status;
	call->result.kind = VALUE_SCALAR;
	if (x->dtype == DPR_BOOL)
		call->result.scalar = dpr_operand_bool(largest);
	else if (dtype_level(x->dtype) != 1)
		call->result.scalar =
			dpr_operand_float(largest ? INFINITY : -INFINITY);
	else if (!(status = dpr_iinfo(x->dtype, &limits)))
		call->result.scalar = largest ? dpr_operand_uint(limits.max)
					      : dpr_operand_int(limits.min);
	return status;
}

static dpr_status run_largest(struct function_call *call)
{
	return set_limit(call, true);
}

static dpr_status run_smallest(struct function_call *call)
{
	return set_limit(call, false);
}

static dpr_status run_divisor(struct function_call *call)
{
	struct reduce_outcome outcome;
	const dpr_array *x;
	double n;
	dpr_status status = inner_arguments_reduced(call, &x, &outcome);

	if (status)
		return status;
	if (!arguments_as_double(&call->arguments[2], &n))
		return arguments_fail(call, 2, "not a real number");
	n = (double)outcome.length - n;
	call->result.kind = VALUE_SCALAR;
	call->result.scalar = dpr_operand_float(n > 0 || n != n ? n : 0);
	return DPR_OK;
}

static dpr_status run_places(struct function_call *call)
{
	struct reduce_outcome outcome;
	const dpr_array *x;
	dpr_status status = inner_arguments_reduced(call, &x, &outcome);

	if (status)
		return status;
	if (outcome.length == 0)
		return fail(DPR_ERROR_SHAPE,
			    "places: x has no elements along the axis, so none "
			    "has an index; give x an element there, or reduce "
			    "another axis");
	return positions_new(call->fusion, call->queue, call->place, x->rank,
			     array_shape(x), outcome.reduced, x->kind,
			     &call->result);
}

static dpr_status run_ordered(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status;

	status = inner_arguments_shape(call, 0, &x);
	if (status)
		return status;
	if (dtype_level(x->dtype) > 2)
		return fail(DPR_ERROR_DTYPE,
			    "ordered: x is %s, and complex numbers have no "
			    "order; give it abs(x) or real(x)",
			    dpr_dtype_name(x->dtype));
	return inner_arguments_cast(
		call, x, x->dtype == DPR_BOOL ? DPR_UINT8 : x->dtype);
}

static dpr_status run_floats(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (status)
		return status;
	call->result = (struct value){ .kind = VALUE_SCALAR,
				       .scalar = dpr_operand_int(0) };
	if (dtype_level(x->dtype) == 2)
		call->result = value_share(&call->arguments[0]);
	return DPR_OK;
}

/* The result is argument 1, a number that can become the dtype of argument 0
   (number_is_kind_of()). */
static dpr_status run_needed(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (status)
		return status;
	if (call->arguments[1].kind == VALUE_EMPTY)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "needed: a call with where needs initial, the "
			    "result where no element is chosen");
	if (call->arguments[1].kind != VALUE_SCALAR)
		return arguments_fail(call, 1, "not a number");
	if (!number_is_kind_of(call->arguments[1].scalar, x->dtype))
		return fail(DPR_ERROR_DTYPE,
			    "needed: initial is no %s, which the result is; "
			    "cast x to a dtype that has it",
			    dpr_dtype_name(x->dtype));
	call->result = call->arguments[1];
	return DPR_OK;
}

/* The result is argument 0, a real number. */
static dpr_status run_amount(struct function_call *call)
{
	double number;

	if (!arguments_as_double(&call->arguments[0], &number))
		return arguments_fail(call, 0, "not a real number");
	call->result = call->arguments[0];
	return DPR_OK;
}

/* The result is argument 0, a mask, broadcast to the shape of argument 1. */
static dpr_status run_inside(struct function_call *call)
{
	struct value *value = &call->arguments[0];
	struct fusion_node *node = value->node;
	const dpr_array *where, *x;
	dpr_operand any;
	dpr_status status;

	if (!value_operand(value, &any))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "inside: where is not an array of bool");
	if ((status = inner_arguments_shape(call, 0, &where)) ||
	    (status = inner_arguments_shape(call, 1, &x)))
		return status;
	if (where->dtype != DPR_BOOL)
		return fail(DPR_ERROR_DTYPE,
			    "inside: where is %s, not bool; write where=(m != "
			    "0)",
			    dpr_dtype_name(where->dtype));
	if (array_same_shape(where, x) && value->kind != VALUE_SCALAR) {
		call->result = value_share(value);
		return DPR_OK;
	}
	if (node) {
		status = fusion_make(call->fusion, &node, 1, NULL);
		*call->fault = call->place;
		where = node->made;
	}
	if (!status)
		status = dpr_broadcast_to(where,
					  dpr_shape_of(x->rank, array_shape(x)),
					  &call->result.array);
	if (status == DPR_ERROR_SHAPE)
		status_append("; where must broadcast to the shape of x");
	return arguments_result(call, status);
}

static dpr_status run_drop_axes(struct function_call *call)
{
	dpr_index index[DPR_MAX_RANK];
	struct reduce_outcome outcome;
	const dpr_array *x;
	bool keepdims;
	dpr_status status;

	if ((status = inner_arguments_reduced(call, &x, &outcome)) ||
	    (status = arguments_bool(call, 2, &keepdims)))
		return status;
	for (int d = 0; d < x->rank; d++)
		index[d] =
			outcome.reduced[d] && !keepdims ? DPR_AT(0) : DPR_ALL;
	return arguments_result(call, dpr_array_index(x, index, (size_t)x->rank,
						      &call->result.array));
}

/* --- Functions of two operands -------------------------------------------- */

/* Get the dtype to which arguments @i and @k are promoted.  At least one of
   them must be an array. */
static dpr_status find_common(struct function_call *call, int i, int k,
			      dpr_dtype *out)
{
	dpr_operand x[2];

	if (!value_operand(&call->arguments[i], &x[0]))
		return arguments_fail(call, i, "not an array or number");
	if (!value_operand(&call->arguments[k], &x[1]))
		return arguments_fail(call, k, "not an array or number");
	return dpr_result_type(x, 2, out);
}

/* The result is argument 0, in the dtype to which arguments 0 and 1 are
   promoted.  Pass @floats = true to get the default float instead of bool and
   integers.  A number stays a number, which takes the dtype of the array beside
   it. */
static dpr_status join_dtypes(struct function_call *call, bool floats)
{
	const dpr_array *x;
	dpr_dtype dtype;
	dpr_status status;

	if (call->arguments[0].kind == VALUE_SCALAR) {
		call->result = call->arguments[0];
		return DPR_OK;
	}
	if ((status = inner_arguments_shape(call, 0, &x)) ||
	    (status = find_common(call, 0, 1, &dtype)))
		return status;
	if (floats && dtype_level(dtype) < 2)
		dtype = dpr_dtype_default(dpr_queue_device(call->queue), 'f');
	else if (dtype_level(dtype) == 2 && dpr_dtype_size(dtype) == 2)
		dtype = DPR_FLOAT32;
	return inner_arguments_cast(call, x, dtype);
}

static dpr_status run_together(struct function_call *call)
{
	return join_dtypes(call, false);
}

static dpr_status run_beside(struct function_call *call)
{
	return join_dtypes(call, true);
}

static dpr_status run_as_both(struct function_call *call)
{
	const dpr_array *value;
	dpr_dtype dtype;
	dpr_status status;

	if ((status = inner_arguments_shape(call, 0, &value)) ||
	    (status = find_common(call, 1, 2, &dtype)))
		return status;
	if (dtype_level(dtype) < 2 && dtype_level(value->dtype) >= 2)
		dtype = value->dtype;
	return inner_arguments_cast(call, value, dtype);
}

static dpr_status run_as_dtype(struct function_call *call)
{
	const dpr_array *value;
	dpr_dtype dtype;
	dpr_status status;

	if ((status = inner_arguments_shape(call, 0, &value)) ||
	    (status = arguments_dtype(call, 1, &dtype)))
		return status;
	if (!dtype)
		dtype = dpr_dtype_default(dpr_queue_device(call->queue), 'f');
	return inner_arguments_cast(call, value, dtype);
}

/* The result is argument 0 as it is. */
static dpr_status share_argument(struct function_call *call)
{
	call->result = value_share(&call->arguments[0]);
	return DPR_OK;
}

/* Get the only axis that argument @i names. */
static dpr_status get_one_axis(struct function_call *call, int i, int *out)
{
	const struct value *value = &call->arguments[i];
	int64_t axis;

	if (value->kind == VALUE_AXES && value->axes->count == 1) {
		*out = value->axes->axis[0];
		return DPR_OK;
	}
	if (value->kind != VALUE_SCALAR)
		return arguments_fail(call, i, "not one integer");
	if (arguments_integer(call, i, &axis))
		return DPR_ERROR_INVALID_ARGUMENT;
	/* No array has the axis INT_MIN. */
	*out = axis < INT_MIN || axis > INT_MAX ? INT_MIN : (int)axis;
	return DPR_OK;
}

/* Find the axis of arguments 0 and 1 that argument 2 names: axis at[i] of
   x[i]. */
static dpr_status find_pair(struct function_call *call, const dpr_array *x[2],
			    int at[2])
{
	dpr_status status;
	int axis = 0;

	for (int i = 0; i < 2; i++) {
		status = inner_arguments_shape(call, i, &x[i]);
		if (status)
			return status;
	}
	status = get_one_axis(call, 2, &axis);
	if (status)
		return status;
	if (axis >= 0 && x[0]->rank != x[1]->rank)
		return fail(DPR_ERROR_INDEX,
			    "paired: x1 has %d axes and x2 has %d; count axis "
			    "%d from the end, as a negative number",
			    x[0]->rank, x[1]->rank, axis);
	for (int i = 0; i < 2; i++) {
		at[i] = axis < 0 ? axis + x[i]->rank : axis;
		if (at[i] < 0 || at[i] >= x[i]->rank)
			return fail(DPR_ERROR_INDEX,
				    "paired: there is no axis %d in x%d, an "
				    "array of %d axes",
				    axis, i + 1, x[i]->rank);
	}
	return DPR_OK;
}

static dpr_status run_paired(struct function_call *call)
{
	const dpr_array *x[2];
	int at[2];
	dpr_status status = find_pair(call, x, at);

	if (status)
		return status;
	if (x[0]->dim[at[0]] != x[1]->dim[at[1]])
		return fail(DPR_ERROR_SHAPE,
			    "paired: the axis has the extent %lld in x1 and "
			    "%lld in x2",
			    (long long)x[0]->dim[at[0]],
			    (long long)x[1]->dim[at[1]]);
	return share_argument(call);
}

static dpr_status run_positions(struct function_call *call)
{
	bool counted[DPR_MAX_RANK] = { false };
	int64_t dim[DPR_MAX_RANK];
	const dpr_array *x[2];
	int at[2], rank;
	dpr_status status = find_pair(call, x, at);

	if (status)
		return status;
	for (int i = 0; i < 2; i++)
		if (x[i]->dim[at[i]] != 3)
			return fail(DPR_ERROR_SHAPE,
				    "positions: the axis has the extent %lld "
				    "in x%d, but vectors have 3 elements",
				    (long long)x[i]->dim[at[i]], i + 1);
	status = broadcast_shapes("positions", x, 2, &rank, dim);
	if (status)
		return status;
	counted[at[0] + rank - x[0]->rank] = true;
	return positions_new(call->fusion, call->queue, call->place, rank, dim,
			     counted, array_result_kind(x, 2), &call->result);
}

static dpr_status run_component(struct function_call *call)
{
	struct layout layout;
	dpr_array *x;
	int64_t k;
	int axis, at;
	dpr_status status;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_one_axis(call, 1, &axis)) ||
	    (status = arguments_integer(call, 2, &k)) ||
	    (status = array_axis("component", x, axis, &at)))
		return status;
	array_layout(x, &layout);
	layout.offset += k * layout.stride[at];
	layout.dim[at] = 1;
	return arguments_result(call,
				array_view(x, &layout, &call->result.array));
}

static dpr_status run_lines(struct function_call *call)
{
	for (int i = 0; i < 2; i++) {
		const dpr_array *x;
		dpr_status status = inner_arguments_shape(call, i, &x);

		if (status)
			return status;
		if (x->rank != 1)
			return fail(DPR_ERROR_SHAPE,
				    "lines: x%d has %d axes, not one; "
				    "dpr_reshape() gives it one",
				    i + 1, x->rank);
	}
	return share_argument(call);
}

/* The result is argument 0.  If there is nothing to reduce, the result is an
   array of zeros that has the extent 1 along the reduced axes. */
static dpr_status run_nonempty(struct function_call *call)
{
	struct reduce_outcome outcome;
	int64_t dim[DPR_MAX_RANK];
	const dpr_array *x;
	dpr_status status = inner_arguments_reduced(call, &x, &outcome);

	if (status)
		return status;
	if (outcome.length)
		return share_argument(call);
	for (int d = 0; d < x->rank; d++)
		dim[d] = outcome.reduced[d] ? 1 : x->dim[d];
	return arguments_result(
		call, dpr_zeros_on(dpr_shape_of(x->rank, dim), x->dtype,
				   call->queue, x->kind, &call->result.array));
}

static dpr_status run_power(struct function_call *call)
{
	double ord;

	if (!arguments_as_double(&call->arguments[0], &ord))
		return arguments_fail(call, 0, "not a real number");
	if (!ord || !isfinite(ord))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "power: ord is %g; it is a finite number other "
			    "than 0, or written as 0, inf or -inf",
			    ord);
	return share_argument(call);
}

static dpr_status run_spread(struct function_call *call)
{
	struct reduce_outcome outcome;
	struct layout from, to;
	const dpr_array *x;
	dpr_array *w;
	int axis = 0;
	dpr_status status = inner_arguments_reduced(call, &x, &outcome);

	if (status)
		return status;
	status = arguments_array(call, 2, &w);
	if (status)
		return status;
	array_layout(w, &from);
	array_layout(x, &to);
	to.offset = from.offset;
	/* Weights of one axis may go along the only axis that is reduced. */
	while (axis < x->rank && !outcome.reduced[axis])
		axis++;
	if (w->rank == 1 && x->rank > 1 && outcome.rank == x->rank - 1 &&
	    w->dim[0] == x->dim[axis]) {
		for (int d = 0; d < x->rank; d++)
			to.stride[d] = d == axis ? from.stride[0] : 0;
	} else if (!layout_expand(&from, to.rank, to.dim, to.stride) ||
		   (w->rank && !array_same_shape(w, x))) {
		return fail(DPR_ERROR_SHAPE,
			    "spread: the weights have neither the shape of x "
			    "nor the extent of its one reduced axis");
	}
	return arguments_result(call, array_view(w, &to, &call->result.array));
}

static dpr_status run_classes(struct function_call *call)
{
	const dpr_array *indices;
	int64_t n;
	dpr_status status;

	if ((status = inner_arguments_shape(call, 0, &indices)) ||
	    (status = arguments_integer(call, 1, &n)))
		return status;
	if (dtype_level(indices->dtype) != 1)
		return fail(DPR_ERROR_DTYPE,
			    "classes: the indices are %s but must be integers",
			    dpr_dtype_name(indices->dtype));
	if (n < 0)
		return arguments_fail(call, 1, "negative");
	return arguments_result(call, dpr_arange_on(0, n, 1, DPR_INT64,
						    call->queue, indices->kind,
						    &call->result.array));
}

static const struct function parts[] = {
	INNER_FUNCTION(amount, 1, ALL, "correction"),
	INNER_FUNCTION(as_both, 3, SHAPES, "value", "x", "other"),
	INNER_FUNCTION(as_dtype, 2, SHAPES, "value", "dtype"),
	INNER_FUNCTION(as_result, 2, SHAPES, "value", "x"),
	INNER_FUNCTION(beside, 2, SHAPES, "x", "other"),
	INNER_FUNCTION(classes, 2, SHAPES, "indices", "num_classes"),
	INNER_FUNCTION(component, 3, ALL, "x", "axis", "k"),
	INNER_FUNCTION(divisor, 3, SHAPES, "x", "axis", "correction"),
	INNER_FUNCTION(drop_axes, 3, ALL, "x", "axis", "keepdims"),
	INNER_FUNCTION(dtype_of, 1, SHAPES, "x"),
	INNER_FUNCTION(floats, 1, SHAPES, "x"),
	INNER_FUNCTION(inside, 2, SHAPES, "mask", "x"),
	INNER_FUNCTION(largest, 1, SHAPES, "x"),
	INNER_FUNCTION(lines, 2, SHAPES, "x1", "x2"),
	{ .signature = { .name = "needed",
			 .required = 1,
			 .positional = 2,
			 .n = 2,
			 .parameters = INNER_LIST("x", "initial") },
	  .run = run_needed,
	  .deferred = INNER_NEEDS_SHAPES },
	INNER_FUNCTION(nonempty, 2, SHAPES, "x", "axis"),
	INNER_FUNCTION(ordered, 1, SHAPES, "x"),
	INNER_FUNCTION(paired, 3, SHAPES, "x1", "x2", "axis"),
	INNER_FUNCTION(places, 2, SHAPES, "x", "axis"),
	INNER_FUNCTION(positions, 3, SHAPES, "x1", "x2", "axis"),
	INNER_FUNCTION(power, 1, ALL, "ord"),
	INNER_FUNCTION(smallest, 1, SHAPES, "x"),
	INNER_FUNCTION(spread, 3, REST, "x", "axis", "weights"),
	INNER_FUNCTION(together, 2, SHAPES, "x", "other"),
	INNER_FUNCTION(work, 1, SHAPES, "x"),
};

static const struct function *find_in(const struct function *list, size_t n,
				      const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (builtins_is(&list[i], name, length))
			return &list[i];
	return NULL;
}

const struct function *inner_find(const char *name, size_t length)
{
	const struct function *found =
		find_in(parts, sizeof(parts) / sizeof(parts[0]), name, length);

	if (!found)
		found = find_in(float_calls_parts, float_calls_count, name,
				length);
	if (!found)
		found = find_in(one_read_parts, one_read_count, name, length);
	return found;
}

bool inner_is(const struct function *function)
{
	return inner_find(function->signature.name,
			  strlen(function->signature.name)) == function;
}
