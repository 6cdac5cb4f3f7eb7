/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of block functions give the bytes that the array functions give when
 * they are called one after the other, except for the bits of NaN.
 *
 * DPR_TEST_GRAPHS: how many random graphs (300; 60 with DPR_TEST_SMALL).
 * DPR_TEST_SEED repeats a run.
 */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/native/vmcode.h"
#include "core/array/engine/native/vmcode_chain.h"
#include "core/array/engine/operations.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"
#include "kernels/vm_chain.h"
#include "tests/engine/bits_step.h"
#include "tests/engine/job.h"
#include "tests/support/devices.h"

static bool is_small(void)
{
	return getenv("DPR_TEST_SMALL") != NULL;
}

/* --- One step ------------------------------------------------------------- */

static const int64_t lengths[] = { 1, 257, 4097, 32, 255, 256 };
static int n_lengths(void)
{
	return is_small() ? 3 : 6;
}

/* The ways in which a job of one step is run. */
enum way { NEW, IN_PLACE, PAST_CACHES, SCALARS, ROWS, WAYS };

static void one_operation(unsigned op, unsigned dtype, int64_t n, enum way way)
{
	const int64_t shape[] = { n > 9 ? n / 9 : n, 9 };
	struct job job;
	int x[3], step;
	bool same;

	if (way == ROWS)
		job_start(&job, 2, shape);
	else
		job_start(&job, 1, &n);
	for (int k = 0; k < operations_table[op].n; k++)
		x[k] = way == SCALARS && k != 1 ? job_scalar(&job, dtype)
						: job_input(&job, dtype);
	step = job_operation(&job, op, dtype, x);
	same = dpr_dtype_size((dpr_dtype)operations_dtype(op, dtype)) ==
		       dpr_dtype_size((dpr_dtype)dtype) &&
	       job.graph.step[step].dtype == dtype;
	job.stream = way == PAST_CACHES;
	job_result(&job, step,
		   way == IN_PLACE && same ? job.value[x[0]] : NULL);
	job_check(&job);
	job_end(&job);
}

START_TEST(every_operation)
{
	for (unsigned op = 0; op < OPERATION_COUNT; op++)
		for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128;
		     dtype++)
			for (int i = 0; i < n_lengths() * WAYS; i++)
				if (job_computes(op, dtype))
					one_operation(op, dtype,
						      lengths[i / WAYS],
						      (enum way)(i % WAYS));
}
END_TEST

START_TEST(every_cast)
{
	for (unsigned from = DPR_BOOL; from <= DPR_COMPLEX128; from++)
		for (unsigned to = DPR_BOOL; to <= DPR_COMPLEX128; to++)
			for (int i = 0; from != to && i < n_lengths(); i++) {
				struct job job;
				int x, step;

				job_start(&job, 1, &lengths[i]);
				x = i == 1 ? job_scalar(&job, from)
					   : job_input(&job, from);
				step = job_step(&job,
						graph_cast(&job.graph, to, x));
				job_result(&job, step, NULL);
				job_check(&job);
				job_end(&job);
			}
}
END_TEST

/* The bits of an input, as the only step and beside the input. */
START_TEST(every_bits)
{
	for (unsigned from = DPR_BOOL; from <= DPR_COMPLEX128; from++)
		for (unsigned to = DPR_BOOL; to <= DPR_COMPLEX128; to++)
			for (int i = 0; i < 2 * n_lengths(); i++) {
				struct job job;
				int x;

				if (!bits_step_is(from, to))
					continue;
				job_start(&job, 1, &lengths[i / 2]);
				x = job_input(&job, from);
				job_result(&job,
					   job_step(&job, graph_bits(&job.graph,
								     to, x)),
					   NULL);
				if (i % 2)
					job_result(&job, x, NULL);
				job_check(&job);
				job_end(&job);
			}
}
END_TEST

