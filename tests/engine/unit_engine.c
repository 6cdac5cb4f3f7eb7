/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_engine.c - kernels of the engine have the same bits as the functions of
 * one step: each operation, choice and cast by itself in every layout, in place
 * too, and random graphs of many steps.  Inputs without memory are compared
 * with arrays of the same numbers.  Threads run many graphs while few kernels
 * are kept. A NaN is equal to every NaN.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl).  DPR_TEST_ALL takes
 * all dtypes and more graphs, which drivers compile for minutes; on CUDA some
 * operations are always checked so.  DPR_TEST_SEED repeats a run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/engine.h"
#include "core/array/engine/schedule.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/operations.h"
#include "core/array/functions/elementwise.h"
#include "kernels/images.h"
#include "tests/support/bits.h"
#include "tests/engine/sweep.h"

#define ELEMENTS 12000
#define MOST_BYTES (ELEMENTS * 16)

static bool whole;
static bool is_quick; /* the device's driver builds a kernel in milliseconds */

enum {
	FLAT,
	SHIFTED,
	ROWS,
	TRANSPOSED,
	SQUARES,
	BATCH,
	DEEP,
	STEPS,
	ONE,
	SAME_SHAPES, /* in all layouts before it */
	EMPTY = SAME_SHAPES,
	ROW,
	MIXED,
	LAYOUTS
};

/* Whether a case is checked in @layout.  Drivers compile each one, so that by
   default each has one layout. */
static bool is_turn(int number, int layout)
{
	return whole || (number % LAYOUTS == layout && !sweep_leaves_out());
}

/* The operations that are checked in every layout nevertheless. */
static bool is_sample(int op)
{
	return is_quick && (op == OPERATION__add || op == OPERATION__equal ||
			    op == OPERATION__multiply_add);
}

/* --- Operands ----------------------------------------------------------- */

/* Small whole numbers mostly, then fractions of all sizes and special values,
   as floats of 4 bytes. */
static double some_number(void)
{
	static const double special[] = { 0.0,   -0.0, INFINITY, -INFINITY,
					  NAN,   1e30, -1e-30,   70000.5,
					  1e-40, 3e6 };

	switch (random_between(&rng, 0, 5)) {
	case 0: return special[random_between(&rng, 0, 9)];
	case 1:
	case 2: return (double)random_between(&rng, -9, 9);
	default: return (double)random_between(&rng, -1000000, 1000000) / 65536;
	}
}

/* A contiguous array of ELEMENTS numbers. */
static dpr_array *new_numbers(dpr_dtype dtype)
{
	static double numbers[ELEMENTS];
	static unsigned char bytes[MOST_BYTES];
	const int64_t n = ELEMENTS;
	dpr_array *from, *out;

	for (int i = 0; i < ELEMENTS; i++)
		numbers[i] = some_number();
	if (dpr_dtype_kind(dtype) == 'f') {
		static float floats[ELEMENTS];

		for (int i = 0; i < ELEMENTS; i++)
			floats[i] = (float)numbers[i];
		MUST(dpr_array_from_memory(floats, DPR_SHAPE(n), NULL,
					   DPR_FLOAT32, queue, &from));
		MUST(dpr_astype(from, dtype, &out));
		dpr_array_release(from);
		return out;
	}
	for (int i = 0; i < MOST_BYTES; i++)
		bytes[i] = (unsigned char)random_next(&rng);
	if (dpr_dtype_kind(dtype) == 'b')
		for (int i = 0; i < ELEMENTS; i++)
			bytes[i] &= 1;
	if (dtype == DPR_COMPLEX64)
		for (int i = 0; i < ELEMENTS; i++) {
			const float parts[] = { (float)numbers[i],
						(float)some_number() };

			memcpy(bytes + i * sizeof(parts), parts, sizeof(parts));
		}
	if (dtype == DPR_COMPLEX128)
		for (int i = 0; i < ELEMENTS; i++) {
			const double parts[] = { numbers[i], some_number() };

			memcpy(bytes + i * sizeof(parts), parts, sizeof(parts));
		}
	MUST(dpr_array_from_memory(bytes, DPR_SHAPE(n), NULL, dtype, queue,
				   &out));
	return out;
}

