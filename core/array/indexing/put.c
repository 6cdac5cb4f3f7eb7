/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put.c - writes the elements that arrays of indices name.
 *
 * One launch brings the indices into range and adds up index times stride.
 * Each value is stored this far behind the place that its element has by the
 * other axes (GRAPH_PUT).  If no value has to be cast, elements are moved bit
 * by bit (indexing_bits.h).
 */
#include <string.h>

#include <dpr/creation.h>
#include <dpr/indexing.h>
#include <dpr/queue.h>

#include "core/array/data/copy.h"
#include "core/array/element/scalar.h"
#include "core/array/engine/engine.h"
#include "core/array/engine/operations.h"
#include "core/array/indexing/indexing_bits.h"
#include "core/array/indexing/indexing_steps.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/step_by_step.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* An assignment to the elements that `ix` names. */
struct put {
	struct indexing ix;
	dpr_array *x;
	/* an array that broadcasts to the elements; NULL: the number whose
	   element of x->dtype is in `number` */
	const dpr_array *values;
	struct engine_scalar number;
	dpr_array *copy; /* owned: the values, cast or copied */
};

/* --- Launches ------------------------------------------------------------- */

/* How far the place of an element can be before the first element of x, because
   axes with index arrays have negative strides. */
static int64_t reach_back(const struct indexing *ix)
{
	int64_t back = 0;

	for (int i = 0; i < ix->n; i++)
		if (ix->array[i].stride < 0 && ix->array[i].length)
			back -= ix->array[i].stride * (ix->array[i].length - 1);
	return back;
}

static int add_scalar(struct indexing_call *call, unsigned dtype,
		      const void *bytes, size_t size)
{
	struct engine_scalar *scalar = &call->scalars[call->graph.n_scalars];

	mem_zero(scalar, sizeof(*scalar));
	memcpy(scalar->bytes, bytes, size);
	return graph_scalar(&call->graph, dtype);
}

/* Add the step with the value, in the dtype of @p->x. */
static int add_value(const struct put *p, struct indexing_call *call)
{
	struct graph *graph = &call->graph;
	int step;

	if (!p->values)
		return add_scalar(call, p->x->dtype, p->number.bytes,
				  dpr_dtype_size(p->x->dtype));
	call->inputs[graph->n_inputs] = p->values;
	step = graph_input(graph, p->values->dtype);
	return p->values->dtype == p->x->dtype
		       ? step
		       : graph_cast(graph, p->x->dtype, step);
}

/* Make a graph that stores the value in the element.  The places of all
   elements are moved by @back, so that none is negative. */
static dpr_status make_graph(const struct put *p, int64_t back,
			     struct indexing_call *call)
{
	struct indexing ix = p->ix;
	struct graph *graph = &call->graph;
	dpr_status status;
	int step;

	/* The result has the offset and the strides of the other axes, so the
	   steps leave them out. */
	ix.place.offset = 0;
	memset(ix.place.stride, 0, sizeof(ix.place.stride));
	status = indexing_steps_begin(&ix, call, &step);
	if (status)
		return status;
	if (back) {
		const int x[] = { step, add_scalar(call, DPR_INT64, &back,
						   sizeof(back)) };

		step = graph_operation(graph, OPERATION__add, DPR_INT64,
				       DPR_INT64, 2, x);
	}
	graph_result(graph, graph_put(graph, add_value(p, call), step));
	return DPR_OK;
}

static dpr_status launch(struct put *p)
{
	const struct layout *place = &p->ix.place;
	const int64_t back = reach_back(&p->ix);
	struct indexing_call call = { .n_owned = 0 };
	dpr_array *result = NULL;
	const struct engine_call run = { .what = p->ix.what,
					 .graph = &call.graph,
					 .results = &result,
					 .inputs = call.inputs,
					 .scalars = call.scalars };
	dpr_status status = indexing_steps_fit(&p->ix);

	if (!status)
		status = array_make(
			p->x->dtype, place->rank, place->dim, place->stride,
			p->x->offset + place->offset - back, p->x->usm,
			p->x->queue, p->x->kind, &result);
	if (!status)
		status = make_graph(p, back, &call);
	if (!status)
		status = step_by_step_run(&run);
	indexing_steps_end(&call);
	dpr_array_release(result);
	return status;
}