START_TEST(every_choice)
{
	for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128; dtype++)
		for (int i = 0; i < n_lengths() * 4; i++) {
			struct job job;
			int x[3], step;

			job_start(&job, 1, &lengths[i / 4]);
			x[0] = job_input(&job, DPR_BOOL);
			x[1] = i & 1 ? job_scalar(&job, dtype)
				     : job_input(&job, dtype);
			x[2] = i & 2 ? job_scalar(&job, dtype)
				     : job_input(&job, dtype);
			step = job_step(&job,
					graph_where(&job.graph, dtype, x));
			job_result(&job, step, i & 2 ? NULL : job.value[x[2]]);
			job_check(&job);
			job_end(&job);
		}
}
END_TEST

/* Results that are inputs, turned around in place; a scalar as a result. */
START_TEST(copies)
{
	for (int i = 0; i < n_lengths(); i++) {
		struct job job;
		int a, b, c;

		job_start(&job, 1, &lengths[i]);
		a = job_input(&job, DPR_FLOAT32);
		b = job_input(&job, DPR_FLOAT32);
		c = job_scalar(&job, DPR_BFLOAT16);
		job_result(&job, b, job.value[a]);
		job_result(&job, a, job.value[b]);
		job_result(&job, c, NULL);
		job_result(&job, a, NULL);
		job_check(&job);
		job_end(&job);
	}
}
END_TEST

/* --- Pairs ---------------------------------------------------------------- */

static const struct {
	unsigned op;
	int k; /* which operand is the value of the first step */
} seconds[] = {
	{ OPERATION__add, 0 },      { OPERATION__add, 1 },
	{ OPERATION__subtract, 0 }, { OPERATION__subtract, 1 },
	{ OPERATION__multiply, 0 }, { OPERATION__multiply, 1 },
	{ OPERATION__divide, 0 },   { OPERATION__divide, 1 },
	{ OPERATION__sqrt, 0 },
};

/* How many steps of @kind a program has. */
static int count_steps(const struct job *job, enum vm_kind kind)
{
	const struct schedule schedule = { .kind = SCHEDULE_FLAT };
	const struct vm_code *code;
	const struct vm_step *step;
	struct text text = { 0 };
	int steps = 0;

	ck_assert(vmcode_program(&job->graph, &schedule, NULL, &text));
	code = (const void *)text.bytes;
	step = (const void *)(text.bytes + vm_head(code));
	for (int i = 0; i < code->steps; i++)
		steps += step[i].kind == kind;
	text_fini(&text);
	return steps;
}

/* One function for the steps, unless the value of the first is also needed. */
static void one_pair(unsigned dtype, unsigned first, size_t second, bool root,
		     bool both)
{
	const int64_t n = 100;
	struct job job;
	int x[2], made[3];

	job_start(&job, 1, &n);
	for (int k = 0; k < operations_table[first].n; k++)
		x[k] = job_input(&job, dtype);
	made[0] = job_operation(&job, first, dtype, x);
	x[seconds[second].k] = made[0];
	if (operations_table[seconds[second].op].n > 1)
		x[1 - seconds[second].k] = job_input(&job, dtype);
	made[1] = job_operation(&job, seconds[second].op, dtype, x);
	if (root)
		made[2] = job_operation(&job, OPERATION__sqrt, dtype, made + 1);
	job_result(&job, made[root ? 2 : 1], NULL);
	if (both)
		job_result(&job, made[0], NULL);
	ck_assert_int_eq(count_steps(&job, VM_CALL), both ? 2 + root : 1);
	job_check(&job);
	job_end(&job);
}

/* Pairs are for CPUs without chains, too. */
START_TEST(every_pair)
{
	static const unsigned firsts[] = { OPERATION__add, OPERATION__subtract,
					   OPERATION__multiply,
					   OPERATION__square };

	vmcode_chain_forbid(true);
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 9; k++)
			for (int way = 0; way < 3; way++) {
				const bool root = way == 1 && k < 4;

				one_pair(DPR_FLOAT32, firsts[i], k, root,
					 way == 2);
				one_pair(DPR_FLOAT64, firsts[i], k, root,
					 way == 2);
			}
	vmcode_chain_forbid(false);
}
END_TEST

