/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_steps.c - the places of indexed elements as steps of a graph. */
#include "core/array/indexing/indexing_steps.h"

#include <stddef.h>
#include <string.h>

#include <dpr/queue.h>

#include "core/array/engine/formats.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/target.h"
#include "core/array/launch/step_by_step.h"
#include "core/array/object/broadcast.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* A launch of its own brings the indices into range if each index is used for
   at least OFTEN elements, and if there are at least MANY elements.  This is
   not worth it where is_cheap() holds. */
#define OFTEN 4
#define MANY 32768

static bool is_signed(const struct indexing_array *a)
{
	return dpr_dtype_kind(a->array->dtype) == 'i';
}

/* Whether the index is brought into range as a signed number. */
static bool computes_signed(const struct indexing *ix,
			    const struct indexing_array *a)
{
	return is_signed(a) && ix->bounds != DPR_BOUNDS_CHECK;
}

/* --- Numbers -------------------------------------------------------------- */

/* Get the numbers of index array @i, and return how many there are. */
static int numbers_of(const struct indexing *ix, int i,
		      struct indexing_number *out)
{
	const struct indexing_array *a = &ix->array[i];
	const dpr_dtype dtype = computes_signed(ix, a) ? DPR_INT64 : DPR_UINT64;
	const int64_t last = a->length ? a->length - 1 : 0;
	int n = 0;

	if (a->is_place)
		return 0;
	if (ix->bounds == DPR_BOUNDS_WRAP ||
	    (ix->bounds == DPR_BOUNDS_CHECK && is_signed(a)))
		out[n++] = (struct indexing_number){ dtype, a->length };
	if (ix->bounds == DPR_BOUNDS_CLIP && is_signed(a))
		out[n++] = (struct indexing_number){ dtype, 0 };
	if (ix->bounds != DPR_BOUNDS_WRAP)
		out[n++] = (struct indexing_number){ dtype, last };
	if (a->stride != 1)
		out[n++] = (struct indexing_number){ DPR_INT64, a->stride };
	return n;
}

int indexing_steps_numbers(const struct indexing *indexing,
			   struct indexing_number *numbers)
{
	int n = 0;

	for (int i = 0; i < indexing->n; i++)
		n += numbers_of(indexing, i, &numbers[n]);
	return n;
}

bool indexing_steps_has_position(const struct indexing *indexing)
{
	const struct layout *place = &indexing->place;
	bool moves = place->offset != 0;

	for (int d = 0; d < place->rank; d++)
		moves |= place->stride[d] != 0 && place->dim[d] > 1;
	return moves;
}

/* --- Steps ---------------------------------------------------------------- */

/* Add an operation on two steps of one dtype.  If an operand is -1, so is the
   result. */
static int add(struct graph *graph, unsigned operation, int a, int b)
{
	unsigned dtype;

	if (a < 0 || b < 0)
		return -1;
	dtype = graph->step[a].dtype;
	return graph_operation(graph, operation, dtype, dtype, 2,
			       (const int[]){ a, b });
}

/* Add a cast to @dtype, of 64 bits.  Between dtypes of 64 bits the bits stay
   as they are. */
static int as_dtype(struct graph *graph, unsigned dtype, int x)
{
	if (x < 0 || graph->step[x].dtype == dtype)
		return x;
	return graph->step[x].dtype == DPR_INT64 ||
			       graph->step[x].dtype == DPR_UINT64
		       ? graph_bits(graph, dtype, x)
		       : graph_cast(graph, dtype, x);
}

/* Add steps that let negative indices count from the end.  As an unsigned
   number a negative index is greater than any other.  So the smaller of i and
   i + n is right for every index in range.  For an index out of range the
   smaller number is n or more. */
static int from_end(struct graph *graph, int x, int length)
{
	x = as_dtype(graph, DPR_UINT64, as_dtype(graph, DPR_INT64, x));
	return add(graph, OPERATION__minimum, x,
		   add(graph, OPERATION__add, x, length));
}