/* --- Layouts ------------------------------------------------------------ */

/* A view of the first elements of @base with @shape, then with its axes in the
   order @axes. */
static dpr_array *permuted(const dpr_array *base, dpr_shape shape,
			   const int *axes)
{
	int64_t count = 1;
	dpr_array *a, *b, *c;

	for (int d = 0; d < shape.rank; d++)
		count *= shape.dim[d];
	MUST(dpr_array_view(base, &a, DPR_SLICE(0, count, 1)));
	MUST(dpr_reshape(a, shape, &b));
	MUST(dpr_permute_dims(b, axes, &c));
	dpr_array_release(a);
	dpr_array_release(b);
	return c;
}

/* Views that are contiguous along another axis than the last: of whole squares
   of the schedule for them, or with axes around it. */
static dpr_array *new_squares(const dpr_array *base, int layout, int k)
{
	static const int same[] = { 0, 1, 2 }, transposed[] = { 1, 0 };
	static const int last[] = { 0, 2, 1 }, first[] = { 2, 0, 1 };

	switch (layout) {
	case SQUARES:
		return k == 2 ? permuted(base, DPR_SHAPE(64, 128), same)
			      : permuted(base, DPR_SHAPE(128, 64), transposed);
	case BATCH:
		return k == 0   ? permuted(base, DPR_SHAPE(17, 33, 20), last)
		       : k == 1 ? permuted(base, DPR_SHAPE(17, 20, 33), same)
				: permuted(base, DPR_SHAPE(20, 33, 17), first);
	}
	return k == 0   ? permuted(base, DPR_SHAPE(100, 90), transposed)
	       : k == 1 ? permuted(base, DPR_SHAPE(90, 1), same)
			: permuted(base, DPR_SHAPE(1, 100), same);
}

/* A view of @base in @layout, for operand @k.  In ROW and MIXED the operands
   have shapes that are broadcast. */
static dpr_array *new_view(const dpr_array *base, int layout, int k)
{
	static const int transposed[] = { 1, 0 };
	static const int deep[] = { 9, 0, 8, 1, 7, 2, 6, 3, 5, 4 };
	dpr_array *a, *b, *c;

	switch (layout) {
	case SQUARES:
	case BATCH:
	case MIXED: return new_squares(base, layout, k);
	case FLAT:
		MUST(dpr_array_view(base, &a, DPR_SLICE(0, 9001, 1)));
		return a;
	case SHIFTED:
		MUST(dpr_array_view(base, &a, DPR_SLICE(1 + k, 5002 + k, 1)));
		return a;
	case STEPS:
		MUST(dpr_array_view(base, &a, DPR_SLICE(k, 3 * 1500 + k, 3)));
		return a;
	case ONE:
		MUST(dpr_array_view(base, &a, DPR_SLICE(k, k + 1, 1)));
		return a;
	case EMPTY:
		MUST(dpr_array_view(base, &a, DPR_SLICE(0, 0, 1)));
		return a;
	case DEEP:
		MUST(dpr_array_view(base, &a, DPR_SLICE(0, 1024, 1)));
		MUST(dpr_reshape(a, DPR_SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
				 &b));
		MUST(dpr_permute_dims(b, deep, &c));
		break;
	case ROW:
		MUST(dpr_array_view(base, &a, DPR_SLICE(0, 40 * 300, 1)));
		MUST(dpr_reshape(a, DPR_SHAPE(40, 300), &b));
		if (k == 0)
			MUST(dpr_array_view(b, &c, DPR_ALL));
		else if (k == 1)
			MUST(dpr_array_view(b, &c, DPR_AT(3)));
		else
			MUST(dpr_array_view(b, &c, DPR_ALL,
					    DPR_SLICE(5, 6, 1)));
		break;
	default:
		MUST(dpr_array_view(base, &a, DPR_SLICE(0, 90 * 130, 1)));
		MUST(dpr_reshape(a, DPR_SHAPE(90, 130), &b));
		MUST(dpr_array_view(b, &c, DPR_ALL, DPR_SLICE(3, 93, 1)));
		if (layout == TRANSPOSED && k % 2 == 0) {
			dpr_array_release(b);
			b = c;
			MUST(dpr_permute_dims(b, transposed, &c));
		}
		break;
	}
	dpr_array_release(a);
	dpr_array_release(b);
	return c;
}