/* --- Chains --------------------------------------------------------------- */

static const unsigned chained[] = {
	OPERATION__add,      OPERATION__subtract, OPERATION__multiply,
	OPERATION__divide,   OPERATION__minimum,  OPERATION__maximum,
	OPERATION__negative, OPERATION__abs,      OPERATION__sqrt,
	OPERATION__square,
};
static const unsigned compared[] = {
	OPERATION__less,          OPERATION__less_equal, OPERATION__greater,
	OPERATION__greater_equal, OPERATION__equal,      OPERATION__not_equal,
};
enum { CHAINED = 10, COMPARED = 6 };

/* A choice by the comparison @op of what is in @x. */
static int chosen(struct job *job, unsigned op, unsigned dtype, const int *x)
{
	const int y[] = { job_operation(job, op, dtype, x), x[1], x[0] };

	return job_step(job, graph_where(&job->graph, dtype, y));
}

/* Three operations: @inner is operand @k of @outer, with which a comparison
   then chooses; @scalar: the other operand is one. */
static void one_chain(unsigned dtype, unsigned inner, unsigned outer, int k,
		      bool scalar)
{
	const int64_t n = lengths[job_below(n_lengths())];
	struct job job;
	int x[2], y[2];

	job_start(&job, 1, &n);
	x[0] = job_input(&job, dtype);
	x[1] = job_input(&job, dtype);
	y[k] = job_operation(&job, inner, dtype, x);
	y[1 - k] = scalar ? job_scalar(&job, dtype) : job_input(&job, dtype);
	if (operations_table[outer].n == 1)
		y[0] = y[k];
	x[k] = job_operation(&job, outer, dtype, y);
	job_result(&job, chosen(&job, compared[job_below(COMPARED)], dtype, x),
		   NULL);
	if (vm_chain_is_there())
		ck_assert_int_ge(count_steps(&job, VM_CHAIN), 1);
	job_check(&job);
	job_end(&job);
}

START_TEST(every_chain)
{
	for (int i = 0; i < CHAINED * CHAINED * 4; i++) {
		const unsigned inner = chained[i / 4 % CHAINED];
		const unsigned outer = chained[i / 4 / CHAINED];

		one_chain(DPR_FLOAT32, inner, outer, i & 1, i & 2);
		one_chain(DPR_FLOAT64, inner, outer, i & 1, i & 2);
	}
}
END_TEST

/* Whether another step reads @step. */
static bool is_used(const struct job *job, int step)
{
	for (int i = 0; i < job->graph.n_steps; i++)
		for (int k = 0; k < job->graph.step[i].n; k++)
			if (job->graph.step[i].x[k] == step)
				return true;
	return false;
}

/* A random step that a chain can have, best of what nothing reads yet. */
static void add_chained(struct job *job, unsigned dtype, int condition)
{
	const int steps = job->graph.n_steps;
	const int x[] = { steps - 1 - (int)job_below(3), (int)job_below(steps),
			  (int)job_below(steps) };
	const int swapped[] = { x[1], x[0], x[2] };
	const int y[] = { condition, x[0], x[1] };

	for (int k = 0; k < 3; k++)
		if (job->graph.step[x[k]].dtype != dtype)
			return;
	if (job_below(4) == 0)
		chosen(job, compared[job_below(COMPARED)], dtype, x);
	else if (job_below(8) == 0)
		job_step(job, graph_where(&job->graph, dtype, y));
	else
		job_operation(job, chained[job_below(CHAINED)], dtype,
			      job_below(2) ? x : swapped);
}

/* A computed condition, where all other registers are in use: the values of the
   chain do not overwrite the condition. */
