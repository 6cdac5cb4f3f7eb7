/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_reduce.c - reductions of every dtype and layout have the values of a
 * loop over the elements.  A kernel that computes several steps and reduces
 * them has the same bits as the functions one after the other.
 *
 * usage: unit_reduce [FIRST EVERY]: only dtype FIRST and every EVERY-th after
 * it
 *
 * The elements of the first part are small whole numbers, so that sums are
 * exact in every order.  DPR_TEST_DEVICES is a selector (default: host,opencl).
 * DPR_TEST_ALL takes all dtypes and more kernels, which drivers compile for
 * many minutes; DPR_TEST_SMALL leaves large arrays out, and DPR_TEST_TURNS
 * takes each shape for every fifth dtype only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/operations.h"
#include "core/array/engine/reduce/reduce_launch.h"
#include "core/array/engine/target.h"
#include "core/base/mem.h"
#include "tests/support/bits.h"
#include "tests/support/combined.h"
#include "tests/engine/sweep.h"

#define MOST (1 << 23)

static long refused;
static bool whole, small, turns;
static unsigned first_dtype = DPR_BOOL, every = 1;

typedef dpr_status (*function)(const dpr_array *, const dpr_axes *,
			       dpr_array **);
static const function functions[REDUCTION_COUNT] = {
#define REDUCTION(name, combine, sum, first, finish, text) dpr_##name,
#include "kernels/reductions.def"
#undef REDUCTION
};

/* --- Shapes ------------------------------------------------------------- */

/* How an array is cut out of contiguous elements: the shape that these have, a
   slice of each axis, and an order of the axes. */
static const struct shape {
	const char *name;
	int rank;
	int64_t dim[4];
	int64_t begin[4], step[4]; /* step 0: all of the axis */
	int order[4];
	bool is_large;
} shapes[] = {
	{ "one", 1, { 1 }, { 0 }, { 0 }, { 0 }, false },
	{ "short", 1, { 37 }, { 0 }, { 0 }, { 0 }, false },
	{ "long", 1, { 70000 }, { 0 }, { 0 }, { 0 }, false },
	{ "shifted", 1, { 70001 }, { 1 }, { 1 }, { 0 }, false },
	{ "backwards", 1, { 9000 }, { 8999 }, { -1 }, { 0 }, false },
	{ "steps", 1, { 30000 }, { 1 }, { 3 }, { 0 }, false },
	{ "seconds", 1, { 30000 }, { 1 }, { 2 }, { 0 }, false },
	{ "matrix", 2, { 60, 520 }, { 0 }, { 0 }, { 0, 1 }, false },
	{ "odd matrix", 2, { 61, 523 }, { 0 }, { 0 }, { 0, 1 }, false },
	{ "transposed", 2, { 60, 520 }, { 0 }, { 0 }, { 1, 0 }, false },
	{ "part", 2, { 90, 300 }, { 3, 5 }, { 1, 1 }, { 0, 1 }, false },
	{ "flipped", 2, { 90, 300 }, { 89, 299 }, { -1, -1 }, { 0, 1 }, false },
	{ "narrow", 2, { 4000, 3 }, { 0 }, { 0 }, { 0, 1 }, false },
	{ "flat", 2, { 3, 4000 }, { 0 }, { 0 }, { 0, 1 }, false },
	{ "eight", 2, { 5000, 8 }, { 0 }, { 0 }, { 0, 1 }, false },
	{ "cube", 3, { 20, 33, 24 }, { 0 }, { 0 }, { 0, 1, 2 }, false },
	{ "mixed", 3, { 20, 33, 24 }, { 0 }, { 0 }, { 2, 0, 1 }, false },
	{ "deep",
	  4,
	  { 9, 7, 12, 16 },
	  { 0, 1 },
	  { 0, 2 },
	  { 1, 3, 0, 2 },
	  false },
	/* of which sums over alternate axes are made in two passes */
	{ "alternate",
	  4,
	  { 40, 7, 12, 16 },
	  { 1, 0 },
	  { 2, 2 },
	  { 0, 1, 2, 3 },
	  false },
	{ "large", 1, { 5000011 }, { 0 }, { 0 }, { 0 }, true },
	{ "large matrix", 2, { 2000, 2048 }, { 0 }, { 0 }, { 0, 1 }, true },
	{ "large rows", 2, { 20, 200000 }, { 0 }, { 0 }, { 0, 1 }, true },
	{ "tall", 2, { 500000, 8 }, { 0 }, { 0 }, { 0, 1 }, true },
};
#define SHAPES ((int)(sizeof(shapes) / sizeof(shapes[0])))

