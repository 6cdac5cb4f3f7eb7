/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_limits.c - a kernel with more bytes of arguments than its device takes
 * is refused before the build, and an expression then goes step by step.  An
 * expression with more steps or numbers than a kernel holds becomes a few
 * kernels.
 *
 * usage: unit_limits [SELECTOR]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/engine.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce/reduce_launch.h"
#include "tests/support/devices.h"

/* Each operand is half of every axis, so that no two axes merge. */
enum {
	RANK = 8,
	SIZE = 6561,
	HALF = 256,
	BYTES = 8 * (163 + 17),
	REDUCED_BYTES = 8 * (165 + 17)
};

static const int64_t all[RANK] = { 3, 3, 3, 3, 3, 3, 3, 3 };
static dpr_array *memory, *operand;

static void make_operand(void)
{
	dpr_index half[RANK];

	for (int d = 0; d < RANK; d++)
		half[d] = DPR_SLICE(0, 2, 1);
	CHECK_OK(dpr_ones(dpr_shape_of(RANK, all), DPR_FLOAT32, test_queue,
			  &memory));
	ck_assert_int_eq(dpr_array_size(memory), SIZE);
	CHECK_OK(dpr_array_index(memory, half, RANK, &operand));
}

/* Compare the @n elements of @x, a contiguous array, with @want. */
static void check_elements(const dpr_array *x, int n, float want)
{
	float found[HALF];
	int wrong = 0;

	ck_assert_int_eq(dpr_array_size(x), n);
	CHECK_OK(dpr_array_to_memory(x, found, sizeof(found), NULL));
	for (int i = 0; i < n; i++)
		wrong += found[i] != want;
	ck_assert_int_eq(wrong, 0);
}

/* The operand, 16 times, as if these were different arrays. */
static const dpr_array *inputs[GRAPH_INPUTS];

/* Make the graph of their sum. */
static void make_graph(struct graph *graph)
{
	int x[2];

	memset(graph, 0, sizeof(*graph));
	x[0] = -1;
	for (int k = 0; k < GRAPH_INPUTS; k++) {
		inputs[k] = operand;
		x[1] = graph_input(graph, DPR_FLOAT32);
		x[0] = k ? graph_operation(graph, OPERATION__add, DPR_FLOAT32,
					   DPR_FLOAT32, 2, x)
			 : x[1];
	}
	ck_assert(graph_result(graph, x[0]));
}

static dpr_status add_all(dpr_array *out)
{
	struct graph graph;
	const struct engine_call call = { .what = "unit_limits",
					  .graph = &graph,
					  .results = &out,
					  .inputs = inputs };

	make_graph(&graph);
	return engine_run(&call);
}

/* Add along the last axis, too. */
static dpr_status reduce_all(dpr_array *out)
{
	static const bool reduced[RANK] = { [RANK - 1] = true };
	struct graph graph;
	const struct reduce_call call = { .what = "unit_limits",
					  .reduction = REDUCTION__sum,
					  .graph = &graph,
					  .inputs = inputs,
					  .rank = RANK,
					  .shape = array_shape(operand),
					  .reduced = reduced,
					  .out = out };

	make_graph(&graph);
	return reduce_launch_run(&call);
}

static uint64_t most_bytes(void)
{
	uint64_t most = UINT64_MAX;

	if (dpr_device_info_u64(test_device, DPR_INFO_MAX_NATIVE_PARAMETER_SIZE,
				&most) &&
	    dpr_device_info_u64(test_device, DPR_INFO_MAX_PARAMETER_SIZE,
				&most))
		most = UINT64_MAX;
	printf("%s takes %llu bytes of arguments\n",
	       dpr_device_selector(test_device), (unsigned long long)most);
	return most;
}

START_TEST(arguments_are_counted)
{
	const uint64_t most = most_bytes();
	dpr_array *out;

	make_operand();
	CHECK_OK(dpr_copy(operand, &out));
	if (most < BYTES) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, add_all(out));
		ck_assert_ptr_nonnull(
			strstr(dpr_last_error(), "bytes of arguments"));
		check_elements(out, HALF, 1);
	} else {
		CHECK_OK(add_all(out));
		check_elements(out, HALF, 16);
	}
	dpr_array_release(out);
	dpr_array_release(operand);
	dpr_array_release(memory);
}
END_TEST

START_TEST(arguments_of_reductions_are_counted)
{
	const uint64_t most = most_bytes();
	dpr_array *out;

	if (!reduce_launch_computes(test_device))
		return;
	make_operand();
	CHECK_OK(dpr_ones(dpr_shape_of(RANK - 1, array_shape(operand)),
			  DPR_FLOAT32, test_queue, &out));
	if (most < REDUCED_BYTES) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, reduce_all(out));
		ck_assert_ptr_nonnull(
			strstr(dpr_last_error(), "bytes of arguments"));
		check_elements(out, HALF / 2, 1);
	} else {
		CHECK_OK(reduce_all(out));
		check_elements(out, HALF / 2, 32);
	}
	dpr_array_release(out);
	dpr_array_release(operand);
	dpr_array_release(memory);
}
END_TEST

/* The sum of (x + k) * (x - k): a kernel holds 16 numbers.  Each kernel reads
   the result of the kernel before. */
START_TEST(long_expressions_are_few_kernels)
{
	char text[2000] = "", *plan, *end = text;
	dpr_binding x = { .name = "x" };
	float want = 0;
	dpr_expression *e;
	dpr_array *out;

	make_operand();
	x.value = dpr_operand_array(operand);
	for (int k = 0; k < 40; k++) {
		end += sprintf(end, "%s(x + %d)*(x - %d)", k ? " + " : "", k,
			       k);
		want += (float)(1 + k) * (float)(1 - k);
	}
	CHECK_OK(dpr_expression_create(text, &e));
	CHECK_OK(dpr_expression_explain(e, &x, 1, NULL, &plan));
	if (engine_format(test_device))
		ck_assert_ptr_nonnull(strstr(plan, "\n4 launches,"));
	CHECK_OK(dpr_expression_apply(e, &x, 1, NULL, &out, 1));
	check_elements(out, HALF, want);
	dpr_free(plan);
	dpr_expression_release(e);
	dpr_array_release(out);
	dpr_array_release(operand);
	dpr_array_release(memory);
}
END_TEST

static Suite *limits_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("limits");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, arguments_are_counted);
	tcase_add_test(tcase, arguments_of_reductions_are_counted);
	tcase_add_test(tcase, long_expressions_are_few_kernels);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(int argc, char **argv)
{
	return run_on_selected(limits_suite,
			       argc > 1 ? argv[1] : "host,opencl");
}
