/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.c - reads the elements that arrays of indices name.
 *
 * One launch brings the indices into range, adds up the place of each element,
 * reads the element and stores it.  Elements are moved as unsigned integers of
 * their size.  Elements of 16 bytes are moved as complex128, or, if the device
 * does not compute in complex128, in two halves.
 */
#include "core/array/indexing/gather.h"

#include <dpr/queue.h>

#include "core/array/indexing/indexing_steps.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/step_by_step.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Read elements of @x into @out, which share no memory and have dtypes that the
   device computes in. */
static dpr_status gather(const struct indexing *ix, const dpr_array *x,
			 dpr_array *out)
{
	struct indexing_call call;
	const struct engine_call run = { .what = ix->what,
					 .graph = &call.graph,
					 .results = &out,
					 .inputs = call.inputs,
					 .scalars = call.scalars };
	dpr_status status;
	int step;

	status = indexing_steps_begin(ix, &call, &step);
	if (!status) {
		call.inputs[call.graph.n_inputs] = x;
		step = graph_gather(&call.graph, x->dtype, step);
		if (out->dtype != x->dtype)
			step = graph_cast(&call.graph, out->dtype, step);
		graph_result(&call.graph, step);
		status = step_by_step_run(&run);
	}
	indexing_steps_end(&call);
	return status;
}

/* Make an array of part number @part, of @parts, of each element of @x. */
static dpr_status view_part(const dpr_array *x, dpr_dtype dtype, int parts,
			    int part, dpr_array **out)
{
	struct layout layout;

	array_layout(x, &layout);
	for (int d = 0; d < layout.rank; d++)
		layout.stride[d] *= parts;
	return array_make(dtype, layout.rank, layout.dim, layout.stride,
			  layout.offset * parts + part, x->usm, x->queue,
			  x->kind, out);
}

/* Let places count parts of elements. */
static struct indexing count_parts(const struct indexing *ix, int parts)
{
	struct indexing in_parts = *ix;

	in_parts.place.offset *= parts;
	for (int d = 0; d < ix->place.rank; d++)
		in_parts.place.stride[d] *= parts;
	for (int i = 0; i < ix->n; i++)
		in_parts.array[i].stride *= parts;
	return in_parts;
}

/* Read elements of @x into @out, of the same dtype, bit by bit. */
static dpr_status gather_bits(const struct indexing *ix, const dpr_array *x,
			      dpr_array *out)
{
	static const dpr_dtype dtypes[] = { [1] = DPR_UINT8,
					    [2] = DPR_UINT16,
					    [4] = DPR_UINT32,
					    [8] = DPR_UINT64,
					    [16] = DPR_COMPLEX128 };
	const size_t size = dpr_dtype_size(x->dtype);
	const bool halves =
		size == 16 &&
		!dpr_dtype_computes(dpr_queue_device(x->queue), DPR_COMPLEX128);
	const dpr_dtype dtype = dtypes[halves ? 8 : size];
	const struct indexing in_parts = count_parts(ix, halves ? 2 : 1);
	dpr_status status = DPR_OK;

	for (int part = 0; !status && part < (halves ? 2 : 1); part++) {
		dpr_array *from = NULL, *to = NULL;

		status = view_part(x, dtype, halves ? 2 : 1, part, &from);
		if (!status)
			status = view_part(out, dtype, halves ? 2 : 1, part,
					   &to);
		if (!status)
			status = gather(&in_parts, from, to);
		if (status && part)
			(void)array_stopped(out, status);
		dpr_array_release(from);
		dpr_array_release(to);
	}
	return status;
}

/* --- Results -------------------------------------------------------------- */

dpr_status gather_into(struct indexing *ix, const dpr_array *x, dpr_array *out)
{
	dpr_status status;

	if (!out->size)
		return DPR_OK;
	status = indexing_steps_fit(ix);
	if (status)
		return status;
	return out->dtype == x->dtype ? gather_bits(ix, x, out)
				      : gather(ix, x, out);
}

dpr_usm_kind gather_kind(const struct indexing *ix, const dpr_array *x)
{
	const dpr_array *arrays[DPR_MAX_RANK + 1] = { x };

	for (int i = 0; i < ix->n; i++)
		arrays[i + 1] = ix->array[i].array;
	return array_result_kind(arrays, (size_t)ix->n + 1);
}

/* Make the result.  @status: of the function that has found the elements. */
static dpr_status finish(dpr_status status, struct indexing *ix,
			 const dpr_array *x, dpr_array **out)
{
	dpr_array *made = NULL;

	if (!status)
		status = indexing_check(ix);
	if (!status)
		status = array_new(ix->what, x->dtype, ix->place.rank,
				   ix->place.dim, ix->queue, gather_kind(ix, x),
				   &made);
	if (!status)
		status = gather_into(ix, x, made);
	indexing_end(ix);
	return array_finish(status, made, out);
}