static int64_t elements_of(const struct shape *s)
{
	int64_t n = 1;

	for (int d = 0; d < s->rank; d++)
		n *= s->dim[d];
	return n;
}

static dpr_array *new_view(const dpr_array *base, const struct shape *s)
{
	dpr_array *a, *b, *c;
	dpr_index index[4];

	MUST(dpr_array_view(base, &a, DPR_SLICE(0, elements_of(s), 1)));
	MUST(dpr_reshape(a, dpr_shape_of(s->rank, s->dim), &b));
	dpr_array_release(a);
	for (int d = 0; d < s->rank; d++)
		index[d] = s->step[d] ? DPR_SLICE(s->begin[d], DPR_OPEN,
						  s->step[d])
				      : DPR_ALL;
	MUST(dpr_array_index(b, index, (size_t)s->rank, &c));
	dpr_array_release(b);
	MUST(dpr_permute_dims(c, s->order, &a));
	dpr_array_release(c);
	return a;
}

/* The axes that bits of @set name. */
static dpr_axes axes_of(int rank, int set, bool keep, int list[4])
{
	dpr_axes axes = { .count = 0, .keepdims = keep, .axis = list };

	for (int d = 0; d < rank; d++)
		if (set >> d & 1)
			list[axes.count++] = d;
	return axes;
}

/* --- Comparing ---------------------------------------------------------- */

static void expect(const dpr_array *have, const dpr_array *want,
		   const char *what, const char *shape, dpr_dtype dtype,
		   int set)
{
	checks++;
	if (have->rank == want->rank && bits_equal(have, want))
		return;
	if (wrong++ < 30) {
		float a[2] = { 0 }, b[2] = { 0 };

		if (have->dtype == DPR_FLOAT32 && want->dtype == DPR_FLOAT32 &&
		    have->size == 1 && want->size == 1) {
			MUST(dpr_array_to_memory(have, a, sizeof(a), NULL));
			MUST(dpr_array_to_memory(want, b,
						 dpr_array_nbytes(want), NULL));
		}
		printf("%s: %s of %s, %s, axes %x: other bits (%a, not %a)\n",
		       dpr_queue_name(queue), what, dpr_dtype_name(dtype),
		       shape, (unsigned)set, (double)a[0], (double)b[0]);
	}
}

/* --- One reduction ------------------------------------------------------ */

static int8_t numbers[MOST];

/* Compute each result by a loop.  The results are exact as floats. */
static void reduce_numbers(const struct shape *s, const dpr_array *view,
			   enum reduction reduction, int set, float *out)
{
	const struct reduce_table_entry *entry = &reduce_table[reduction];
	int64_t index[4] = { 0 }, at, to;
	const int64_t n = view->size;
	static unsigned char seen[MOST];

	memset(seen, 0, sizeof(seen));
	for (int64_t i = 0; i < n; i++) {
		float v;

		at = view->offset;
		to = 0;
		for (int d = 0; d < s->rank; d++) {
			at += index[d] * array_strides(view)[d];
			if (!(set >> d & 1))
				to = to * array_shape(view)[d] + index[d];
		}
		v = (float)numbers[at];
		if (entry->sum == REDUCE_TABLE_BOOL)
			v = v != 0;
		out[to] = seen[to] ? (float)combined(entry->combine, out[to], v)
				   : v;
		seen[to] = 1;
		for (int d = s->rank - 1; d >= 0; d--) {
			if (++index[d] < array_shape(view)[d])
				break;
			index[d] = 0;
		}
	}
}