/* An input of @like's shape without memory, that counts @start + @step * the
   place along @axis; *@values gets an array of that. */
static dpr_array *new_index(const dpr_array *like, int axis, int64_t start,
			    int64_t step, dpr_array **values)
{
	static int64_t value[ELEMENTS];
	const dpr_shape shape = dpr_shape_of(like->rank, array_shape(like));
	int64_t after = 1;

	for (int d = axis + 1; d < like->rank; d++)
		after *= array_shape(like)[d];
	for (int64_t i = 0; i < like->size; i++)
		value[i] = start + step * (i / after % array_shape(like)[axis]);
	MUST(dpr_array_from_memory(value, shape, NULL, DPR_INT64, queue,
				   values));
	return sweep_index(like, axis, start, step);
}

/* --- Comparing ---------------------------------------------------------- */

static void compare(const dpr_array *have, const dpr_array *want,
		    const char *what, int layout)
{
	checks++;
	if (bits_equal(have, want))
		return;
	if (wrong++ < 20)
		printf("%s: %s, layout %d: other bits\n", dpr_queue_name(queue),
		       what, layout);
}

/* Whether dpr_astype() casts so. */
static bool can_cast(dpr_dtype from, dpr_dtype to)
{
	return dpr_dtype_computes(dpr_queue_device(queue), to) &&
	       (dpr_dtype_kind(from) != 'c' || dpr_dtype_kind(to) == 'c');
}

/* --- One step ----------------------------------------------------------- */

static dpr_array *new_like(const dpr_array *want)
{
	dpr_array *out;

	MUST(array_new("test", want->dtype, want->rank, array_shape(want),
		       queue, DPR_USM_DEVICE, &out));
	return out;
}

/* Compute @graph, which has one result, as @want; in place too if its first
   input has the result's layout. */
static void check_graph(const struct graph *graph, dpr_array **x,
			const dpr_array *want, const char *what, int layout)
{
	dpr_array *out = new_like(want), *copy;
	const dpr_array *inputs[GRAPH_INPUTS];
	struct engine_call call = {
		.what = what, .graph = graph, .results = &out, .inputs = inputs
	};

	for (int k = 0; k < graph->n_inputs; k++)
		inputs[k] = x[k];
	MUST(engine_run(&call));
	compare(out, want, what, layout);
	dpr_array_release(out);
	if (!x[0]->usm || x[0]->dtype != want->dtype ||
	    !array_same_shape(x[0], want))
		return;
	MUST(dpr_copy(x[0], &copy));
	inputs[0] = out = copy;
	MUST(engine_run(&call));
	compare(out, want, what, layout);
	dpr_array_release(copy);
}

static void check_operation(int op, dpr_dtype dtype, dpr_array **x, int layout)
{
	const struct operations_entry *o = &operations_table[op];
	dpr_operand operands[3] = { 0 };
	struct graph graph = { 0 };
	dpr_array *want, *copy[3];
	int step[3];

	/* Contiguous, since the function may itself have a graph computed. */
	for (int i = 0; i < o->n; i++) {
		MUST(dpr_copy(x[i], &copy[i]));
		operands[i] = dpr_operand_array(copy[i]);
		step[i] = graph_input(&graph, dtype);
	}
	MUST(elementwise_run(op, operands, &want));
	graph_result(&graph, graph_operation(&graph, (unsigned)op, dtype,
					     want->dtype, o->n, step));
	check_graph(&graph, x, want, o->name, layout);
	for (int i = 0; i < o->n; i++)
		dpr_array_release(copy[i]);
	dpr_array_release(want);
}

static void check_where(dpr_dtype dtype, dpr_array **x, int layout)
{
	struct graph graph = { 0 };
	dpr_array *want, *condition, *all[3];
	int step[3];

	MUST(dpr_not_equal(x[0], 0, &condition));
	MUST(dpr_where(condition, dpr_operand_array(x[1]),
		       dpr_operand_array(x[2]), &want));
	step[0] = graph_input(&graph, DPR_BOOL);
	step[1] = graph_input(&graph, dtype);
	step[2] = graph_input(&graph, dtype);
	graph_result(&graph, graph_where(&graph, dtype, step));
	all[0] = condition;
	all[1] = x[1];
	all[2] = x[2];
	check_graph(&graph, all, want, "where", layout);
	dpr_array_release(condition);
	dpr_array_release(want);
}

