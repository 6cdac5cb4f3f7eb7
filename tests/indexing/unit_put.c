/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_put.c - results stored at places that a step computes (GRAPH_PUT),
 * compared with a loop in C.  If several values reach an element, the element
 * has one of them.  All other elements stay as they were.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl, and OpenCL's CPUs with
 * the kernels of GPUs).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/operations.h"
#include "tests/engine/sweep.h"

#define ROOM 9000   /* elements of an operand, with gaps */
#define TARGET 9000 /* elements of the array that is written */
#define BEFORE 7    /* those before the first that can be written */
#define FILL 0x5a

/* --- Operands ------------------------------------------------------------- */

/* Ways in which an input lies: in C order, from the second element on,
   backwards, with the axes reversed, with gaps, and with one element for all
   along the last axis. */
enum { PLAIN, SHIFTED, BACKWARDS, REVERSED, GAPS, FIXED, WAYS };

struct shape {
	int rank;
	int64_t dim[DPR_MAX_RANK], size;
};

/* An input: its memory, and the index of each element in C order. */
struct input {
	unsigned char *bytes;
	int64_t *index;
	dpr_array *whole, *view;
};

static size_t size_of(dpr_dtype dtype)
{
	return dpr_dtype_size(dtype);
}

static void set_strides(const struct shape *shape, int way, int64_t *stride,
			int64_t *offset)
{
	int64_t n = way == GAPS ? 2 : 1;

	*offset = way == SHIFTED;
	for (int i = shape->rank - 1; i >= 0; i--) {
		const int d = way == REVERSED ? shape->rank - 1 - i : i;

		stride[d] = way == FIXED && d == shape->rank - 1 ? 0 : n;
		n *= stride[d] ? shape->dim[d] : 1;
		if (way != BACKWARDS)
			continue;
		*offset += (shape->dim[d] - 1) * stride[d];
		stride[d] = -stride[d];
	}
}

/* Make an input of @dtype; its memory has the bytes in @x->bytes. */
static void make_input(struct input *x, dpr_dtype dtype,
		       const struct shape *shape, int way)
{
	int64_t stride[DPR_MAX_RANK] = { 0 }, offset, rest;

	set_strides(shape, way, stride, &offset);
	MUST(dpr_array_from_memory(x->bytes, DPR_SHAPE(ROOM), NULL, dtype,
				   queue, &x->whole));
	MUST(dpr_array_over(dpr_array_usm(x->whole), offset,
			    dpr_shape_of(shape->rank, shape->dim), stride,
			    dtype, &x->view));
	x->index = malloc((size_t)shape->size * sizeof(*x->index));
	for (int64_t i = 0; i < shape->size; i++) {
		rest = i;
		x->index[i] = offset;
		for (int d = shape->rank - 1; d >= 0; d--) {
			x->index[i] += rest % shape->dim[d] * stride[d];
			rest /= shape->dim[d];
		}
	}
}

static void free_input(struct input *x)
{
	free(x->bytes);
	free(x->index);
	dpr_array_release(x->view);
	dpr_array_release(x->whole);
}

static struct input some_values(dpr_dtype dtype, const struct shape *shape,
				int way)
{
	struct input x = { .bytes = malloc(ROOM * size_of(dtype)) };

	for (size_t i = 0; i < ROOM * size_of(dtype); i++)
		x.bytes[i] = dtype == DPR_BOOL
				     ? random_next(&rng) & 1
				     : (unsigned char)random_next(&rng) & 0x3f;
	make_input(&x, dtype, shape, way);
	return x;
}

/* Places of elements, up to @most.  Some are negative. */
static struct input some_places(const struct shape *shape, int way,
				int64_t most)
{
	struct input x = { .bytes = malloc(ROOM * sizeof(int64_t)) };
	int64_t *place = (int64_t *)(void *)x.bytes;

	for (size_t i = 0; i < ROOM; i++)
		place[i] = random_between(&rng, 0, 9) == 0
				   ? random_between(&rng, INT64_MIN / 2, -1)
				   : random_between(&rng, 0, most);
	make_input(&x, DPR_INT64, shape, way);
	return x;
}

/* --- The array that is written -------------------------------------------- */

struct written {
	unsigned char before[TARGET * 16], after[TARGET * 16];
	bool reached[TARGET], right[TARGET];
	dpr_array *whole, *header;
	int64_t first;
};
static struct written written[2];

/* The elements along the last axis are @step apart, all others in one place. */
static void make_written(struct written *t, dpr_dtype dtype,
			 const struct shape *shape, int64_t step)
{
	const int last = shape->rank - 1;
	int64_t stride[DPR_MAX_RANK] = { 0 };

	memset(t->before, dtype == DPR_BOOL ? 1 : FILL, sizeof(t->before));
	memset(t->reached, 0, sizeof(t->reached));
	memset(t->right, 0, sizeof(t->right));
	MUST(dpr_array_from_memory(t->before, DPR_SHAPE(TARGET), NULL, dtype,
				   queue, &t->whole));
	stride[last] = step;
	t->first = BEFORE - (step < 0 ? (shape->dim[last] - 1) * step : 0);
	MUST(array_make(dtype, shape->rank, shape->dim, stride, t->first,
			t->whole->usm, queue, t->whole->kind, &t->header));
}