/* Store part number @part of each value in part number @part of each element.
   Values have the dtype of x. */
static dpr_status launch_part(const struct put *p, struct indexing_bits bits,
			      int part)
{
	struct put one = { .ix = indexing_bits_places(&p->ix, bits) };
	dpr_array *values = NULL;
	dpr_status status = indexing_bits_first(p->x, bits, part, &one.x);

	if (!status && p->values)
		status = indexing_bits_view(p->values, bits, part, &values);
	one.values = values;
	memcpy(one.number.bytes, p->number.bytes + 8 * part,
	       dpr_dtype_size(bits.dtype));
	if (!status)
		status = launch(&one);
	if (status && part)
		(void)array_stopped(p->x, status);
	dpr_array_release(values);
	dpr_array_release(one.x);
	indexing_end(&one.ix);
	return status;
}

static dpr_status store(struct put *p)
{
	struct indexing_bits bits;
	dpr_status status = DPR_OK;

	if (p->values && p->values->dtype != p->x->dtype)
		return launch(p);
	bits = indexing_bits_of(&p->ix, p->x, p->values);
	for (int part = 0; !status && part < bits.parts; part++)
		status = launch_part(p, bits, part);
	return status;
}

/* --- Operands ------------------------------------------------------------- */

/* Find out what is assigned, and whether it fits. */
static dpr_status take_values(struct put *p, dpr_operand values)
{
	const struct layout *place = &p->ix.place;
	char have[160], want[160];
	int64_t stride[DPR_MAX_RANK];
	struct layout layout;
	dpr_status status;

	if (values.kind != DPR_OPERAND_ARRAY)
		return scalar_store(p->ix.what, values, p->x->dtype,
				    p->number.bytes);
	p->values = values.as.array;
	status = copy_check_cast(p->ix.what, p->values->dtype, p->x->dtype);
	if (status)
		return status;
	status = cast_check(p->values, p->x->dtype);
	if (status) {
		status_prefix("%s", p->ix.what);
		return status;
	}
	array_layout(p->values, &layout);
	if (layout_expand(&layout, place->rank, place->dim, stride))
		return DPR_OK;
	return fail(
		DPR_ERROR_SHAPE,
		"%s: values of shape %s do not broadcast to the shape %s "
		"of the indexed elements",
		p->ix.what,
		layout_shape_text(have, sizeof(have), layout.rank, layout.dim),
		layout_shape_text(want, sizeof(want), place->rank, place->dim));
}

/* If kernels have one step only, cast values before, and make an array of a
   number. */
static dpr_status make_plain(struct put *p)
{
	const dpr_array *x = p->x;
	dpr_status status;

	if (engine_casts(dpr_queue_device(x->queue)) ||
	    (p->values && p->values->dtype == x->dtype))
		return DPR_OK;
	if (p->values) {
		status = cast_new(p->ix.what, p->values, x->dtype,
				  DPR_USM_DEVICE, &p->copy);
	} else {
		status = array_new(p->ix.what, x->dtype, 0, NULL, x->queue,
				   DPR_USM_DEVICE, &p->copy);
		if (!status)
			status = cast_fill(p->copy, scalar_load(p->number.bytes,
								x->dtype));
	}
	p->values = p->copy;
	return status;
}

/* Copy the index arrays and the values that share memory with x. */
static dpr_status part_from_x(struct put *p)
{
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < p->ix.n; i++) {
		dpr_array **array = &p->ix.array[i].array, *copy;

		if (!array_may_overlap(*array, p->x))
			continue;
		status = cast_new(p->ix.what, *array, (*array)->dtype,
				  DPR_USM_DEVICE, &copy);
		if (status)
			return status;
		dpr_array_release(*array);
		*array = copy;
	}
	if (!p->values || !array_may_overlap(p->values, p->x))
		return status;
	status = cast_new(p->ix.what, p->values, p->x->dtype, DPR_USM_DEVICE,
			  &p->copy);
	p->values = p->copy;
	return status;
}

static bool is_empty(const struct layout *place)
{
	for (int d = 0; d < place->rank; d++)
		if (!place->dim[d])
			return true;
	return false;
}

