/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_calls.c - indexing by arrays in expressions.
 *
 * The array that is read is computed first.  Its elements are read by the
 * kernel that uses them, and this kernel may also compute the indices.
 */
#include "core/array/expression/calls/index_calls.h"

#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/slicing.h"
#include "core/array/indexing/gather.h"
#include "core/array/indexing/indexing_steps.h"
#include "core/array/layout/layout.h"
#include "core/base/status.h"

#define MOST_INDICES (2 * DPR_MAX_RANK + 1)

/* A call in progress. */
struct index_call_reading {
	struct fusion *fusion;
	struct place place;
	/* the index arrays, in the order of `indexing` */
	struct value *arrays[DPR_MAX_RANK];
	struct indexing indexing;
};

/* Compute @value if it is deferred.  Values are borrowed: @value then borrows
   the array of its node. */
static dpr_status make(const struct index_call_reading *r, struct value *value)
{
	dpr_status status;

	if (value->kind != VALUE_NODE)
		return DPR_OK;
	status = fusion_make(r->fusion, &value->node, 1, NULL);
	if (status)
		return status;
	*r->fusion->fault = r->place;
	value->kind = VALUE_ARRAY;
	value->array = value->node->made;
	return DPR_OK;
}

/* Get the array of @value, or the array without memory that describes it. */
static const dpr_array *header_of(const struct value *value)
{
	return value->kind == VALUE_ARRAY  ? value->array
	       : value->kind == VALUE_NODE ? value->node->header
					   : NULL;
}

/* Compute all index arrays, and test them if they are to be tested. */
static dpr_status make_arrays(struct index_call_reading *r)
{
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < r->indexing.n; i++) {
		dpr_array **array = &r->indexing.array[i].array;

		status = make(r, r->arrays[i]);
		if (status)
			break;
		dpr_array_release(*array);
		*array = dpr_array_retain(r->arrays[i]->array);
	}
	return status ? status : indexing_check(&r->indexing);
}

/* Read the elements now. */
static dpr_status read_now(struct index_call_reading *r, const dpr_array *x,
			   struct value *out)
{
	struct indexing *ix = &r->indexing;
	dpr_array *made;
	dpr_status status = make_arrays(r);

	if (!status)
		status = array_new(ix->what, x->dtype, ix->place.rank,
				   ix->place.dim, ix->queue, gather_kind(ix, x),
				   &made);
	if (status)
		return status;
	status = array_finish(gather_into(ix, x, made), made, &out->array);
	if (!status)
		out->kind = VALUE_ARRAY;
	return status;
}

/* Make the operand for index array @i.  Axes of extent 1 are added behind the
   axes of the array, as r->indexing.behind says.  @out owns the operand's node
   or, if it has none, the operand's array. */
static dpr_status take_operand(struct index_call_reading *r, int i,
			       struct fusion_operand *out)
{
	dpr_index indices[DPR_MAX_RANK + 1] = { DPR_ELLIPSIS };
	struct value *value = r->arrays[i];
	const int behind = r->indexing.behind;
	dpr_array *view = NULL;
	dpr_status status = DPR_OK;

	for (int d = 0; d < behind; d++)
		indices[d + 1] = DPR_NEW_AXIS;
	if (value->kind == VALUE_NODE && !behind)
		out->node = node_retain(value->node);
	else if (value->kind == VALUE_NODE)
		status = slicing_push(value->node, indices, (size_t)behind + 1,
				      false, &out->node);
	if (!status && !out->node)
		status = make(r, value);
	if (status)
		return status;
	if (out->node) {
		out->value = dpr_operand_array(out->node->header);
		return DPR_OK;
	}
	dpr_array_release(r->indexing.array[i].array);
	r->indexing.array[i].array = dpr_array_retain(value->array);
	status = indexing_view(&r->indexing, i, &view);
	if (!status)
		out->value = dpr_operand_array(view);
	return status;
}

static void release_operand(struct fusion_operand *x)
{
	if (x->node)
		node_release(x->node);
	else
		dpr_array_release((dpr_array *)(uintptr_t)x->value.as.array);
}

/* Defer the call: a node reads the elements. */
static dpr_status read_later(struct index_call_reading *r, const dpr_array *x,
			     struct value *out)
{
	struct fusion_operand operands[FUSION_OPERANDS] = { 0 };
	const int n = r->indexing.n;
	dpr_status status = DPR_OK;

	if (r->indexing.bounds == DPR_BOUNDS_CHECK)
		status = make_arrays(r);
	for (int i = 0; !status && i < n; i++)
		status = take_operand(r, i, &operands[i]);
	if (!status) {
		r->indexing.behind = 0;
		status = fusion_gather(r->fusion, r->place, x, &r->indexing,
				       operands, &out->node);
	}
	if (!status)
		out->kind = VALUE_NODE;
	for (int i = 0; i < n; i++)
		release_operand(&operands[i]);
	return status;
}