static void read_written(struct written *t, dpr_dtype dtype)
{
	MUST(dpr_array_to_memory(t->whole, t->after, TARGET * size_of(dtype),
				 NULL));
}

/* Note that a value of @size bytes was for @place elements behind place
   @own. */
static void note(struct written *t, int64_t own, int64_t place,
		 const void *value, size_t size)
{
	const int64_t at = t->first + own + place;

	if (place < 0)
		return;
	t->reached[at] = true;
	t->right[at] |= !memcmp(t->after + (size_t)at * size, value, size);
}

static void end_written(struct written *t, dpr_dtype dtype, const char *what)
{
	const size_t size = size_of(dtype);
	long bad = 0;

	for (size_t i = 0; i < TARGET; i++)
		bad += t->reached[i] ? !t->right[i]
				     : memcmp(t->before + i * size,
					      t->after + i * size, size) != 0;
	checks++;
	wrong += bad != 0;
	if (bad)
		printf("%s of %s: %ld elements are wrong\n", what,
		       dpr_dtype_name(dtype), bad);
	dpr_array_release(t->header);
	dpr_array_release(t->whole);
}

/* --- Graphs --------------------------------------------------------------- */

static void run_graph(const struct graph *graph, dpr_array *const *results,
		      const dpr_array *const *inputs,
		      const struct engine_scalar *scalars)
{
	const struct engine_call call = { .what = "put",
					  .graph = graph,
					  .results = results,
					  .inputs = inputs,
					  .scalars = scalars };

	MUST(engine_run(&call));
}

/* Elements of one array, at the places in another.  With @few most places are
   equal to others.  The elements along the last axis are @step apart. */
static void check_input(dpr_dtype dtype, const struct shape *shape, int x_way,
			int place_way, bool few, int64_t step)
{
	const int64_t n = shape->dim[shape->rank - 1];
	const int64_t room = TARGET - 1 - BEFORE - (n - 1) * llabs(step);
	struct input x = some_values(dtype, shape, x_way);
	struct input at = some_places(shape, place_way, few ? 40 : room);
	const int64_t *place = (const int64_t *)(const void *)at.bytes;
	const dpr_array *inputs[] = { x.view, at.view };
	const size_t size = size_of(dtype);
	struct graph graph = { 0 };
	int value;

	value = graph_input(&graph, dtype);
	graph_result(&graph,
		     graph_put(&graph, value, graph_input(&graph, DPR_INT64)));
	make_written(&written[0], dtype, shape, step);
	run_graph(&graph, &written[0].header, inputs, NULL);
	read_written(&written[0], dtype);
	for (int64_t i = 0; i < shape->size; i++)
		note(&written[0], i % n * step, place[at.index[i]],
		     x.bytes + (size_t)x.index[i] * size, size);
	end_written(&written[0], dtype, "an input");
	free_input(&x);
	free_input(&at);
}

static int add_integers(struct graph *graph, unsigned operation, int x, int y)
{
	return graph_operation(graph, operation, DPR_INT64, DPR_INT64, 2,
			       (const int[]){ x, y });
}

/* Make a graph that stores a number at (p & mask) - 3 for each p of an input.
   A second result is p + 1, at the same places if @both is set. */
static void make_computed(struct graph *graph, bool both)
{
	const int value = graph_scalar(graph, DPR_FLOAT32);
	const int p = graph_input(graph, DPR_INT64);
	const int mask = graph_scalar(graph, DPR_INT64);
	const int three = graph_scalar(graph, DPR_INT64);
	const int place = add_integers(
		graph, OPERATION__subtract,
		add_integers(graph, OPERATION__bitwise_and, p, mask), three);
	const int sum = add_integers(graph, OPERATION__add, p,
				     graph_scalar(graph, DPR_INT64));

	graph_result(graph, graph_put(graph, value, place));
	graph_result(graph, both ? graph_put(graph, sum, place) : sum);
}

/* Store the same number everywhere, at computed places, with a second
   result. */