/* Whether @out shares memory with an array that is read. */
static bool overlaps(const struct indexing *ix, const dpr_array *x,
		     const dpr_array *out)
{
	bool any = array_may_overlap(x, out);

	for (int i = 0; i < ix->n; i++)
		any |= array_may_overlap(ix->array[i].array, out);
	return any;
}

static dpr_status check_into(const struct indexing *ix, const dpr_array *x,
			     const dpr_array *out)
{
	const dpr_array *operands[] = { x, out };
	static const char *const names[] = { "x", "out" };
	dpr_queue *queue;
	dpr_status status =
		execution_queue(ix->what, operands, names, 2, 1, &queue);

	if (!status)
		status = array_check_result(ix->what, out, ix->place.rank,
					    ix->place.dim, x->dtype);
	if (!status && out->dtype != x->dtype) {
		status = cast_check(x, out->dtype);
		if (status)
			status_prefix("%s", ix->what);
	}
	return status;
}

/* Write the result to @out. */
static dpr_status finish_into(dpr_status status, struct indexing *ix,
			      const dpr_array *x, dpr_array *out)
{
	dpr_array *apart = NULL;

	if (!status)
		status = check_into(ix, x, out);
	if (!status)
		status = indexing_check(ix);
	if (!status && overlaps(ix, x, out))
		status = array_new(ix->what, out->dtype, out->rank,
				   array_shape(out), out->queue, DPR_USM_DEVICE,
				   &apart);
	if (!status)
		status = gather_into(ix, x, apart ? apart : out);
	if (!status && apart)
		status = cast_into(apart, out);
	dpr_array_release(apart);
	indexing_end(ix);
	return status;
}

static dpr_status check_call_into(const char *what, const dpr_array *x,
				  const dpr_array *out)
{
	if (x && out)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
		    x ? "out" : "the array");
}

/* --- Functions ------------------------------------------------------------ */

dpr_status dpr_take(const dpr_array *x, const dpr_array *indices, int axis,
		    dpr_bounds bounds, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, indices, out);
	struct indexing ix;
	dpr_status status = array_check_call("take", x, out);

	if (status)
		return status;
	status = indexing_take("take", x, indices, axis, bounds, &ix);
	return finish(status, &ix, x, out);
}

dpr_status dpr_take_into(const dpr_array *x, const dpr_array *indices, int axis,
			 dpr_bounds bounds, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, indices, out);
	struct indexing ix;
	dpr_status status = check_call_into("take into", x, out);

	if (status)
		return status;
	status = indexing_take("take into", x, indices, axis, bounds, &ix);
	return finish_into(status, &ix, x, out);
}

dpr_status dpr_take_along_axis(const dpr_array *x, const dpr_array *indices,
			       int axis, dpr_bounds bounds, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, indices, out);
	struct indexing ix;
	dpr_status status = array_check_call("take along axis", x, out);

	if (status)
		return status;
	status = indexing_along("take along axis", x, indices, axis, bounds,
				&ix);
	return finish(status, &ix, x, out);
}

dpr_status dpr_take_along_axis_into(const dpr_array *x,
				    const dpr_array *indices, int axis,
				    dpr_bounds bounds, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, indices, out);
	struct indexing ix;
	dpr_status status = check_call_into("take along axis into", x, out);

	if (status)
		return status;
	status = indexing_along("take along axis into", x, indices, axis,
				bounds, &ix);
	return finish_into(status, &ix, x, out);
}

dpr_status dpr_array_index_arrays(const dpr_array *x, const dpr_index *indices,
				  const dpr_array *const *arrays, size_t count,
				  dpr_bounds bounds, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, handle_arrays(arrays, count), out);
	struct indexing ix;
	dpr_status status = array_check_call("index arrays", x, out);

	if (status)
		return status;
	status = indexing_mixed("index arrays", x, indices, arrays, count,
				bounds, &ix);
	return finish(status, &ix, x, out);
}

dpr_status dpr_array_index_arrays_into(const dpr_array *x,
				       const dpr_index *indices,
				       const dpr_array *const *arrays,
				       size_t count, dpr_bounds bounds,
				       dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, handle_arrays(arrays, count), out);
	struct indexing ix;
	dpr_status status = check_call_into("index arrays into", x, out);

	if (status)
		return status;
	status = indexing_mixed("index arrays into", x, indices, arrays, count,
				bounds, &ix);
	return finish_into(status, &ix, x, out);
}
