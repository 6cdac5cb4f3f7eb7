/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast_copy_fill.c - casts, copies, fills and where() as graphs.
 *
 * Copies, fills and, without casts, where() only move bits.  Their graphs treat
 * elements as unsigned integers of the same size.  So one kernel serves all
 * dtypes of a size, and NaNs keep their bits.  Elements of 16 bytes are treated
 * as complex128.  If the device does not compute in complex128, the two halves
 * of each element are moved in two launches.
 */
#include "core/array/launch/cast_copy_fill.h"

#include <stddef.h>
#include <string.h>

#include <dpr/queue.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/kernel_files.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/target.h"
#include "core/base/mem.h"

/* The bits of an element are moved as `parts` elements of `dtype`. */
struct bits {
	dpr_dtype dtype;
	/* the number of elements of `dtype` that make up one element */
	int parts;
};

/* An array that stands in for another array, and uses the memory of the other
   array.  The stand-in lives only during one call. */
union stand_in {
	dpr_array array;
	unsigned char
		room[sizeof(dpr_array) + 2 * DPR_MAX_RANK * sizeof(int64_t)];
};

/* A graph under construction, and its operands. */
struct move {
	struct graph graph;
	const dpr_array *input[APPLY_OPERANDS];
	struct engine_scalar scalar[APPLY_OPERANDS];
};

static struct bits bits_of(const dpr_array *x)
{
	const dpr_device *device = dpr_queue_device(x->queue);

	switch (dpr_dtype_size(x->dtype)) {
	case 1: return (struct bits){ DPR_UINT8, 1 };
	case 2: return (struct bits){ DPR_UINT16, 1 };
	case 4: return (struct bits){ DPR_UINT32, 1 };
	case 8: return (struct bits){ DPR_UINT64, 1 };
	}
	if (dpr_dtype_computes(device, DPR_COMPLEX128))
		return (struct bits){ DPR_COMPLEX128, 1 };
	return (struct bits){ DPR_UINT64, 2 };
}

/* Make @to an array over the memory of @x.  Its elements are part number @part
   of each element of @x. */
static dpr_array *stand_in(union stand_in *to, const dpr_array *x,
			   struct bits bits, int part)
{
	dpr_array *array = &to->array;

	refs_init(&array->refs);
	array->dtype = bits.dtype;
	array->rank = x->rank;
	array->contiguous = x->contiguous && bits.parts == 1;
	array->kind = x->kind;
	array->queue = x->queue;
	array->usm = x->usm;
	array->offset = x->offset * bits.parts + part;
	array->size = x->size;
	for (int d = 0; d < x->rank; d++) {
		array->dim[d] = array_shape(x)[d];
		array->dim[x->rank + d] = array_strides(x)[d] * bits.parts;
	}
	return array;
}

static void move_begin(struct move *m)
{
	mem_zero(&m->graph, offsetof(struct graph, step));
}

static int add_input(struct move *m, const dpr_array *x)
{
	m->input[m->graph.n_inputs] = x;
	return graph_input(&m->graph, x->dtype);
}

static int add_scalar(struct move *m, dpr_dtype dtype,
		      const struct engine_scalar *value)
{
	m->scalar[m->graph.n_scalars] = *value;
	return graph_scalar(&m->graph, dtype);
}

static int add_cast(struct move *m, dpr_dtype dtype, int step)
{
	return m->graph.step[step].dtype == (uint8_t)dtype
		       ? step
		       : graph_cast(&m->graph, dtype, step);
}

/* Launch the graph: compute @step into @out.  The elements of @out are part
   number @part of whole elements, which have @parts parts. */
static dpr_status move_end(struct move *m, const char *what, int step,
			   dpr_array *out, int part, int parts)
{
	const struct engine_call call = { .what = what,
					  .graph = &m->graph,
					  .results = &out,
					  .inputs = m->input,
					  .scalars = m->scalar,
					  .whole = out->size * parts,
					  .rest = part > 0 };
	dpr_status status;

	graph_result(&m->graph, step);
	status = engine_run(&call);
	return status && part ? array_stopped(out, status) : status;
}

dpr_status cast_copy_fill_cast(const dpr_array *x, dpr_array *out)
{
	struct move m;

	move_begin(&m);
	return move_end(&m, "cast", add_cast(&m, out->dtype, add_input(&m, x)),
			out, 0, 1);
}

bool cast_copy_fill_can_copy(const dpr_array *x)
{
	dpr_device *device = dpr_queue_device(x->queue);
	const struct graph_step step = { .kind = GRAPH_INPUT,
					 .dtype = (uint8_t)bits_of(x).dtype };
	const struct schedule schedule =
		kernel_files_schedule(SCHEDULE_STRIDED);
	const struct target *target = target_of(device);
	char name[KERNEL_FILES_NAME];
	struct graph graph;

	if (!target->format->in_files)
		return engine_format(device) != NULL;
	kernel_files_graph(&step, &graph);
	kernel_files_name(&graph, &schedule, name);
	return kernel_files_is_there(device, target->format_name, name);
}