START_TEST(computed_condition)
{
	const int64_t n = 4097;
	struct job job;
	int c, x[3], y[2];

	job_start(&job, 1, &n);
	c = job_input(&job, DPR_BOOL);
	y[0] = job_input(&job, DPR_FLOAT32);
	y[1] = job_input(&job, DPR_FLOAT32);
	x[0] = job_operation(&job, OPERATION__logical_not, DPR_BOOL, &c);
	x[1] = job_operation(&job, OPERATION__add, DPR_FLOAT32, y);
	x[2] = y[1];
	c = job_step(&job, graph_where(&job.graph, DPR_FLOAT32, x));
	job_result(&job, job_operation(&job, OPERATION__floor, DPR_FLOAT32, &c),
		   NULL);
	for (int k = 0; k < 2; k++)
		job_result(&job,
			   job_operation(&job, OPERATION__floor, DPR_FLOAT32,
					 &y[k]),
			   NULL);
	job_check(&job);
	job_end(&job);
}
END_TEST

/* Trees that need more places than there are, values that are read twice, and
   conditions in memory. */
START_TEST(random_chains)
{
	int chains = 0;

	for (int i = 0; i < (is_small() ? 60 : 400); i++) {
		const unsigned dtype = i & 1 ? DPR_FLOAT32 : DPR_FLOAT64;
		const int64_t n = lengths[job_below(n_lengths())];
		const int steps = 8 + (int)job_below(40);
		struct job job;
		int condition;

		job_start(&job, 1, &n);
		job.stream = i & 2;
		condition = job_input(&job, DPR_BOOL);
		for (int k = 0; k < 3; k++)
			job_input(&job, dtype);
		job_scalar(&job, dtype);
		for (int k = 0; k < 1000 && job.graph.n_steps < steps; k++)
			add_chained(&job, dtype, condition);
		job_result(&job, job.graph.n_steps - 1, NULL);
		for (int k = 5; k < job.graph.n_steps - 1; k++)
			if (job.graph.n_results < GRAPH_RESULTS &&
			    !is_used(&job, k))
				job_result(&job, k, NULL);
		chains += count_steps(&job, VM_CHAIN);
		job_check(&job);
		job_end(&job);
	}
	if (vm_chain_is_there())
		ck_assert_int_ge(chains, 60);
}
END_TEST

/* --- Quotients ------------------------------------------------------------ */

enum { DIVIDENDS = 32 * VM_UNIT };

/* A random number of the exponents from -@most to @most.  Its fraction is often
   near 0 or 1. */
static double random_number(bool is_double, int most)
{
	const int digits = is_double ? 52 : 23;
	const int exponent = (int)job_below(2 * most + 1) - most;
	const uint64_t end = UINT64_C(1) << digits;
	const uint64_t bits =
		((uint64_t)job_below(1 << 30) << 30 | job_below(1 << 30)) % end;
	const uint64_t near = job_below(4);
	const uint64_t fraction = job_below(3)   ? bits
				  : job_below(2) ? near
						 : end - 1 - near;
	const double x = ldexp((double)(end + fraction), exponent - digits);

	return job_below(2) ? x : -x;
}

/* Divide by one number in a chain.  Some dividends are about half way between
   two quotients times the number. */