static void check_one(const struct shape *s, const dpr_array *plain,
		      const dpr_array *x, enum reduction reduction, int set)
{
	static float out[MOST];
	int list[4];
	const bool keep = set % 3 == 0;
	const dpr_axes axes = axes_of(s->rank, set, keep, list);
	dpr_array *have, *exact, *want, *shaped;
	int64_t length = 1;

	MUST(functions[reduction](x, &axes, &have));
	reduce_numbers(s, plain, reduction, set, out);
	for (int i = 0; i < axes.count; i++)
		length *= array_shape(x)[list[i]];
	MUST(dpr_array_from_memory(out, DPR_SHAPE(have->size), NULL,
				   DPR_FLOAT32, queue, &exact));
	if (reduce_table[reduction].finish == REDUCE_TABLE_DIVIDE) {
		const bool wide = have->dtype == DPR_FLOAT64 ||
				  have->dtype == DPR_COMPLEX128;

		MUST(dpr_astype(exact, wide ? DPR_FLOAT64 : DPR_FLOAT32,
				&shaped));
		dpr_array_release(exact);
		MUST(dpr_divide(shaped, (double)length, &exact));
		dpr_array_release(shaped);
	}
	MUST(dpr_astype(exact, have->dtype, &want));
	dpr_array_release(exact);
	MUST(dpr_reshape(want, dpr_shape_of(have->rank, array_shape(have)),
			 &shaped));
	expect(have, shaped, reduce_table[reduction].name, s->name, x->dtype,
	       set);
	dpr_array_release(want);
	dpr_array_release(shaped);
	dpr_array_release(have);
}

static void make_numbers(const struct shape *s, char kind, bool multiplies)
{
	const int64_t n = elements_of(s);

	if (multiplies) {
		combined_factors(&rng, kind, numbers, n);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		numbers[i] =
			(int8_t)(kind == 'b' || s->is_large
					 ? random_between(&rng, 0, 1)
				 : kind == 'u' ? random_between(&rng, 0, 9)
					       : random_between(&rng, -9, 9));
	if (s->rank == 1)
		for (int64_t i = 0; i < n; i++)
			numbers[i] |= 1;
}

/* Check the reductions that multiply, or all others. */
static void check_some(const struct shape *s, dpr_dtype dtype, bool multiplies)
{
	const char kind = dpr_dtype_kind(dtype);
	dpr_array *base, *cast, *plain, *x;

	make_numbers(s, kind, multiplies);
	MUST(dpr_array_from_memory(numbers, DPR_SHAPE(elements_of(s)), NULL,
				   DPR_INT8, queue, &base));
	MUST(dpr_astype(base, dtype, &cast));
	plain = new_view(base, s);
	x = new_view(cast, s);
	for (int r = 0; r < REDUCTION_COUNT; r++)
		for (int set = s->is_large; set < 1 << s->rank; set++) {
			if (multiplies != (reduce_table[r].combine ==
					   OPERATION__multiply) ||
			    (kind == 'c' &&
			     !reduce_table_takes((enum reduction)r, dtype)) ||
			    sweep_leaves_out())
				continue;
			check_one(s, plain, x, (enum reduction)r, set);
		}
	dpr_array_release(base);
	dpr_array_release(cast);
	dpr_array_release(plain);
	dpr_array_release(x);
}

static void check_shape(const struct shape *s, dpr_dtype dtype)
{
	check_some(s, dtype, false);
	check_some(s, dtype, true);
}

/* --- Many axes ---------------------------------------------------------- */

/* Reduce every other of @rank axes of extent 2: the axes @last, @last + 2 and
   so on. */
static void check_many_axes(int rank, int last)
{
	static int32_t values[1 << 18];
	static int64_t want[1 << 9], have[1 << 9];
	const int64_t n = INT64_C(1) << rank;
	int64_t dim[18];
	int list[9];
	const dpr_axes axes = { .count = rank / 2,
				.keepdims = false,
				.axis = list };
	dpr_array *flat, *x, *out;

	memset(want, 0, sizeof(want));
	for (int d = 0; d < rank; d++)
		dim[d] = 2;
	for (int d = 0; d < rank / 2; d++)
		list[d] = 2 * d + last;
	for (int64_t i = 0; i < n; i++) {
		int64_t to = 0;

		for (int d = rank / 2 - 1; d >= 0; d--)
			to = to * 2 + (i >> (2 * d + last) & 1);
		values[i] = (int32_t)random_between(&rng, -999, 999);
		want[to] += values[i];
	}
	MUST(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_INT32, queue,
				   &flat));
	MUST(dpr_reshape(flat, dpr_shape_of(rank, dim), &x));
	MUST(dpr_sum(x, &axes, &out));
	MUST(dpr_array_to_memory(out, have, dpr_array_nbytes(out), NULL));
	checks++;
	if (memcmp(have, want, sizeof(want[0]) << (rank / 2))) {
		wrong++;
		printf("%s: sum of axes %d, ... of %d is wrong\n",
		       dpr_queue_name(queue), last, rank);
	}
	dpr_array_release(out);
	dpr_array_release(x);
	dpr_array_release(flat);
}