dpr_status cast_copy_fill_copy(const dpr_array *x, dpr_array *out)
{
	const struct bits bits = bits_of(out);
	union stand_in from, to;
	dpr_status status = DPR_OK;
	struct move m;

	for (int part = 0; !status && part < bits.parts; part++) {
		move_begin(&m);
		status = move_end(&m, "copy",
				  add_input(&m, stand_in(&from, x, bits, part)),
				  stand_in(&to, out, bits, part), part,
				  bits.parts);
	}
	return status;
}

dpr_status cast_copy_fill_keep(const char *what, const dpr_array *x,
			       const dpr_array *index, dpr_array *out)
{
	static const struct engine_scalar zero;
	const struct bits bits = bits_of(out);
	dpr_status status = DPR_OK;
	union stand_in from, to;
	struct move m;
	int step[3];

	for (int part = 0; !status && part < bits.parts; part++) {
		move_begin(&m);
		m.input[m.graph.n_inputs] = index;
		step[0] = graph_index(&m.graph);
		step[1] = add_scalar(&m, DPR_INT64, &zero);
		step[0] = graph_operation(&m.graph, OPERATION__greater_equal,
					  DPR_INT64, DPR_BOOL, 2, step);
		step[1] = add_input(&m, stand_in(&from, x, bits, part));
		step[2] = add_scalar(&m, bits.dtype, &zero);
		status = move_end(
			&m, what, graph_where(&m.graph, bits.dtype, step),
			stand_in(&to, out, bits, part), part, bits.parts);
	}
	return status;
}

/* Part number @part of the element with the bits @bits.  Only an element of 16
   bytes has a part 1. */
static struct engine_scalar part_of(const struct engine_scalar *bits, int part)
{
	struct engine_scalar half = { { 0 } };

	if (part == 0)
		return *bits;
	memcpy(half.bytes, bits->bytes + 8, 8);
	return half;
}

dpr_status cast_copy_fill_fill(dpr_array *out,
			       const struct engine_scalar *value)
{
	const struct bits bits = bits_of(out);
	dpr_status status = DPR_OK;
	union stand_in to;
	struct move m;

	for (int part = 0; !status && part < bits.parts; part++) {
		const struct engine_scalar half = part_of(value, part);

		move_begin(&m);
		status = move_end(&m, "fill", add_scalar(&m, bits.dtype, &half),
				  stand_in(&to, out, bits, part), part,
				  bits.parts);
	}
	return status;
}

/* Whether where() needs no cast: the two arrays to choose from, and the result,
   have @dtype.  Scalars do not count. */
static bool is_exact(const struct apply_call *call, dpr_dtype dtype)
{
	bool exact = call->out->dtype == dtype;

	for (int k = 1; k < 3; k++)
		exact &= !call->x[k] || call->x[k]->dtype == dtype;
	return exact;
}

/* Convert a scalar from the type in which elements of @dtype are stored to the
   type in which @dtype is computed.  A 16-bit float becomes a float. */
static struct engine_scalar computed(struct engine_scalar value,
				     dpr_dtype dtype)
{
	(void)scalar_store_computed("where", scalar_load(value.bytes, dtype),
				    dtype, value.bytes);
	return value;
}

static dpr_status choose_cast(const struct apply_call *call, dpr_dtype dtype)
{
	struct move m;
	int x[3];

	move_begin(&m);
	x[0] = add_input(&m, call->x[0]);
	for (int k = 1; k < 3; k++) {
		const struct engine_scalar value =
			computed(call->value[k], dtype);

		x[k] = call->x[k]
			       ? add_cast(&m, dtype, add_input(&m, call->x[k]))
			       : add_scalar(&m, dtype, &value);
	}
	return move_end(
		&m, call->what,
		add_cast(&m, call->out->dtype, graph_where(&m.graph, dtype, x)),
		call->out, 0, 1);
}

static dpr_status choose_bits(const struct apply_call *call, struct bits bits,
			      int part)
{
	union stand_in value[2], to;
	struct move m;
	int x[3];

	move_begin(&m);
	x[0] = add_input(&m, call->x[0]);
	for (int k = 1; k < 3; k++) {
		const struct engine_scalar half =
			part_of(&call->value[k], part);

		x[k] = call->x[k]
			       ? add_input(&m, stand_in(&value[k - 1],
							call->x[k], bits, part))
			       : add_scalar(&m, bits.dtype, &half);
	}
	return move_end(&m, call->what, graph_where(&m.graph, bits.dtype, x),
			stand_in(&to, call->out, bits, part), part, bits.parts);
}

dpr_status cast_copy_fill_where(const struct apply_call *call, dpr_dtype dtype)
{
	const struct bits bits = bits_of(call->out);
	dpr_status status = DPR_OK;

	if (!is_exact(call, dtype))
		return choose_cast(call, dtype);
	for (int part = 0; !status && part < bits.parts; part++)
		status = choose_bits(call, bits, part);
	return status;
}