static void check_casts(dpr_dtype dtype, dpr_array **x, int layout)
{
	for (unsigned to = DPR_BOOL; to <= DPR_COMPLEX128; to++) {
		struct graph graph = { 0 };
		dpr_array *want;

		if (to == (unsigned)dtype || !can_cast(dtype, (dpr_dtype)to) ||
		    !is_turn((int)(to + dtype), layout))
			continue;
		MUST(dpr_astype(x[0], (dpr_dtype)to, &want));
		graph_result(&graph, graph_cast(&graph, to,
						graph_input(&graph, dtype)));
		check_graph(&graph, x, want, dpr_dtype_name((dpr_dtype)to),
			    layout);
		dpr_array_release(want);
	}
}

static void check_dtype(dpr_dtype dtype)
{
	const char kind = dpr_dtype_kind(dtype);
	dpr_array *base[3], *x[3];

	for (int k = 0; k < 3; k++)
		base[k] = new_numbers(dtype);
	for (int layout = 0; layout < LAYOUTS; layout++) {
		for (int k = 0; k < 3; k++)
			x[k] = new_view(base[k], layout, k);
		for (int op = 0; op < OPERATION_COUNT; op++)
			if (operations_takes_computed((unsigned)op) &&
			    strchr(operations_table[op].classes, kind) &&
			    !strchr(operations_table[op].identity, kind) &&
			    (is_turn(op, layout) || is_sample(op)))
				check_operation(op, dtype, x, layout);
		if (is_turn(dtype, layout) || is_quick)
			check_where(dtype, x, layout);
		check_casts(dtype, x, layout);
		for (int k = 0; k < 3; k++)
			dpr_array_release(x[k]);
	}
	for (int k = 0; k < 3; k++)
		dpr_array_release(base[k]);
}

/* --- Inputs without memory ---------------------------------------------- */

/* Check graphs on the index @x[0], whose values are @values: alone or cast, and
   added to @x[1]. */
static void check_index(dpr_array **x, dpr_array *values, int layout)
{
	const unsigned dtype = x[1]->dtype;
	struct graph alone = { 0 }, beside = { 0 };
	dpr_array *want, *cast;
	int at[2];

	at[0] = graph_index(&alone);
	if (layout % 2)
		at[0] = graph_cast(&alone, dtype, at[0]);
	graph_result(&alone, at[0]);
	MUST(dpr_astype(values, x[1]->dtype, &cast));
	check_graph(&alone, x, layout % 2 ? cast : values, "index", layout);
	MUST(dpr_add(cast, x[1], &want));
	at[0] = graph_cast(&beside, dtype, graph_index(&beside));
	at[1] = graph_input(&beside, dtype);
	graph_result(&beside, graph_operation(&beside, OPERATION__add, dtype,
					      dtype, 2, at));
	check_graph(&beside, x, want, "index and array", layout);
	dpr_array_release(cast);
	dpr_array_release(want);
}

static void check_indices(void)
{
	static const int64_t steps[] = { 1, 1, -1, 3, -70000 };
	dpr_array *base[2] = { new_numbers(DPR_FLOAT32),
			       new_numbers(DPR_INT16) };

	for (int layout = 0; layout <= EMPTY; layout++)
		for (int k = 0; k < 3; k++) {
			const int64_t step = steps[random_between(&rng, 0, 4)];
			dpr_array *x[2], *values;

			if (!whole && !is_quick &&
			    (k != layout % 3 ||
			     (sweep_every > 1 && random_between(&rng, 0, 1))))
				continue;
			x[1] = new_view(base[k % 2], layout, k);
			x[0] = new_index(x[1], k % x[1]->rank,
					 random_between(&rng, -9, 9), step,
					 &values);
			check_index(x, values, layout);
			dpr_array_release(x[0]);
			dpr_array_release(x[1]);
			dpr_array_release(values);
		}
	dpr_array_release(base[0]);
	dpr_array_release(base[1]);
}

