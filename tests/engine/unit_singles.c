/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_singles.c - graphs of one operation are found and named, and with a
 * driver that compiles kernels lazily they share a program from the second one
 * on: it is built once, counted, and released when nobody uses it.
 *
 * usage: unit_singles [SELECTOR]
 */
#include <pthread.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/kernel_store.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/singles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "tests/support/devices.h"

#define MOST_SINGLES 256
#define MOST_FAULTS 200
#define THREADS 8

struct counts {
	size_t programs, kernels;
};

static struct counts count(void)
{
	struct counts c = { 0, 0 };

	process_count_kept(&c.programs, &c.kernels);
	return c;
}

/* --- Graphs ----------------------------------------------------------------
 */

/* Note a name.  Returns whether it is new. */
static bool is_new(char (*names)[GRAPH_NAME], int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return false;
	strcpy(names[n], name);
	return true;
}

START_TEST(each_is_found_again)
{
	static char names[MOST_SINGLES][GRAPH_NAME];
	int forms_of_add = 0;

	for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128; dtype++) {
		struct singles_walk walk = { 0 };
		int n = 0;

		while (singles_next(&walk, dtype, 0)) {
			char name[GRAPH_NAME];
			struct single found;

			ck_assert(singles_find(&walk.graph, &found));
			ck_assert_uint_eq(found.operation,
					  walk.single.operation);
			ck_assert_uint_eq(found.dtype, dtype);
			ck_assert_uint_eq(found.numbers, walk.single.numbers);
			ck_assert_int_gt(walk.graph.n_inputs, 0);
			singles_name(&found, name);
			ck_assert_int_lt(n, MOST_SINGLES);
			ck_assert_msg(is_new(names, n++, name), "%s", name);
			forms_of_add += dtype == DPR_FLOAT32 &&
					found.operation == OPERATION__add;
		}
		ck_assert_int_gt(n, 20);
	}
	ck_assert_int_eq(forms_of_add, 3);
}
END_TEST

START_TEST(others_are_not_found)
{
	const struct single add = { OPERATION__add, DPR_INT32, 0 };
	const struct single numbers = { OPERATION__add, DPR_INT32, 3 };
	const struct single wrong = { OPERATION__sqrt, DPR_INT32, 0 };
	const struct single same = { OPERATION__positive, DPR_INT32, 0 };
	struct graph graph;
	struct single found;

	ck_assert(!singles_graph(&numbers, &graph));
	ck_assert(!singles_graph(&wrong, &graph));
	ck_assert(!singles_graph(&same, &graph));
	ck_assert(singles_graph(&add, &graph));
	graph.step[2].x[1] = 0;
	ck_assert(!singles_find(&graph, &found));
	ck_assert(singles_graph(&add, &graph));
	graph.n_results = 0;
	graph_result(&graph, graph_cast(&graph, DPR_INT8, 2));
	ck_assert(!singles_find(&graph, &found));
}
END_TEST

START_TEST(other_casts_are_not_found)
{
	char name[GRAPH_NAME];
	struct graph graph;

	ck_assert(singles_cast(DPR_INT8, DPR_INT16, &graph));
	ck_assert(singles_find_cast(&graph, name));
	/* The cast, and what is cast, too. */
	ck_assert(graph_result(&graph, 0));
	ck_assert(!singles_find_cast(&graph, name));
	graph.result[0] = 0;
	graph.result[1] = 1;
	ck_assert(!singles_find_cast(&graph, name));
	/* A number. */
	mem_zero(&graph, sizeof(graph));
	graph_result(&graph, graph_cast(&graph, DPR_INT16,
					graph_scalar(&graph, DPR_INT8)));
	ck_assert(!singles_find_cast(&graph, name));
}
END_TEST

/* --- Programs --------------------------------------------------------------
 */

/* Get the kernel of single @number of those of @dtype, for one array. */
static dpr_status get(unsigned dtype, int number, const struct frame *frame,
		      const struct kernel_store_kernel **out)
{
	struct singles_walk walk = { 0 };

	for (int i = 0; i <= number; i++)
		ck_assert(singles_next(&walk, dtype, 1));
	return kernel_store_get(test_queue, target_of(test_device), &walk.graph,
				frame, out);
}

/* Get that kernel, and check how many programs and kernels there are then
   more. */
static void check_get(int number, const struct frame *frame, size_t programs)
{
	const struct kernel_store_kernel *made;
	const struct counts before = count();
	struct counts after;

	CHECK_OK(get(DPR_BOOL, number, frame, &made));
	after = count();
	ck_assert_uint_eq(after.programs - before.programs, programs);
	ck_assert_uint_eq(after.kernels - before.kernels, 1);
	kernel_store_put(made);
}

/* All casts from int8 but those to doubles share a program from the second one
   on. */