/* --- Special values ----------------------------------------------------- */

/* A NaN anywhere gives NaN; infinities are values; and NaN is true. */
static void check_special(int64_t n, int64_t at)
{
	static float values[70000];
	const function all[] = { dpr_sum, dpr_prod, dpr_mean, dpr_min,
				 dpr_max };
	dpr_array *x, *out;
	float have;
	bool is_true;

	for (int64_t i = 0; i < n; i++)
		values[i] = INFINITY;
	MUST(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				   queue, &x));
	MUST(dpr_min(x, NULL, &out));
	MUST(dpr_array_to_memory(out, &have, sizeof(have), NULL));
	wrong += have != INFINITY;
	dpr_array_release(out);
	dpr_array_release(x);
	memset(values, 0, sizeof(values));
	values[at] = NAN;
	MUST(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				   queue, &x));
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		MUST(all[k](x, NULL, &out));
		MUST(dpr_array_to_memory(out, &have, sizeof(have), NULL));
		dpr_array_release(out);
		checks++;
		if (have == have) {
			wrong++;
			printf("NaN at %lld of %lld is lost\n", (long long)at,
			       (long long)n);
		}
	}
	MUST(dpr_any(x, NULL, &out));
	MUST(dpr_array_to_memory(out, &is_true, sizeof(is_true), NULL));
	wrong += !is_true;
	dpr_array_release(out);
	dpr_array_release(x);
}

/* One element, which may be far behind what is looked at first, decides; @at is
   @n: there is none. */
static void check_decisive(int64_t n, int64_t at)
{
	static int16_t values[70000];
	static const char *const texts[] = { "any(x)", "any(x > 0)",
					     "all(x == 0)",
					     "all(astype(x == 0, int32))" };
	dpr_array *x, *out;
	bool have;

	memset(values, 0, sizeof(values));
	if (at < n)
		values[at] = 256;
	MUST(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_INT16, queue,
				   &x));
	for (int k = 0; k < 4; k++) {
		MUST(dpr_evaluate(texts[k], NULL, &out, "x", x));
		MUST(dpr_array_to_memory(out, &have, sizeof(have), NULL));
		dpr_array_release(out);
		checks++;
		if (have == ((at < n) == (k < 2)))
			continue;
		wrong++;
		printf("%s: %d with element %lld of %lld\n", texts[k], have,
		       (long long)at, (long long)n);
	}
	dpr_array_release(x);
}

/* --- Several steps ------------------------------------------------------ */

/* The graphs: of (a - b)**2, of a comparison, of a choice with a cast, of a
   long function, and of a number. */
enum { SQUARES, LESS, CHOICE, SINE, SCALED, GRAPHS };

/* Add the second operand: an array, or with @counts one without memory. */
static int add_partner(struct graph *graph, unsigned dtype, bool counts)
{
	const int x = counts ? graph_index(graph) : graph_input(graph, dtype);

	return graph->step[x].dtype == dtype ? x : graph_cast(graph, dtype, x);
}