static void one_quotient(bool is_double, int most_x, int most_y)
{
	const uint8_t divide = VM_LINK(VM_LINK_FIXED_DIVIDE, 0);
	const struct vm_step steps[] = {
		{ .kind = VM_CHAIN, .unit = is_double ? 13 : 12, .code = 3 },
		{ .kind = VM_LINK, .code = VM_LINK(VM_LINK_LOAD, 0) },
		{ .kind = VM_LINK,
		  .code = divide,
		  .out = 1,
		  .x = { VM_LINK_SCALAR } },
		{ .kind = VM_LINK,
		  .code = VM_LINK(VM_LINK_STORE, 0),
		  .out = 2 },
	};
	static union {
		float single[DIVIDENDS];
		double wide[DIVIDENDS];
	} x, y, z;
	unsigned char *slot[] = { (unsigned char *)&x, (unsigned char *)&y,
				  (unsigned char *)&z };
	const double by = random_number(is_double, most_y);
	const double step = ldexp(1, is_double ? -53 : -24);
	bool same = true;

	y.single[0] = (float)by;
	if (is_double)
		y.wide[0] = by;
	for (int i = 0; i < DIVIDENDS; i++) {
		double value = random_number(is_double, most_x);

		if (job_below(2))
			value = by * (fabs(frexp(value, &(int){ 0 })) + step);
		if (is_double)
			x.wide[i] = value;
		else
			x.single[i] = (float)value;
	}
	for (int k = 0; k < 2; k++) {
		volatile double wide;
		volatile float single;

		fesetround(k ? FE_DOWNWARD : FE_TONEAREST);
		vm_chain_run(steps, DIVIDENDS / VM_UNIT, slot, 0);
		for (int i = 0; i < DIVIDENDS; i++) {
			wide = is_double ? x.wide[i] / y.wide[0] : 0;
			single = is_double ? 0 : x.single[i] / y.single[0];
			same &= is_double ? z.wide[i] == wide
					  : z.single[i] == single;
		}
	}
	fesetround(FE_TONEAREST);
	ck_assert_msg(same, "a quotient by %a is rounded otherwise", by);
}

/* Chains divide by one number without a division where exponents are small, and
   with one elsewhere. */
START_TEST(quotients)
{
	if (!vm_chain_is_there())
		return;
	for (int i = 0; i < (is_small() ? 100 : 1000); i++) {
		one_quotient(false, 60, 30);
		one_quotient(false, 0, 0);
		one_quotient(false, i & 1 ? 126 : 62, i & 1 ? 126 : 32);
		one_quotient(true, 400, 200);
		one_quotient(true, 0, 0);
		one_quotient(true, i & 1 ? 1022 : 402, i & 1 ? 1022 : 202);
	}
}
END_TEST

/* --- Turned inputs -------------------------------------------------------- */

/* A sum of arrays of which all but the second one are transposed. */
static void one_transposed(unsigned dtype, int rank, const int64_t *shape,
			   int n)
{
	struct job job;
	int x[3], condition;

	job_start(&job, rank, shape);
	job.flat = false;
	x[0] = job_transposed(&job, dtype);
	for (int k = 1; k < n; k++) {
		x[1] = k == 1 ? job_input(&job, dtype)
			      : job_transposed(&job, dtype);
		x[0] = job_operation(&job, OPERATION__add, dtype, x);
	}
	condition = job_transposed(&job, DPR_BOOL);
	x[2] = job_scalar(&job, dtype);
	x[1] = x[0];
	x[0] = condition;
	job_result(&job, job_step(&job, graph_where(&job.graph, dtype, x)),
		   NULL);
	job_check(&job);
	job_end(&job);
}

START_TEST(transposed_inputs)
{
	static const unsigned dtypes[] = { DPR_INT8, DPR_FLOAT16, DPR_FLOAT32,
					   DPR_FLOAT64, DPR_COMPLEX128 };
	static const struct {
		int rank;
		int64_t shape[3];
	} shapes[] = { { 2, { 40, 300 } },
		       { 2, { 17, 129 } },
		       { 2, { 128, 512 } },
		       { 2, { 2, 1000 } },
		       { 3, { 3, 20, 513 } } };

	for (size_t d = 0; d < 5; d++)
		for (size_t i = 0; i < 5; i++)
			for (int n = 1; n < 8; n += 3)
				one_transposed(dtypes[d], shapes[i].rank,
					       shapes[i].shape, n);
}
END_TEST

/* --- Single elements ------------------------------------------------------ */

/* In a row of three blocks the last block is short, and some of the work begins
   with it.  The register of an element that is the same everywhere must also be
   filled for the longer blocks. */