/* Read elements of @x.  Ends r->indexing. */
static dpr_status read_elements(struct index_call_reading *r,
				const dpr_array *x, struct value *out)
{
	_Static_assert(INDEXING_ARRAYS <= FUSION_OPERANDS, "all are operands");
	const dpr_status status =
		r->fusion->format && r->indexing.n <= INDEXING_ARRAYS
			? read_later(r, x, out)
			: read_now(r, x, out);

	indexing_end(&r->indexing);
	return status;
}

/* --- Functions ------------------------------------------------------------ */

/* Get argument 3, the mode. */
static dpr_status get_bounds(struct function_call *call, dpr_bounds *out)
{
	*out = DPR_BOUNDS_WRAP;
	if (!arguments_given(call, 3))
		return DPR_OK;
	if (call->arguments[3].kind != VALUE_BOUNDS)
		return arguments_fail(
			call, 3, "not one of \"wrap\", \"clip\" and \"check\"");
	*out = call->arguments[3].bounds;
	return DPR_OK;
}

typedef dpr_status (*finding)(const char *what, const dpr_array *x,
			      const dpr_array *indices, int axis,
			      dpr_bounds bounds, struct indexing *out);

/* Take the elements of argument 0 at the indices in argument 1.  Argument 2 is
   the axis, and @axis is its default.  If the default is DPR_AXIS_NONE, a call
   must give the axis of an array with several axes. */
static dpr_status take(struct function_call *call, finding find, int axis)
{
	struct index_call_reading r = { .fusion = call->fusion,
					.place = call->place };
	const char *what = call->function->signature.name;
	const dpr_array *indices = header_of(&call->arguments[1]);
	dpr_bounds bounds;
	dpr_status status;
	dpr_array *x;

	if ((status = get_bounds(call, &bounds)) ||
	    (status = make(&r, &call->arguments[0])) ||
	    (status = arguments_array(call, 0, &x)))
		return status;
	if (!indices &&
	    (status = arguments_array(call, 1, (dpr_array **)&indices)))
		return status;
	if (call->arguments[1].kind == VALUE_SCALAR) {
		call->arguments[1].kind = VALUE_ARRAY;
		call->arguments[1].array = call->made[1];
	}
	if (arguments_given(call, 2) &&
	    (status = arguments_axis(call, 2, &axis)))
		return status;
	if (axis == DPR_AXIS_NONE && x->rank > 1)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the array has %d axes; say along which: "
			    "axis=0",
			    what, x->rank);
	r.arrays[0] = &call->arguments[1];
	status = find(what, x, indices, axis == DPR_AXIS_NONE ? 0 : axis,
		      bounds, &r.indexing);
	if (status) {
		indexing_end(&r.indexing);
		return status;
	}
	return read_elements(&r, x, &call->result);
}

dpr_status index_calls_take(struct function_call *call)
{
	return take(call, indexing_take, DPR_AXIS_NONE);
}

dpr_status index_calls_take_along_axis(struct function_call *call)
{
	return take(call, indexing_along, -1);
}

/* --- Brackets ------------------------------------------------------------- */

/* Fail because @value is no index. */
static dpr_status fail_index(const struct value *value)
{
	if (value->kind == VALUE_SCALAR &&
	    value->scalar.kind == DPR_OPERAND_UINT)
		return fail(DPR_ERROR_INDEX,
			    "the index %llu is out of range: no axis is longer "
			    "than 2**63 - 1",
			    (unsigned long long)value->scalar.as.u);
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "an index is neither an array nor an integer");
}

/* Take the arrays among the indices.  A number becomes an integer index. */
static dpr_status take_indices(const struct index_calls_view *view,
			       struct index_call_reading *r, dpr_index *indices,
			       const dpr_array **arrays, int *n_arrays)
{
	for (size_t i = 0; i < view->n_indices; i++) {
		const uint32_t k = view->indices[i].reserved;
		struct value *value = &view->arguments[k];
		int64_t number;

		arrays[i] = NULL;
		indices[i] = view->indices[i];
		if (!k)
			continue;
		arrays[i] = header_of(value);
		if (arguments_as_integer(value, &number))
			indices[i] = DPR_AT(number);
		else if (!arrays[i])
			return fail_index(value);
		else if (*n_arrays < DPR_MAX_RANK)
			r->arrays[(*n_arrays)++] = value;
	}
	return DPR_OK;
}

dpr_status index_calls_run_view(const struct index_calls_view *view,
				struct value *out)
{
	struct index_call_reading r = { .fusion = view->fusion,
					.place = view->place };
	struct value *x = &view->arguments[0];
	const dpr_array *arrays[MOST_INDICES];
	dpr_index indices[MOST_INDICES];
	dpr_status status = make(&r, x);
	int n = 0;

	if (!status)
		status = take_indices(view, &r, indices, arrays, &n);
	if (status)
		return status;
	if (x->kind != VALUE_ARRAY)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "only an array can be indexed");
	if (!n) {
		status = dpr_array_index(x->array, indices, view->n_indices,
					 &out->array);
		if (!status)
			out->kind = VALUE_ARRAY;
		return status;
	}
	status = indexing_mixed("index", x->array, indices, arrays,
				view->n_indices, DPR_BOUNDS_WRAP, &r.indexing);
	if (status) {
		indexing_end(&r.indexing);
		return status;
	}
	return read_elements(&r, x->array, out);
}
