/* SPDX-License-Identifier: Apache-2.0 */
/* shape_calls.c - the functions of shapes in expressions. */
#include "core/array/expression/calls/shape_calls.h"

#include <dpr/creation.h>
#include <dpr/shapes.h>

#include "core/array/expression/calls/arguments.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* Whether argument @i is missing or None. */
static bool is_none(const struct function_call *call, int i)
{
	return !arguments_given(call, i) ||
	       call->arguments[i].kind == VALUE_NONE;
}

/* Axes of an argument.  `list` is NULL if the argument is missing or None, and
   otherwise points to `axes`. */
struct some_axes {
	int axis[DPR_MAX_RANK];
	dpr_axes axes;
	const dpr_axes *list;
};

/* Get argument @i as axes.  If the argument is missing or None, out->list is
   NULL. */
static dpr_status get_some_axes(struct function_call *call, int i,
				struct some_axes *out)
{
	int count;
	dpr_status status;

	out->list = NULL;
	if (is_none(call, i))
		return DPR_OK;
	status = arguments_axes(call, i, out->axis, &count);
	out->axes = (dpr_axes){ .count = count, .axis = out->axis };
	out->list = &out->axes;
	return status;
}

/* Get argument @i as an integer.  If the argument is missing, *@out is @usual.
   */
static dpr_status get_integer(struct function_call *call, int i, int64_t usual,
			      int64_t *out)
{
	*out = usual;
	return arguments_given(call, i) ? arguments_integer(call, i, out)
					: DPR_OK;
}

/* --- Joining ------------------------------------------------------------- */

typedef dpr_status (*joining)(const dpr_array *const *, size_t, int,
			      dpr_array **);

/* Join the arrays of argument 0 along the axis that is argument 1.  Pass @flat
   = true if the axis may be None. */
static dpr_status join(struct function_call *call, joining function, bool flat)
{
	const struct value *list = &call->arguments[0];
	const dpr_array **arrays;
	dpr_status status;
	int axis = 0;

	if (list->kind != VALUE_TUPLE || !list->count)
		return arguments_fail(call, 0,
				      "not a tuple of arrays such as (x, y)");
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind != VALUE_ARRAY)
			return arguments_fail(call, 0, "not a tuple of arrays");
	if (flat && call->arguments[1].kind == VALUE_NONE)
		axis = DPR_AXIS_NONE;
	else if (arguments_given(call, 1) &&
		 (status = arguments_axis(call, 1, &axis)))
		return status;
	arrays = mem_array(list->count, sizeof(*arrays));
	if (!arrays)
		return fail_memory(call->function->signature.name);
	for (size_t i = 0; i < list->count; i++)
		arrays[i] = list->items[i].array;
	status = function(arrays, list->count, axis, &call->result.array);
	mem_free(arrays);
	return arguments_result(call, status);
}

dpr_status shape_calls_concat(struct function_call *call)
{
	return join(call, dpr_concat, true);
}

dpr_status shape_calls_stack(struct function_call *call)
{
	return join(call, dpr_stack, false);
}

/* --- Shapes -------------------------------------------------------------- */

typedef dpr_status (*shaping)(const dpr_array *, dpr_shape, dpr_array **);

static dpr_status give_shape(struct function_call *call, shaping function)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_status status;
	dpr_array *x;
	int rank;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_integers(call, 1, shape, &rank)))
		return status;
	return arguments_result(call, function(x, dpr_shape_of(rank, shape),
					       &call->result.array));
}

dpr_status shape_calls_reshape(struct function_call *call)
{
	return give_shape(call, dpr_reshape);
}

dpr_status shape_calls_broadcast_to(struct function_call *call)
{
	return give_shape(call, dpr_broadcast_to);
}

dpr_status shape_calls_tile(struct function_call *call)
{
	return give_shape(call, dpr_tile);
}

typedef dpr_status (*plain_view)(const dpr_array *, dpr_array **);

static dpr_status view_plainly(struct function_call *call, plain_view function)
{
	dpr_array *x;
	dpr_status status = arguments_array(call, 0, &x);

	if (status)
		return status;
	return arguments_result(call, function(x, &call->result.array));
}

dpr_status shape_calls_matrix_transpose(struct function_call *call)
{
	return view_plainly(call, dpr_matrix_transpose);
}

dpr_status shape_calls_atleast_1d(struct function_call *call)
{
	return view_plainly(call, dpr_atleast_1d);
}

dpr_status shape_calls_atleast_2d(struct function_call *call)
{
	return view_plainly(call, dpr_atleast_2d);
}

dpr_status shape_calls_atleast_3d(struct function_call *call)
{
	return view_plainly(call, dpr_atleast_3d);
}

/* --- Axes ---------------------------------------------------------------- */