static bool make_graph(struct graph *graph, int which, unsigned dtype,
		       bool counts)
{
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);
	const int a = graph_input(graph, dtype);
	const int b = add_partner(graph, dtype, counts);
	int x[3] = { a, b, a }, step = -1;

	switch (which) {
	case SQUARES:
		if (kind == 'b')
			return false;
		step = graph_operation(graph, OPERATION__subtract, dtype, dtype,
				       2, x);
		step = graph_operation(graph, OPERATION__square, dtype, dtype,
				       1, &step);
		break;
	case LESS:
		if (kind == 'c')
			return false;
		step = graph_operation(graph, OPERATION__less, dtype, DPR_BOOL,
				       2, x);
		break;
	case CHOICE:
		x[0] = graph_operation(graph, OPERATION__not_equal, dtype,
				       DPR_BOOL, 2, x);
		step = graph_where(graph, dtype, (int[]){ x[0], a, b });
		if (kind != 'c' && dtype != DPR_FLOAT32)
			step = graph_cast(graph, DPR_FLOAT32, step);
		break;
	case SINE:
		if (kind != 'f')
			return false;
		x[1] = graph_operation(graph, OPERATION__sin, dtype, dtype, 1,
				       &b);
		step = graph_operation(graph, OPERATION__add, dtype, dtype, 2,
				       x);
		break;
	case SCALED:
		if (kind == 'b')
			return false;
		x[1] = graph_operation(graph, OPERATION__multiply, dtype, dtype,
				       2, x);
		x[0] = graph_scalar(graph, dtype);
		step = graph_operation(graph, OPERATION__add, dtype, dtype, 2,
				       x);
		break;
	}
	return graph_result(graph, step);
}

/* The second operand of a graph, beside the first one.  It has the shape of the
   first, is a row or a column, is transposed in memory, or begins off an
   element. Or it has no memory, and counts along the last axis or the first. */
enum { ALIKE, ROW, COLUMN, TRANSPOSED, SHIFTED, LAST, FIRST, PARTNERS };

static dpr_array *new_partner(const dpr_array *base, const dpr_array *a,
			      int which)
{
	const int rank = a->rank;
	int64_t dim[4], n = 1;
	int order[4];
	dpr_array *flat, *b, *c;

	if (which >= LAST)
		return sweep_index(a, which == LAST ? rank - 1 : 0, -2, 1);
	for (int d = 0; d < rank; d++) {
		order[d] = rank - 1 - d;
		dim[d] = array_shape(a)[d];
		if (which == ROW && d < rank - 1)
			dim[d] = 1;
		if (which == COLUMN && d == rank - 1)
			dim[d] = 1;
	}
	if (which == TRANSPOSED)
		for (int d = 0; d < rank; d++)
			dim[d] = array_shape(a)[rank - 1 - d];
	for (int d = 0; d < rank; d++)
		n *= dim[d];
	MUST(dpr_array_view(
		base, &flat,
		DPR_SLICE(which == SHIFTED, n + (which == SHIFTED), 1)));
	MUST(dpr_reshape(flat, dpr_shape_of(rank, dim), &b));
	dpr_array_release(flat);
	if (which != TRANSPOSED)
		return b;
	MUST(dpr_permute_dims(b, order, &c));
	dpr_array_release(b);
	return c;
}

static void check_fused(const struct graph *graph, const dpr_array *const *x,
			const struct engine_scalar *scalar,
			enum reduction reduction, int set, const char *what)
{
	bool reduced[4] = { false };
	int list[4];
	const dpr_axes axes = axes_of(x[0]->rank, set, false, list);
	struct reduce_call call = { .what = what,
				    .reduction = reduction,
				    .graph = graph,
				    .inputs = x,
				    .scalars = scalar,
				    .rank = x[0]->rank,
				    .shape = array_shape(x[0]),
				    .reduced = reduced };
	const unsigned dtype = graph->step[graph->result[0]].dtype;
	struct engine_call apart = {
		.what = what, .graph = graph, .inputs = x, .scalars = scalar
	};
	dpr_array *values, *want;
	dpr_status status;

	MUST(array_new("test", (dpr_dtype)dtype, x[0]->rank, array_shape(x[0]),
		       queue, DPR_USM_DEVICE, &values));
	apart.results = &values;
	MUST(engine_run(&apart));
	MUST(functions[reduction](values, &axes, &want));
	dpr_array_release(values);
	for (int i = 0; i < axes.count; i++)
		reduced[list[i]] = true;
	MUST(array_new("test", want->dtype, want->rank, array_shape(want),
		       queue, DPR_USM_DEVICE, &call.out));
	status = reduce_launch_run(&call);
	if (status == DPR_ERROR_UNSUPPORTED) {
		refused++;
	} else {
		MUST(status);
		expect(call.out, want, reduce_table[reduction].name, what,
		       x[0]->dtype, set);
	}
	dpr_array_release(call.out);
	dpr_array_release(want);
}

