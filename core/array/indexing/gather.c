/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.c - reads the elements that arrays of indices name.
 *
 * One launch brings the indices into range, adds up the place of each element,
 * reads the element and stores it.  If no element has to be cast, elements are
 * moved bit by bit (indexing_bits.h).
 */
#include "core/array/indexing/gather.h"

#include "core/array/indexing/indexing_bits.h"
#include "core/array/indexing/indexing_steps.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/step_by_step.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Read elements of @x into @out.  The two arrays share no memory, and the
   device computes in their dtypes. */
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

/* --- Bits ----------------------------------------------------------------- */

/* Read part number @part of the elements of @x. */
static dpr_status gather_part(const struct indexing *ix, const dpr_array *x,
			      dpr_array *out, struct indexing_bits bits,
			      int part)
{
	dpr_array *from = NULL, *to = NULL;
	dpr_status status = indexing_bits_first(x, bits, part, &from);

	if (!status)
		status = indexing_bits_view(out, bits, part, &to);
	if (!status)
		status = gather(ix, from, to);
	if (status && part)
		(void)array_stopped(out, status);
	dpr_array_release(from);
	dpr_array_release(to);
	return status;
}

/* Read elements of @x into @out, of the same dtype, bit by bit. */
static dpr_status gather_bits(const struct indexing *ix, const dpr_array *x,
			      dpr_array *out)
{
	const struct indexing_bits bits = indexing_bits_of(ix, x, out);
	struct indexing places = indexing_bits_places(ix, bits);
	dpr_status status = indexing_steps_fit(&places);

	for (int part = 0; !status && part < bits.parts; part++)
		status = gather_part(&places, x, out, bits, part);
	indexing_end(&places);
	return status;
}

/* --- Results -------------------------------------------------------------- */

dpr_status gather_into(struct indexing *ix, const dpr_array *x, dpr_array *out)
{
	dpr_status status;

	if (!out->size)
		return DPR_OK;
	if (out->dtype == x->dtype)
		return gather_bits(ix, x, out);
	status = indexing_steps_fit(ix);
	return status ? status : gather(ix, x, out);
}

dpr_usm_kind gather_kind(const struct indexing *ix, const dpr_array *x)
{
	const dpr_array *arrays[DPR_MAX_RANK + 1] = { x };

	for (int i = 0; i < ix->n; i++)
		arrays[i + 1] = ix->array[i].array;
	return array_result_kind(arrays, (size_t)ix->n + 1);
}

/* Make the result.  @status is the outcome of the function that has found the
   elements. */
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
	dpr_array *line;
	dpr_status status = array_check_call("take", x, out);

	if (!status)
		status = indexing_line(x, &axis, &line);
	if (status)
		return status;
	status = indexing_take("take", line, indices, axis, bounds, &ix);
	status = finish(status, &ix, line, out);
	dpr_array_release(line);
	return status;
}

dpr_status dpr_take_into(const dpr_array *x, const dpr_array *indices, int axis,
			 dpr_bounds bounds, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, indices, out);
	struct indexing ix;
	dpr_array *line;
	dpr_status status = check_call_into("take into", x, out);

	if (!status)
		status = indexing_line(x, &axis, &line);
	if (status)
		return status;
	status = indexing_take("take into", line, indices, axis, bounds, &ix);
	status = finish_into(status, &ix, line, out);
	dpr_array_release(line);
	return status;
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