/* --- Random graphs ------------------------------------------------------ */

/* A graph, and the value of each of its steps as the functions compute it. */
struct pattern {
	struct graph graph;
	dpr_array *value[GRAPH_STEPS];
	const dpr_array *input[GRAPH_INPUTS];
	struct engine_scalar scalar[GRAPH_SCALARS];
};

static int some_step(const struct pattern *p)
{
	return (int)random_between(&rng, 0, p->graph.n_steps - 1);
}

/* A step of dtype @dtype that gives the value of @step. */
static int as_dtype(struct pattern *p, int step, dpr_dtype dtype)
{
	const int n = p->graph.n_steps;
	int cast;

	if (p->graph.step[step].dtype == (uint8_t)dtype)
		return step;
	if (!can_cast((dpr_dtype)p->graph.step[step].dtype, dtype))
		return -1;
	cast = graph_cast(&p->graph, (unsigned)dtype, step);
	if (cast == n)
		MUST(dpr_astype(p->value[step], dtype, &p->value[cast]));
	return cast;
}

static void add_operation(struct pattern *p)
{
	const int op = (int)random_between(&rng, 0, OPERATION_COUNT - 1);
	const struct operations_entry *o = &operations_table[op];
	const int n = p->graph.n_steps;
	dpr_operand operands[3] = { 0 };
	int x[3], step;
	dpr_array *made;
	dpr_dtype dtype = DPR_BOOL, result;

	for (int i = 0; i < o->n; i++) {
		x[i] = some_step(p);
		dtype = (dpr_dtype)p->graph.step[x[i]].dtype;
	}
	if (!operations_takes_computed((unsigned)op) ||
	    !strchr(o->classes, dpr_dtype_kind(dtype)) ||
	    strchr(o->identity, dpr_dtype_kind(dtype)))
		return;
	for (int i = 0; i < o->n; i++) {
		if (!p->value[x[i]])
			return;
		x[i] = as_dtype(p, x[i], dtype);
		if (x[i] < 0)
			return;
		operands[i] = dpr_operand_array(p->value[x[i]]);
	}
	MUST(elementwise_run(op, operands, &made));
	result = made->dtype;
	step = graph_operation(&p->graph, (unsigned)op, (unsigned)dtype,
			       (unsigned)result, o->n, x);
	if (step >= n && step == p->graph.n_steps - 1 && !p->value[step])
		p->value[step] = made;
	else
		dpr_array_release(made);
}

static void add_where(struct pattern *p)
{
	int x[3] = { some_step(p), some_step(p), some_step(p) }, step;
	dpr_array *made;
	dpr_dtype dtype = (dpr_dtype)p->graph.step[x[1]].dtype;

	x[0] = as_dtype(p, x[0], DPR_BOOL);
	x[2] = as_dtype(p, x[2], dtype);
	if (x[0] < 0 || x[2] < 0)
		return;
	MUST(dpr_where(p->value[x[0]], dpr_operand_array(p->value[x[1]]),
		       dpr_operand_array(p->value[x[2]]), &made));
	step = graph_where(&p->graph, (unsigned)dtype, x);
	if (step >= 0 && !p->value[step])
		p->value[step] = made;
	else
		dpr_array_release(made);
}

/* A number, of which the functions make an array to compare with. */
static void add_scalar(struct pattern *p, dpr_dtype dtype)
{
	const int at = p->graph.n_scalars,
		  step = graph_scalar(&p->graph, dtype);
	const dpr_operand value = dpr_operand_int(random_between(&rng, 0, 1));

	if (step < 0)
		return;
	MUST(scalar_store_computed("test", value, dtype, p->scalar[at].bytes));
	MUST(dpr_full_like(p->input[0], value, dtype, &p->value[step]));
}

/* An input without memory. */
static void add_index(struct pattern *p)
{
	const int at = p->graph.n_inputs, step = graph_index(&p->graph);
	const int last = p->input[0]->rank - 1;
	const int64_t start = random_between(&rng, -4, 4);

	p->input[at] =
		new_index(p->input[0], (int)random_between(&rng, 0, last),
			  start, start > 2 ? -7 : 1, &p->value[step]);
}