START_TEST(single_elements)
{
	const int64_t shape[] = { 21, 600 };

	for (int i = 0; i < 20; i++) {
		struct job job;
		int x[2];

		job_start(&job, 2, shape);
		x[0] = job_input(&job, DPR_INT32);
		x[1] = job_single(&job, DPR_INT32);
		job_result(&job,
			   job_operation(&job, OPERATION__add, DPR_INT32, x),
			   NULL);
		job_check(&job);
		job_end(&job);
	}
}
END_TEST

/* --- Many steps ----------------------------------------------------------- */

/* A step with a value of @dtype, or -1. */
static int some_step(const struct job *job, unsigned dtype)
{
	const int first = (int)job_below(job->graph.n_steps);

	for (int i = 0; i < job->graph.n_steps; i++) {
		const int step = (first + i) % job->graph.n_steps;

		if (job->graph.step[step].dtype == dtype)
			return step;
	}
	return -1;
}

/* Add a random step of which all operands exist.  Returns whether it is new. */
static bool add_some_step(struct job *job)
{
	const int before = job->graph.n_steps, from = (int)job_below(before);
	const unsigned dtype = job->graph.step[from].dtype;
	const unsigned op = (unsigned)job_below(OPERATION_COUNT);
	int x[3] = { from, some_step(job, dtype), some_step(job, dtype) };

	if (job_below(6) == 0) {
		const unsigned to = (unsigned)job_below(15) + 1;

		if (to != dtype)
			job_step(job, graph_cast(&job->graph, to, from));
	} else if (job_below(6) == 0) {
		x[0] = some_step(job, DPR_BOOL);
		if (x[0] >= 0)
			job_step(job, graph_where(&job->graph, dtype, x));
	} else if (job_below(6) == 0) {
		const unsigned to = bits_step_any(&job_random, dtype);

		if (to && bits_step_is_exact(&job->graph, from))
			job_step(job, graph_bits(&job->graph, to, from));
	} else if (!job->flat && job_below(6) == 0) {
		x[0] = some_step(job, DPR_BOOL);
		if (x[0] >= 0)
			job_gather(job, dtype, x[0]);
	} else if (job_computes(op, dtype)) {
		job_operation(job, op, dtype, x);
	}
	return job->graph.n_steps > before;
}

/* An input with the place for a result of @step, or NULL. */
static dpr_array *some_place(const struct job *job, int step)
{
	int input = some_step(job, job->graph.step[step].dtype);
	struct layout layout;

	if (job_below(2) || input < 0 ||
	    job->graph.step[input].kind != GRAPH_INPUT)
		return NULL;
	array_layout(job->value[input], &layout);
	for (int d = 0; d < layout.rank; d++)
		if (layout.stride[d] == 0 && layout.dim[d] > 1)
			return NULL;
	for (int k = 0; k < job->graph.n_results; k++)
		if (job->out[k] == job->value[input])
			return NULL;
	return job->value[input];
}

static void some_graph(struct job *job)
{
	static const unsigned dtypes[] = {
		DPR_FLOAT32, DPR_FLOAT32, DPR_FLOAT16, DPR_INT8,
		DPR_FLOAT64, DPR_BOOL,    DPR_INT32,   DPR_COMPLEX128,
	};
	const int64_t inputs = 1 + job_below(16), scalars = job_below(4);
	const int steps = (int)(inputs + scalars + 1 + job_below(40));
	const unsigned dtype = (unsigned)job_below(15) + 1;

	for (int64_t i = 0; i < inputs; i++)
		job_input(job, job_below(3) ? dtype : dtypes[job_below(8)]);
	for (int64_t i = 0; i < scalars; i++)
		job_scalar(job, job_below(3) ? dtype : dtypes[job_below(8)]);
	for (int tries = 0; tries < 1000 && job->graph.n_steps < steps; tries++)
		add_some_step(job);
	for (int i = job->graph.n_steps - 1; i >= 0; i--)
		if (job->graph.n_results < GRAPH_RESULTS &&
		    (!is_used(job, i) || job_below(20) == 0))
			job_result(job, i, some_place(job, i));
}