/* Add steps that bring index array @i into range.  @x: its step.  @numbers: its
   numbers, without the stride. */
static int into_range(const struct indexing *ix, int i, struct graph *graph,
		      int x, const int *numbers)
{
	const struct indexing_array *a = &ix->array[i];
	const bool has_sign = is_signed(a);

	if (ix->bounds == DPR_BOUNDS_CHECK && has_sign)
		x = from_end(graph, x, *numbers++);
	else
		x = as_dtype(graph, has_sign ? DPR_INT64 : DPR_UINT64, x);
	if (ix->bounds == DPR_BOUNDS_WRAP)
		return add(graph, OPERATION__remainder, x, numbers[0]);
	if (ix->bounds == DPR_BOUNDS_CLIP && has_sign)
		x = add(graph, OPERATION__maximum, x, *numbers++);
	return add(graph, OPERATION__minimum, x, numbers[0]);
}

/* Add the steps for index times stride. */
static int add_index(const struct indexing *ix, int i, struct graph *graph,
		     int x, const int *numbers, int n_numbers)
{
	const struct indexing_array *a = &ix->array[i];

	if (a->is_place)
		return x;
	x = as_dtype(graph, DPR_INT64, into_range(ix, i, graph, x, numbers));
	return a->stride == 1 ? x
			      : add(graph, OPERATION__multiply, x,
				    numbers[n_numbers - 1]);
}

int indexing_steps_add(const struct indexing *indexing, struct graph *graph,
		       const int *arrays, const int *numbers, int position)
{
	int sum = indexing_steps_has_position(indexing) ? position : -1;
	struct indexing_number unused[3];

	for (int i = 0; i < indexing->n; i++) {
		const int n = numbers_of(indexing, i, unused);
		const int x =
			add_index(indexing, i, graph, arrays[i], numbers, n);

		if (x < 0)
			return -1;
		sum = sum < 0 ? x : add(graph, OPERATION__add, sum, x);
		if (sum < 0)
			return -1;
		numbers += n;
	}
	return sum;
}

/* --- Graphs --------------------------------------------------------------- */

/* Add an input that @call owns. */
static void own(struct indexing_call *call, dpr_array *x)
{
	call->inputs[call->graph.n_inputs] = x;
	call->owned[call->n_owned++] = x;
}

static dpr_status add_position(const struct indexing *ix,
			       struct indexing_call *call, int *step)
{
	const struct layout *place = &ix->place;
	dpr_array *x;
	dpr_status status;

	if (!indexing_steps_has_position(ix))
		return DPR_OK;
	status = array_make(DPR_INT64, place->rank, place->dim, place->stride,
			    place->offset, NULL, ix->queue, DPR_USM_DEVICE, &x);
	if (status)
		return status;
	own(call, x);
	*step = graph_index(&call->graph);
	return DPR_OK;
}

static int add_number(struct indexing_call *call,
		      const struct indexing_number *number)
{
	struct engine_scalar *scalar = &call->scalars[call->graph.n_scalars];

	mem_zero(scalar, sizeof(*scalar));
	memcpy(scalar->bytes, &number->value, sizeof(number->value));
	return graph_scalar(&call->graph, number->dtype);
}

dpr_status indexing_steps_begin(const struct indexing *indexing,
				struct indexing_call *call, int *place)
{
	struct indexing_number number[INDEXING_NUMBERS];
	int arrays[INDEXING_ARRAYS], numbers[INDEXING_NUMBERS], position = -1;
	dpr_status status = DPR_OK;
	int n;

	mem_zero(&call->graph, offsetof(struct graph, step));
	call->n_owned = 0;
	for (int i = 0; !status && i < indexing->n; i++) {
		dpr_array *x;

		status = indexing_view(indexing, i, &x);
		if (status)
			break;
		own(call, x);
		arrays[i] = graph_input(&call->graph, x->dtype);
	}
	if (!status)
		status = add_position(indexing, call, &position);
	if (status)
		return status;
	n = indexing_steps_numbers(indexing, number);
	for (int i = 0; i < n; i++)
		numbers[i] = add_number(call, &number[i]);
	*place = indexing_steps_add(indexing, &call->graph, arrays, numbers,
				    position);
	return DPR_OK;
}