/* Remove the steps that no result needs: a graph has none. */
static void prune(struct pattern *p, const int *results, int n_results,
		  struct pattern *out)
{
	bool used[GRAPH_STEPS] = { false };
	int to[GRAPH_STEPS];

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < n_results; i++)
		used[results[i]] = true;
	for (int i = p->graph.n_steps - 1; i >= 0; i--)
		for (int k = 0; used[i] && k < p->graph.step[i].n; k++)
			used[p->graph.step[i].x[k]] = true;
	for (int i = 0; i < p->graph.n_steps; i++) {
		struct graph_step step = p->graph.step[i];
		const int at = out->graph.n_steps;

		if (!used[i])
			continue;
		to[i] = at;
		for (int k = 0; k < step.n; k++)
			step.x[k] = (uint16_t)to[step.x[k]];
		if (graph_is_input(&step)) {
			out->input[out->graph.n_inputs] = p->input[step.at];
			step.at = out->graph.n_inputs++;
		} else if (step.kind == GRAPH_SCALAR) {
			out->scalar[out->graph.n_scalars] = p->scalar[step.at];
			step.at = out->graph.n_scalars++;
		}
		out->graph.step[out->graph.n_steps++] = step;
		out->value[at] = p->value[i];
	}
	for (int i = 0; i < n_results; i++)
		graph_result(&out->graph, to[results[i]]);
}

static void run_pattern(struct pattern *p, const int *results, int n_results,
			int layout)
{
	dpr_array *out[GRAPH_RESULTS];
	struct pattern used;
	struct engine_call call;

	prune(p, results, n_results, &used);
	call = (struct engine_call){ .what = "graph",
				     .graph = &used.graph,
				     .results = out,
				     .inputs = used.input,
				     .scalars = used.scalar };
	for (int i = 0; i < n_results; i++)
		out[i] = new_like(used.value[used.graph.result[i]]);
	MUST(engine_run(&call));
	for (int i = 0; i < n_results; i++) {
		compare(out[i], used.value[used.graph.result[i]], "graph",
			layout);
		dpr_array_release(out[i]);
	}
}

static void check_pattern(dpr_array *const *base, const dpr_dtype *dtypes,
			  int n_dtypes)
{
	const int layout = (int)random_between(&rng, 0, SAME_SHAPES - 1);
	const int inputs = (int)random_between(&rng, 1, n_dtypes);
	const int steps = (int)random_between(&rng, 2, 40);
	struct pattern p = { 0 };
	int results[GRAPH_RESULTS], n = 0;

	for (int k = 0; k < inputs; k++) {
		const int at = (int)random_between(&rng, 0, n_dtypes - 1);
		/* The operands have one shape: the functions broadcast step by
		   step. */
		dpr_array *x = new_view(base[at], layout, k % 3);

		MUST(dpr_copy(x, &p.value[graph_input(&p.graph, dtypes[at])]));
		p.input[k] = x;
	}
	if (random_between(&rng, 0, 2) == 0)
		add_index(&p);
	for (int i = 0; i < steps; i++)
		switch (random_between(&rng, 0, 5)) {
		case 0: add_where(&p); break;
		case 1:
			add_scalar(
				&p,
				dtypes[random_between(&rng, 0, n_dtypes - 1)]);
			break;
		default: add_operation(&p); break;
		}
	for (int i = p.graph.n_steps - 1; i >= 0 && n < GRAPH_RESULTS; i -= 3)
		if (p.graph.step[i].kind != GRAPH_SCALAR)
			results[n++] = i;
	if (n)
		run_pattern(&p, results, n, layout);
	for (int i = 0; i < p.graph.n_steps; i++)
		dpr_array_release(p.value[i]);
	for (int k = 0; k < p.graph.n_inputs; k++)
		dpr_array_release((dpr_array *)p.input[k]);
}