START_TEST(casts_are_shared)
{
	const struct frame flat = { .kind = FRAME_FLAT };
	const struct kernel_store_kernel *made;
	const struct counts before = count();
	struct counts after;
	char name[GRAPH_NAME];
	struct graph graph;
	size_t casts = 0;

	ck_assert(!singles_cast(DPR_INT8, DPR_INT8, &graph));
	ck_assert(!singles_cast(DPR_COMPLEX64, DPR_INT8, &graph));
	ck_assert(!singles_cast(DPR_INT8, DPR_FLOAT64, &graph));
	ck_assert(singles_cast(DPR_FLOAT64, DPR_INT8, &graph));
	for (unsigned to = DPR_BOOL; to <= DPR_COMPLEX128; to++) {
		if (!singles_cast(DPR_INT8, to, &graph))
			continue;
		ck_assert(singles_find_cast(&graph, name));
		CHECK_OK(kernel_store_get(test_queue, target_of(test_device),
					  &graph, &flat, &made));
		kernel_store_put(made);
		casts++;
	}
	after = count();
	ck_assert_uint_eq(casts, 12);
	ck_assert_uint_eq(after.kernels - before.kernels, casts);
	ck_assert_uint_eq(after.programs - before.programs, 2);
}
END_TEST

START_TEST(programs_are_shared)
{
	const struct frame flat = { .kind = FRAME_FLAT };
	const struct frame rows = { .kind = FRAME_STRIDED,
				    .small = 1,
				    .rank = 2,
				    .inner = { FRAME_NEXT, FRAME_NEXT } };
	struct counts before, after;

	check_get(0, &flat, 1);
	check_get(1, &flat, 1);
	check_get(2, &flat, 0);
	check_get(3, &flat, 0);
	check_get(0, &rows, 1);
	check_get(1, &rows, 1);
	check_get(2, &rows, 0);
	/* A program stays as long as a kernel of it does, and then goes. */
	before = count();
	kernel_store_keep(1);
	after = count();
	ck_assert_uint_lt(after.kernels, before.kernels);
	ck_assert_uint_le(after.programs, before.programs);
	kernel_store_keep(1);
	ck_assert_uint_lt(count().programs, before.programs);
	kernel_store_keep(0);
	check_get(3, &rows, 0);
	check_get(0, &flat, 1);
}
END_TEST

struct thread {
	pthread_t thread;
	int number;
	dpr_status status;
};

static void *get_one(void *user)
{
	static const struct frame flat = { .kind = FRAME_FLAT, .stream = 1 };
	const struct kernel_store_kernel *made;
	struct thread *t = user;

	t->status = get(DPR_UINT8, t->number, &flat, &made);
	if (!t->status)
		kernel_store_put(made);
	return NULL;
}

START_TEST(one_thread_builds)
{
	const struct counts before = count();
	struct thread threads[THREADS];
	struct counts after;

	for (int i = 0; i < THREADS; i++) {
		threads[i].number = i;
		ck_assert(!pthread_create(&threads[i].thread, NULL, get_one,
					  &threads[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		ck_assert(!pthread_join(threads[i].thread, NULL));
		ck_assert_int_eq(threads[i].status, DPR_OK);
	}
	after = count();
	ck_assert_uint_eq(after.programs - before.programs, 2);
	ck_assert_uint_eq(after.kernels - before.kernels, THREADS);
}
END_TEST

/* Get two kernels of a frame of its own, the second one from a shared program.
   FRAME_FLAT does not look at the rank. */
static dpr_status get_two(uint8_t rank)
{
	const struct frame frame = { .kind = FRAME_FLAT, .rank = rank };
	const struct kernel_store_kernel *made;
	dpr_status status = DPR_OK;

	for (int number = 0; number < 2 && !status; number++) {
		status = get(DPR_BOOL, number, &frame, &made);
		if (!status)
			kernel_store_put(made);
	}
	return status;
}

START_TEST(memory_runs_out)
{
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	uint64_t used, n;

	CHECK_OK(get_two(255));
	for (n = 0; n < MOST_FAULTS; n++) {
		used = mem_fault_count();
		mem_fault_once(n);
		status = get_two((uint8_t)(1 + n));
		mem_fault_clear();
		used = mem_fault_count() - used;
		ck_assert(!status || status == DPR_ERROR_OUT_OF_MEMORY);
		CHECK_OK(get_two((uint8_t)(1 + n)));
		if (used <= n)
			break;
	}
	ck_assert_uint_gt(n, 10);
	ck_assert_uint_lt(n, MOST_FAULTS);
	ck_assert_int_eq(status, DPR_OK);
}
END_TEST

static Suite *singles_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("singles");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, each_is_found_again);
	tcase_add_test(tcase, others_are_not_found);
	tcase_add_test(tcase, other_casts_are_not_found);
	if (target_of(test_device)->builds_lazily) {
		tcase_add_test(tcase, programs_are_shared);
		tcase_add_test(tcase, casts_are_shared);
		tcase_add_test(tcase, one_thread_builds);
		tcase_add_test(tcase, memory_runs_out);
	} else {
		printf("%s compiles whole programs: sharing is not tested\n",
		       name);
	}
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(int argc, char **argv)
{
	return run_on_selected(singles_suite,
			       argc > 1 ? argv[1] : "opencl:cpu");
}
