/* SPDX-License-Identifier: Apache-2.0 */
/* unit_singles.c - graphs of one operation are found, and others are not. */
#include <check.h>
#include <stdlib.h>

#include "core/array/engine/singles.h"
#include "tests/engine/emit_cases.h"

/* The graph of an operation whose last operand is a number if @scalar. */
static void check_found(unsigned op, unsigned dtype, bool scalar)
{
	const unsigned n = operations_table[op].n;
	struct graph graph;
	struct single found;
	bool is_found;

	if (!emit_operation(&graph, op, dtype, scalar))
		return;
	is_found = singles_find(&graph, &found);
	/* Numbers alone make no array. */
	ck_assert(is_found == (graph.n_inputs > 0));
	if (!is_found)
		return;
	ck_assert_uint_eq(found.operation, op);
	ck_assert_uint_eq(found.dtype, dtype);
	ck_assert_uint_eq(found.numbers, scalar ? 1u << (n - 1) : 0);
}

START_TEST(each_is_found)
{
	for (unsigned op = 0; op < OPERATION_COUNT; op++)
		for (size_t d = 0; d < EMIT_DTYPES; d++)
			for (int scalar = 0; scalar < 2; scalar++)
				check_found(op, emit_dtypes[d], scalar);
}
END_TEST

START_TEST(others_are_not_found)
{
	struct graph graph;
	struct single found;

	/* An operand twice, and operands in another order. */
	ck_assert(emit_operation(&graph, OPERATION__add, DPR_INT32, false));
	graph.step[2].x[1] = 0;
	ck_assert(!singles_find(&graph, &found));
	graph.step[2].x[0] = 1;
	ck_assert(!singles_find(&graph, &found));
	/* A second step, which casts. */
	ck_assert(emit_operation(&graph, OPERATION__add, DPR_INT32, false));
	graph.n_results = 0;
	ck_assert(graph_result(&graph, graph_cast(&graph, DPR_INT8, 2)));
	ck_assert(!singles_find(&graph, &found));
	/* An operand as a second result. */
	ck_assert(emit_operation(&graph, OPERATION__add, DPR_INT32, false));
	ck_assert(graph_result(&graph, 0));
	ck_assert(!singles_find(&graph, &found));
	emit_cast(&graph, DPR_INT8, DPR_INT16);
	ck_assert(!singles_find(&graph, &found));
	emit_where(&graph, DPR_INT8);
	ck_assert(!singles_find(&graph, &found));
	emit_index(&graph, DPR_INT64);
	ck_assert(!singles_find(&graph, &found));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("singles");
	TCase *tcase = tcase_create("singles");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, each_is_found);
	tcase_add_test(tcase, others_are_not_found);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