static void check_patterns(long count)
{
	dpr_dtype dtypes[DPR_COMPLEX128];
	dpr_array *base[DPR_COMPLEX128];
	int n = 0;

	for (unsigned d = DPR_BOOL; d <= DPR_COMPLEX128; d++)
		if (dpr_dtype_computes(dpr_queue_device(queue), (dpr_dtype)d))
			dtypes[n++] = (dpr_dtype)d;
	for (int i = 0; i < n; i++)
		base[i] = new_numbers(dtypes[i]);
	for (long i = 0; i < count; i++)
		check_pattern(base, dtypes, n);
	for (int i = 0; i < n; i++)
		dpr_array_release(base[i]);
}

/* --- Threads ------------------------------------------------------------ */

#define THREADS 8
#define GRAPHS 50
#define RUNS 300
#define FEW 16 /* elements */

static _Atomic long wrong_chains;

/* Graph @number: six steps that are each v + x or v * x.  Returns the value
   that it gives. */
static float make_chain(struct graph *graph, unsigned number, float x)
{
	const int input = graph_input(graph, DPR_FLOAT32);
	float value = x;
	int step = input;

	for (unsigned bit = 0; bit < 6; bit++) {
		const bool adds = number >> bit & 1;

		step = graph_operation(
			graph, adds ? OPERATION__add : OPERATION__multiply,
			DPR_FLOAT32, DPR_FLOAT32, 2, (int[]){ step, input });
		value = adds ? value + x : value * x;
	}
	graph_result(graph, step);
	return value;
}

static void run_chain(const dpr_array *x, dpr_array *out, unsigned number)
{
	float have[FEW], want;
	struct graph graph = { 0 };
	struct engine_call call = {
		.what = "chain", .graph = &graph, .results = &out, .inputs = &x
	};

	want = make_chain(&graph, number, 1.5f);
	MUST(engine_run(&call));
	MUST(dpr_array_to_memory(out, have, sizeof(have), NULL));
	for (int i = 0; i < FEW; i++)
		wrong_chains += have[i] != want;
}

static void *run_chains(void *number)
{
	unsigned at = *(const unsigned *)number;
	dpr_array *x, *out;

	MUST(dpr_full(DPR_SHAPE(FEW), 1.5, DPR_FLOAT32, queue, &x));
	out = new_like(x);
	for (int i = 0; i < RUNS; i++, at = (at + 7) % GRAPHS)
		run_chain(x, out, at);
	dpr_array_release(x);
	dpr_array_release(out);
	return NULL;
}

/* Threads that want many kernels, of which few are kept. */
static void check_threads(void)
{
	pthread_t threads[THREADS];
	unsigned numbers[THREADS];

	kernel_store_keep(4);
	for (unsigned i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, run_chains, &numbers[i]))
			exit(99);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	kernel_store_keep(0);
	checks++;
	wrong += wrong_chains != 0;
	if (wrong_chains)
		printf("%s: threads: wrong values\n", dpr_queue_name(queue));
}

/* --- Devices ------------------------------------------------------------ */

static bool is_taken(dpr_dtype dtype)
{
	return dpr_dtype_computes(dpr_queue_device(queue), dtype) &&
	       (whole || is_quick || dtype == DPR_INT8 ||
		(dtype == DPR_FLOAT16 && sweep_every == 1) ||
		dtype == DPR_FLOAT32);
}

static void run_device(dpr_device *device)
{
	MUST(dpr_device_queue(device, &queue));
	is_quick = !strcmp(engine_format(device), "ptx");
	sweep_thin(device, 61);
	for (unsigned d = DPR_BOOL; d <= DPR_COMPLEX128; d++)
		if (is_taken((dpr_dtype)d))
			check_dtype((dpr_dtype)d);
	check_indices();
	check_patterns(whole ? 300 : sweep_every > 1 ? 2 : 20);
	/* On other devices each turn would have the driver compile. */
	if (!strcmp(engine_format(device), DPR_NATIVE_FORMAT))
		check_threads();
	printf("%s, %s: %ld comparisons so far, %ld wrong\n",
	       dpr_device_selector(device), engine_format(device), checks,
	       wrong);
}

static bool is_for(dpr_device *device)
{
	return engine_format(device) && !exact_memory(device);
}

int main(void)
{
	whole = getenv("DPR_TEST_ALL") != NULL;
	return sweep("host,opencl", is_for, run_device,
		     "no device takes kernels of the engine");
}