/* Do the assignment.  @status is the outcome of the function that has found the
   elements. */
static dpr_status finish(dpr_status status, struct put *p, dpr_operand values)
{
	if (!status)
		status = take_values(p, values);
	if (!status)
		status = indexing_check(&p->ix);
	if (!status && !is_empty(&p->ix.place)) {
		status = part_from_x(p);
		if (!status)
			status = make_plain(p);
		if (!status)
			status = store(p);
	}
	dpr_array_release(p->copy);
	indexing_end(&p->ix);
	return status;
}

/* Begin an assignment to @x by @n index arrays, some of which may be NULL. */
static dpr_status begin(struct put *p, const char *what, dpr_array *x,
			const dpr_array *const *arrays, size_t n,
			dpr_operand values)
{
	const dpr_array *operands[2 * DPR_MAX_RANK + 3] = { NULL };
	const char *names[2 * DPR_MAX_RANK + 3] = { NULL };
	const size_t most = 2 * DPR_MAX_RANK + 1;
	dpr_queue *queue;
	dpr_status status;

	memset(p, 0, sizeof(*p));
	p->ix.what = what;
	p->x = x;
	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: x is NULL", what);
	if (values.kind == DPR_OPERAND_ARRAY && !values.as.array)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the values are NULL", what);
	status = array_check_output(what, x);
	if (status)
		return status;
	n = n < most && arrays ? n : 0;
	for (size_t i = 0; i < n; i++) {
		operands[i] = arrays[i];
		names[i] = n == 1 ? "indices" : NULL;
	}
	if (values.kind == DPR_OPERAND_ARRAY)
		operands[n] = values.as.array;
	names[n] = "values";
	operands[n + 1] = x;
	names[n + 1] = "x";
	return execution_queue(what, operands, names, n + 2, 1, &queue);
}

/* --- Functions ------------------------------------------------------------ */

/* Copy the elements of @line back into @x, unless @line is a view of @x.  @line
   has the elements of @x in C order. */
static dpr_status put_back(const dpr_array *line, dpr_array *x)
{
	dpr_array *shaped;
	dpr_status status;

	if (line->usm == x->usm)
		return DPR_OK;
	status = dpr_reshape(line, dpr_shape_of(x->rank, array_shape(x)),
			     &shaped);
	if (!status)
		status = cast_into(shaped, x);
	dpr_array_release(shaped);
	return status;
}

dpr_status(dpr_put)(dpr_array *x, const dpr_array *indices, dpr_operand values,
		    int axis, dpr_bounds bounds)
{
	TRACE_CALL;
	HANDLES(x, indices, values);
	struct put p;
	dpr_array *line = NULL;
	dpr_status status = begin(&p, "put", x, &indices, 1, values);

	if (!status)
		status = indexing_line(x, &axis, &line);
	if (!status) {
		p.x = line;
		status = indexing_take("put", line, indices, axis, bounds,
				       &p.ix);
	}
	status = finish(status, &p, values);
	if (!status)
		status = put_back(line, x);
	dpr_array_release(line);
	return status;
}

dpr_status(dpr_put_along_axis)(dpr_array *x, const dpr_array *indices,
			       dpr_operand values, int axis, dpr_bounds bounds)
{
	TRACE_CALL;
	HANDLES(x, indices, values);
	struct put p;
	dpr_status status = begin(&p, "put along axis", x, &indices, 1, values);

	if (!status)
		status = indexing_along("put along axis", x, indices, axis,
					bounds, &p.ix);
	return finish(status, &p, values);
}

dpr_status(dpr_array_set_index_arrays)(dpr_array *x, const dpr_index *indices,
				       const dpr_array *const *arrays,
				       size_t count, dpr_operand values,
				       dpr_bounds bounds)
{
	TRACE_CALL;
	HANDLES(x, handle_arrays(arrays, count), values);
	struct put p;
	dpr_status status =
		begin(&p, "set index arrays", x, arrays, count, values);

	if (!status)
		status = indexing_mixed("set index arrays", x, indices, arrays,
					count, bounds, &p.ix);
	return finish(status, &p, values);
}