void indexing_steps_end(struct indexing_call *call)
{
	for (int i = 0; i < call->n_owned; i++)
		dpr_array_release(call->owned[i]);
	call->n_owned = 0;
}

/* --- Many index arrays ---------------------------------------------------- */

/* Compute the places that the arrays of @indexing give together. */
static dpr_status compute_places(const struct indexing *indexing,
				 dpr_array **out)
{
	const struct layout *place = &indexing->place;
	dpr_array *made = NULL;
	struct indexing_call call;
	struct engine_call run = { .what = indexing->what,
				   .graph = &call.graph,
				   .results = &made,
				   .inputs = call.inputs,
				   .scalars = call.scalars };
	dpr_status status;
	int step;

	*out = NULL;
	status = indexing_steps_begin(indexing, &call, &step);
	if (!status)
		status = array_new(indexing->what, DPR_INT64, place->rank,
				   place->dim, indexing->queue, DPR_USM_DEVICE,
				   &made);
	if (!status) {
		graph_result(&call.graph, step);
		status = step_by_step_run(&run);
	}
	indexing_steps_end(&call);
	return array_finish(status, made, out);
}

/* Replace the last @n index arrays by an array of their places. */
static dpr_status join_arrays(struct indexing *indexing, int n)
{
	const int left = indexing->n - n;
	const dpr_array *arrays[INDEXING_ARRAYS];
	struct indexing some = { .what = indexing->what,
				 .bounds = indexing->bounds,
				 .queue = indexing->queue,
				 .n = n };
	dpr_array *places;
	dpr_status status;

	memcpy(some.array, &indexing->array[left],
	       sizeof(some.array[0]) * (size_t)n);
	for (int i = 0; i < n; i++)
		arrays[i] = some.array[i].array;
	status = broadcast_shapes(some.what, arrays, (size_t)n,
				  &some.place.rank, some.place.dim);
	if (!status)
		status = compute_places(&some, &places);
	if (status)
		return status;
	indexing_end(&some);
	indexing->n = left + 1;
	indexing->array[left] =
		(struct indexing_array){ .array = places, .is_place = true };
	return DPR_OK;
}

/* Whether a kernel brings an index into range at almost no cost.  This holds on
   GPUs, where a work-item uses one index for many bytes of a row.  For
   DPR_BOUNDS_WRAP the format must also take the remainder once for the whole
   work-item. */
static bool is_cheap(const struct indexing *indexing)
{
	const struct kernel_format *format =
		target_of(dpr_queue_device(indexing->queue))->format;

	return (indexing->bounds != DPR_BOUNDS_WRAP || format->row_packs) &&
	       indexing_has_rows(indexing) && !format->is_native &&
	       !format->in_files;
}

/* Whether a launch of its own should compute the places: each index is used for
   many elements, and there are enough elements that a second launch costs
   less. */
static bool is_worth_launch(const struct indexing *indexing)
{
	const struct layout *place = &indexing->place;
	int64_t elements = 1, indices = 1;

	if (indexing->n == 1 &&
	    (indexing->array[0].is_place || is_cheap(indexing)))
		return false;
	for (int d = 0; d < place->rank; d++)
		elements *= place->dim[d];
	for (int i = 0; i < indexing->n; i++)
		if (indices < indexing->array[i].array->size)
			indices = indexing->array[i].array->size;
	return elements >= MANY && elements / indices >= OFTEN;
}

dpr_status indexing_steps_fit(struct indexing *indexing)
{
	dpr_status status = DPR_OK;

	while (!status && indexing->n > INDEXING_ARRAYS)
		status = join_arrays(indexing, INDEXING_ARRAYS);
	if (!status && is_worth_launch(indexing))
		status = join_arrays(indexing, indexing->n);
	return status;
}