/* A graph of two inputs in all layouts of the second one. */
static void check_graphs(const struct shape *s, dpr_dtype dtype, int which,
			 const dpr_array *base)
{
	struct engine_scalar scalar = { { 0 } };
	dpr_array *first = new_view(base, s);
	const dpr_array *x[2] = { first };

	for (int partner = 0; partner < PARTNERS; partner++) {
		struct graph graph = { 0 };
		dpr_array *second;
		unsigned value;
		char what[80];

		if (!make_graph(&graph, which, (unsigned)dtype,
				partner >= LAST))
			break;
		value = graph.step[graph.result[0]].dtype;
		if ((!whole && !random_between(&rng, 0, 2)) ||
		    sweep_leaves_out())
			continue;
		second = new_partner(base, first, partner);
		x[1] = second;
		snprintf(what, sizeof(what), "%s, graph %d, partner %d",
			 s->name, which, partner);
		for (int r = 0; r < REDUCTION_COUNT; r++) {
			const int set = (int)random_between(&rng, s->is_large,
							    (1 << s->rank) - 1);

			if (random_between(&rng, 0, whole ? 2 : 5) ||
			    !reduce_table_takes((enum reduction)r, value))
				continue;
			check_fused(&graph, x, &scalar, (enum reduction)r, set,
				    what);
		}
		dpr_array_release(second);
	}
	dpr_array_release(first);
}

/* Any values: floats of all sizes, and some that are special. */
static dpr_array *new_numbers(dpr_dtype dtype, int64_t n)
{
	static float values[MOST];
	dpr_array *from, *out, *odd, *both;

	for (int64_t i = 0; i < n; i++)
		values[i] =
			random_between(&rng, 0, 999)
				? (float)random_between(&rng, -99999, 99999) /
					  1024
				: (float)random_between(&rng, -2, 2) * 1e8f;
	MUST(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				   queue, &from));
	MUST(dpr_astype(from, dtype, &out));
	dpr_array_release(from);
	if (dpr_dtype_kind(dtype) != 'c')
		return out;
	/* A number with an imaginary part. */
	MUST(dpr_sqrt(out, &odd));
	MUST(dpr_add(out, odd, &both));
	dpr_array_release(out);
	dpr_array_release(odd);
	return both;
}

/* --- Failures ----------------------------------------------------------- */

/* Each allocation fails in turn: then the call fails, or does what it
   should. */
static void check_failures(void)
{
	const int64_t n = 60000;
	dpr_array *x, *out;
	uint64_t turn = 0;
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	float have = 0;

	MUST(dpr_full(DPR_SHAPE(n), 0.5, DPR_FLOAT32, queue, &x));
	for (; status; turn++) {
		mem_fault_once(turn);
		status = dpr_sum(x, NULL, &out);
		mem_fault_clear();
		if (turn > 2000)
			break;
	}
	checks++;
	if (status) {
		wrong++;
		printf("sum fails: %s\n", dpr_last_error());
	} else {
		MUST(dpr_array_to_memory(out, &have, sizeof(have), NULL));
		wrong += have != 30000.0f;
		dpr_array_release(out);
	}
	dpr_array_release(x);
}

/* Native code has a limited number of registers, and refuses programs that need
   more: the sum of 16 products of complex numbers, all computed before the
   first addition. */