static void some_shape(struct job *job)
{
	const int rank = 1 + (int)job_below(5);
	int64_t shape[5], size = 1;

	for (int d = 0; d < rank; d++) {
		const int64_t room = 1500 / size;

		shape[d] = 1 + job_below(job_below(3) ? room < 12 ? room : 12
					 : room < 600 ? room
						      : 600);
		size *= shape[d];
	}
	job_start(job, rank, shape);
	job->flat = rank == 1 && job_below(2);
	job->stream = job->flat && job_below(2);
}

START_TEST(random_graphs)
{
	const char *given = getenv("DPR_TEST_SEED");
	const char *number = getenv("DPR_TEST_GRAPHS");
	const int n = number ? atoi(number) : is_small() ? 60 : 300;
	int long_ones = 0;

	if (given)
		job_random.state = strtoull(given, NULL, 0);
	for (int i = 0; i < n; i++) {
		struct job job;

		job_seed = job_random.state;
		some_shape(&job);
		some_graph(&job);
		long_ones += job.graph.n_steps >= 30;
		job_check(&job);
		job_end(&job);
	}
	ck_assert_int_gt(long_ones, n / 10);
}
END_TEST

/* Many wide values are alive at a time, so blocks become shorter. */
START_TEST(many_registers)
{
	const int64_t n = 1000;
	struct job job;
	int x[2], step[24];

	job_start(&job, 1, &n);
	x[0] = job_input(&job, DPR_COMPLEX128);
	for (int i = 0; i < 24; i++) {
		x[1] = i ? step[i - 1] : x[0];
		step[i] =
			job_operation(&job, OPERATION__add, DPR_COMPLEX128, x);
	}
	x[0] = step[23];
	for (int i = 22; i >= 0; i--) {
		x[1] = step[i];
		x[0] = job_operation(&job, OPERATION__multiply, DPR_COMPLEX128,
				     x);
	}
	job_result(&job, x[0], NULL);
	job_check(&job);
	job_end(&job);
}
END_TEST

/* --- Memory runs out ------------------------------------------------------ */

START_TEST(allocations_fail)
{
	const int64_t length = 300;
	dpr_status status = DPR_OK;
	uint64_t n, used;
	struct job job;
	int x[2], failed = 0;

	job_start(&job, 1, &length);
	x[0] = job_input(&job, DPR_FLOAT32);
	x[1] = job_scalar(&job, DPR_FLOAT32);
	job_result(&job, job_operation(&job, OPERATION__add, DPR_FLOAT32, x),
		   NULL);
	for (n = 0; n < 200; n++) {
		job_release_kernels();
		CHECK_OK(dpr_queue_wait(test_queue));
		used = mem_fault_count();
		mem_fault_once(n);
		status = job_launch(&job);
		used = mem_fault_count() - used;
		mem_fault_clear();
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY,
			      "%s", dpr_last_error());
		failed += status != DPR_OK;
		if (used <= n)
			break;
	}
	ck_assert_int_eq(status, DPR_OK);
	ck_assert_int_gt(failed, 2);
	job_check(&job);
	job_end(&job);
}
END_TEST

static Suite *vmcode_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("vmcode");

	job_queue = test_queue;
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, every_operation);
	tcase_add_test(tcase, every_cast);
	tcase_add_test(tcase, every_bits);
	tcase_add_test(tcase, every_choice);
	tcase_add_test(tcase, copies);
	tcase_add_test(tcase, every_pair);
	tcase_add_test(tcase, every_chain);
	tcase_add_test(tcase, computed_condition);
	tcase_add_test(tcase, random_chains);
	tcase_add_test(tcase, quotients);
	tcase_add_test(tcase, transposed_inputs);
	tcase_add_test(tcase, single_elements);
	tcase_add_test(tcase, many_registers);
	tcase_add_test(tcase, random_graphs);
	tcase_add_test(tcase, allocations_fail);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const int result = run_on_selected(vmcode_suite, "host");

	job_release_kernels();
	return result;
}