dpr_status shape_calls_permute_dims(struct function_call *call)
{
	int axes[DPR_MAX_RANK], count;
	dpr_status status;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_axes(call, 1, axes, &count)))
		return status;
	if (count != dpr_array_rank(x))
		return arguments_fail(call, 1,
				      "not one axis for each axis of "
				      "x");
	return arguments_result(call,
				dpr_permute_dims(x, axes, &call->result.array));
}

dpr_status shape_calls_expand_dims(struct function_call *call)
{
	dpr_status status;
	dpr_array *x;
	int axis;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_axis(call, 1, &axis)))
		return status;
	return arguments_result(call,
				dpr_expand_dims(x, axis, &call->result.array));
}

dpr_status shape_calls_squeeze(struct function_call *call)
{
	struct some_axes axes;
	dpr_status status;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_some_axes(call, 1, &axes)))
		return status;
	return arguments_result(call,
				dpr_squeeze(x, axes.list, &call->result.array));
}

dpr_status shape_calls_moveaxis(struct function_call *call)
{
	struct some_axes source, destination;
	dpr_status status;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_some_axes(call, 1, &source)) ||
	    (status = get_some_axes(call, 2, &destination)))
		return status;
	return arguments_result(call,
				dpr_moveaxis(x, source.list, destination.list,
					     &call->result.array));
}

dpr_status shape_calls_swapaxes(struct function_call *call)
{
	int axis1, axis2;
	dpr_status status;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_axis(call, 1, &axis1)) ||
	    (status = arguments_axis(call, 2, &axis2)))
		return status;
	return arguments_result(
		call, dpr_swapaxes(x, axis1, axis2, &call->result.array));
}

dpr_status shape_calls_flip(struct function_call *call)
{
	struct some_axes axes;
	dpr_status status;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_some_axes(call, 1, &axes)))
		return status;
	return arguments_result(call,
				dpr_flip(x, axes.list, &call->result.array));
}

dpr_status shape_calls_rot90(struct function_call *call)
{
	struct some_axes axes;
	dpr_status status;
	dpr_array *x;
	int64_t k;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_integer(call, 1, 1, &k)) ||
	    (status = get_some_axes(call, 2, &axes)))
		return status;
	return arguments_result(
		call, dpr_rot90(x, k, axes.list, &call->result.array));
}

/* --- Elements ------------------------------------------------------------ */

/* Get the shifts of roll(): one for each of @axes.  A single shift is for all
   axes. */
static dpr_status get_shifts(struct function_call *call,
			     const struct some_axes *axes,
			     int64_t shift[DPR_MAX_RANK])
{
	const int n = axes->list ? axes->axes.count : 1;
	int count;
	dpr_status status = arguments_integers(call, 1, shift, &count);

	if (status)
		return status;
	if (call->arguments[1].kind != VALUE_TUPLE)
		for (int i = 1; i < n; i++)
			shift[i] = shift[0];
	else if (count != n)
		return arguments_fail(call, 1,
				      axes->list ? "not one shift for each axis"
						 : "not one integer");
	return DPR_OK;
}

dpr_status shape_calls_roll(struct function_call *call)
{
	int64_t shift[DPR_MAX_RANK];
	struct some_axes axes;
	dpr_status status;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_some_axes(call, 2, &axes)) ||
	    (status = get_shifts(call, &axes, shift)))
		return status;
	return arguments_result(
		call, dpr_roll(x, shift, axes.list, &call->result.array));
}

dpr_status shape_calls_repeat(struct function_call *call)
{
	int axis = DPR_AXIS_NONE;
	int64_t repeats;
	dpr_status status;
	dpr_array *x;

	if (call->arguments[1].kind == VALUE_ARRAY ||
	    call->arguments[1].kind == VALUE_NODE)
		return arguments_fail(
			call, 1,
			"an array: to repeat each element a number "
			"of times of its own is not supported yet; "
			"give an integer");
	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_integer(call, 1, &repeats)) ||
	    (!is_none(call, 2) && (status = arguments_axis(call, 2, &axis))))
		return status;
	return arguments_result(
		call, dpr_repeat(x, repeats, axis, &call->result.array));
}

typedef dpr_status (*diagonally)(const dpr_array *, int64_t, dpr_array **);

static dpr_status use_diagonal(struct function_call *call, diagonally function)
{
	dpr_status status;
	dpr_array *x;
	int64_t k;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_integer(call, 1, 0, &k)))
		return status;
	return arguments_result(call, function(x, k, &call->result.array));
}

dpr_status shape_calls_diagonal(struct function_call *call)
{
	return use_diagonal(call, dpr_diagonal);
}

dpr_status shape_calls_tril(struct function_call *call)
{
	return use_diagonal(call, dpr_tril);
}

dpr_status shape_calls_triu(struct function_call *call)
{
	return use_diagonal(call, dpr_triu);
}