static void check_refused(dpr_device *device)
{
	const char *format = engine_format(device);
	const bool native = format && !strncmp(format, "native", 6);
	static struct engine_scalar scalars[GRAPH_SCALARS];
	const dpr_array *inputs[GRAPH_INPUTS];
	const bool reduced[] = { true };
	const int64_t n = 1000;
	struct graph graph = { 0 };
	struct reduce_call call = { .what = "test",
				    .reduction = REDUCTION__sum,
				    .graph = &graph,
				    .inputs = inputs,
				    .scalars = scalars,
				    .rank = 1,
				    .shape = &n,
				    .reduced = reduced };
	int product[GRAPH_INPUTS], x[2];
	dpr_status status;
	dpr_array *one;

	if (!native)
		return;
	MUST(dpr_ones(DPR_SHAPE(n), DPR_COMPLEX128, queue, &one));
	MUST(array_new("test", DPR_COMPLEX128, 0, &n, queue, DPR_USM_DEVICE,
		       &call.out));
	for (int i = 0; i < GRAPH_INPUTS; i++) {
		inputs[i] = one;
		x[0] = graph_input(&graph, DPR_COMPLEX128);
		x[1] = graph_scalar(&graph, DPR_COMPLEX128);
		product[i] =
			graph_operation(&graph, OPERATION__multiply,
					DPR_COMPLEX128, DPR_COMPLEX128, 2, x);
	}
	x[0] = product[0];
	for (int i = 1; i < GRAPH_INPUTS; i++) {
		x[1] = product[i];
		x[0] = graph_operation(&graph, OPERATION__add, DPR_COMPLEX128,
				       DPR_COMPLEX128, 2, x);
	}
	wrong += !graph_result(&graph, x[0]);
	status = reduce_launch_run(&call);
	checks++;
	if (status != DPR_ERROR_UNSUPPORTED) {
		wrong++;
		printf("too many registers: %s\n", dpr_status_name(status));
	}
	dpr_array_release(call.out);
	dpr_array_release(one);
}

/* --- Devices ------------------------------------------------------------ */

static bool is_taken(dpr_dtype dtype)
{
	/* Where a driver compiles, fewer, unless the caller names one. */
	const bool few = sweep_every > 1 && every == 1;

	return dpr_dtype_computes(dpr_queue_device(queue), dtype) &&
	       (whole || dtype == DPR_INT8 || dtype == DPR_FLOAT32 ||
		dtype == DPR_COMPLEX64 ||
		(!few && (dtype == DPR_BOOL || dtype == DPR_FLOAT16)));
}

/* Whether it is the turn of shape @i. */
static bool is_due(int i, dpr_dtype dtype)
{
	return !turns || i % 5 == (int)dtype % 5;
}

static void run_dtype(dpr_device *device, dpr_dtype dtype)
{
	dpr_array *base;

	for (int i = 0; i < SHAPES; i++)
		if (is_due(i, dtype) &&
		    (!shapes[i].is_large ||
		     (!small && (whole || dtype == DPR_FLOAT32))))
			check_shape(&shapes[i], dtype);
	if (!reduce_launch_computes(device))
		return;
	base = new_numbers(dtype, small ? 80000 : 5000100);
	for (int i = 0; i < SHAPES; i++)
		for (int which = 0; which < GRAPHS; which++)
			if (is_due(i, dtype) &&
			    (!shapes[i].is_large ||
			     (!small && (dtype == DPR_FLOAT32 ||
					 which == (int)dtype % GRAPHS))))
				check_graphs(&shapes[i], dtype, which, base);
	dpr_array_release(base);
}

static void run_device(dpr_device *device)
{
	MUST(dpr_device_queue(device, &queue));
	sweep_thin(device, 199);
	for (unsigned d = first_dtype; d <= DPR_COMPLEX128; d += every)
		if (is_taken((dpr_dtype)d))
			run_dtype(device, (dpr_dtype)d);
	for (int64_t n = 1; n <= 70000;
	     n = n * (sweep_every > 1 ? 30 : 5) + 3) {
		check_special(n, 0);
		check_special(n, n - 1);
		check_special(n, n / 2);
		for (int64_t at = 0; at < 5; at++)
			check_decisive(n, at * n / 4 - (at == 3 && n > 4));
	}
	for (int last = 0; last < 2; last++) {
		check_many_axes(10, last);
		check_many_axes(18, last);
	}
	check_failures();
	check_refused(device);
	printf("%s: %ld comparisons so far, %ld wrong, %ld not in one kernel\n",
	       dpr_device_selector(device), checks, wrong, refused);
}

static bool is_for(dpr_device *device)
{
	return !exact_memory(device);
}

int main(int argc, char **argv)
{
	whole = getenv("DPR_TEST_ALL") != NULL;
	small = getenv("DPR_TEST_SMALL") != NULL;
	turns = getenv("DPR_TEST_TURNS") != NULL;
	if (argc > 2) {
		first_dtype = (unsigned)atoi(argv[1]);
		every = (unsigned)atoi(argv[2]);
	}
	if (!every)
		return 2;
	return sweep("host,opencl", is_for, run_device, "no device");
}