static void check_computed(const struct shape *shape, int way, bool both)
{
	const int64_t mask = 2047, three = 3, one = 1;
	const float value = 2.5f;
	struct engine_scalar scalar[4];
	struct input at = some_places(shape, way, TARGET);
	const int64_t *place = (const int64_t *)(const void *)at.bytes;
	const dpr_array *inputs[] = { at.view };
	struct graph graph = { 0 };
	dpr_array *results[2], *plain = NULL;
	int64_t *have;
	long bad = 0;

	memcpy(scalar[0].bytes, &value, sizeof(value));
	memcpy(scalar[1].bytes, &mask, sizeof(mask));
	memcpy(scalar[2].bytes, &three, sizeof(three));
	memcpy(scalar[3].bytes, &one, sizeof(one));
	make_computed(&graph, both);
	make_written(&written[0], DPR_FLOAT32, shape, 0);
	make_written(&written[1], DPR_INT64, shape, 0);
	MUST(dpr_empty(dpr_shape_of(shape->rank, shape->dim), DPR_INT64, queue,
		       &plain));
	results[0] = written[0].header;
	results[1] = both ? written[1].header : plain;
	run_graph(&graph, results, inputs, scalar);
	read_written(&written[0], DPR_FLOAT32);
	read_written(&written[1], DPR_INT64);
	have = calloc((size_t)shape->size, sizeof(*have));
	if (!both)
		MUST(dpr_array_to_memory(plain, have,
					 (size_t)shape->size * sizeof(*have),
					 NULL));
	for (int64_t i = 0; i < shape->size; i++) {
		const int64_t p = place[at.index[i]], sum = p + 1;

		note(&written[0], 0, (p & mask) - 3, &value, sizeof(value));
		if (both)
			note(&written[1], 0, (p & mask) - 3, &sum, sizeof(sum));
		else
			bad += have[i] != sum;
	}
	wrong += bad != 0;
	if (bad)
		printf("%ld elements beside a put are wrong\n", bad);
	end_written(&written[0], DPR_FLOAT32, "a number");
	end_written(&written[1], DPR_INT64, "a sum");
	free(have);
	dpr_array_release(plain);
	free_input(&at);
}

/* Each element at its position along the axes, of which some have a stride of
   0: rows are written over each other. */
static void check_positions(dpr_dtype dtype, const struct shape *shape, int way)
{
	struct input x = some_values(dtype, shape, way);
	int64_t stride[DPR_MAX_RANK] = { 0 };
	const size_t size = size_of(dtype);
	struct graph graph = { 0 };
	const dpr_array *inputs[2];
	dpr_array *index;
	int step;

	stride[shape->rank - 1] = 2;
	MUST(array_make(DPR_INT64, shape->rank, shape->dim, stride, -4, NULL,
			queue, DPR_USM_DEVICE, &index));
	inputs[0] = x.view;
	inputs[1] = index;
	step = graph_input(&graph, dtype);
	graph_result(&graph, graph_put(&graph, step, graph_index(&graph)));
	make_written(&written[0], dtype, shape, 0);
	run_graph(&graph, &written[0].header, inputs, NULL);
	read_written(&written[0], dtype);
	for (int64_t i = 0; i < shape->size; i++)
		note(&written[0], 0, i % shape->dim[shape->rank - 1] * 2 - 4,
		     x.bytes + (size_t)x.index[i] * size, size);
	end_written(&written[0], dtype, "positions");
	dpr_array_release(index);
	free_input(&x);
}

/* --- Devices -------------------------------------------------------------- */

static const struct shape shapes[] = {
	{ 1, { 1 }, 1 },
	{ 1, { 31 }, 31 },
	{ 1, { 4101 }, 4101 },
	{ 2, { 31, 133 }, 4123 },
	{ 2, { 3, 1300 }, 3900 },
	{ 3, { 5, 200, 4 }, 4000 },
	{ 10, { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, 1024 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void run_device(dpr_device *device)
{
	static const int64_t steps[] = { 0, 1, 2, -1 };

	MUST(dpr_device_queue(device, &queue));
	sweep_thin(device, 49);
	for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128; dtype++) {
		if (!dpr_dtype_computes(device, (dpr_dtype)dtype))
			continue;
		for (size_t s = 0; s < SHAPES; s++)
			for (int way = 0; way < WAYS; way++) {
				if (sweep_leaves_out())
					continue;
				check_input((dpr_dtype)dtype, &shapes[s], way,
					    (way * 5 + (int)dtype) % WAYS,
					    way % 2, steps[(way + (int)s) % 4]);
				check_positions((dpr_dtype)dtype, &shapes[s],
						way);
			}
	}
	for (size_t s = 0; s < SHAPES; s++)
		for (int way = 0; way < 2 * WAYS; way++)
			if (!sweep_leaves_out())
				check_computed(&shapes[s], way / 2, way % 2);
	check_input(DPR_FLOAT32, &shapes[2], PLAIN, PLAIN, false, 0);
	check_input(DPR_INT16, &shapes[4], PLAIN, FIXED, false, 1);
	check_input(DPR_INT16, &shapes[5], GAPS, FIXED, false, -2);
	check_computed(&shapes[3], BACKWARDS, true);
	printf("%s, %s: %ld comparisons so far, %ld wrong\n",
	       dpr_device_selector(device), engine_format(device), checks,
	       wrong);
}

static bool is_for(dpr_device *device)
{
	return engine_casts(device);
}

int main(void)
{
	return sweep_with_text("host,opencl", is_for, run_device,
			       "no device takes kernels of several steps");
}
