/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compare every function, for every dtype and layout, with NumPy.
 *
 * usage: api_numerics SELECTOR [PART PARTS [CHOICE [FUNCTION]]]: runs on each
 * root device that SELECTOR matches, and is skipped if there is none.  PART
 * (from 0) and PARTS divide the dtypes among processes, since a driver may take
 * a minute to build all kernels.  CHOICE says which expectations are checked:
 *
 *   all    all
 *   pairs  each function in one dtype of each class: bool, signed,
 *          unsigned, float, complex.  Neighbours of the table have
 *          other dtypes, so each dtype is in some functions of each family.
 *   each   each function in one of its dtypes
 *
 * Here a reduction is another function for each of its axes, and a cast for
 * each dtype of the result.  With FUNCTION, only this function is checked.  The
 * expectations come from fixtures/numerics.bin; make_fixtures.py lists where
 * dpr differs from NumPy on purpose.  The last line is a hash of the bits of
 * all results.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <dpr/dpr.h>

#include "tests/support/exact.h"
#include "calls.h"
#include "oracle.h"

static const char *selector;
static dpr_device *devices[32];
static size_t n_devices;
/* A hash of the bits of all results. */
static uint64_t bits = UINT64_C(0xcbf29ce484222325);
static dpr_queue *queue;
static int part = 0, parts = 1;
#define MAX_EXPECTATIONS 8192
static enum choice { CHOOSE_ALL, CHOOSE_PAIRS, CHOOSE_EACH } choice;
static const char *only; /* the only function to check, or NULL */
static bool rounds, small;
/* Check each case in some of its layouts only: the next case has others. */
static bool turns;
static int failures;

/* --- Reporting ----------------------------------------------------------- */

static void complain(const struct expectation *e, const char *layout,
		     const char *text)
{
	failures++;
	if (failures == 400)
		fputs("... and more\n", stderr);
	if (failures < 400)
		fprintf(stderr, "%s: %s %s -> %s, %s: %s\n",
			dpr_queue_name(queue),
			e->function[0] ? e->function : e->verb,
			e->n_operands
				? dpr_dtype_name(
					  e->operands[e->n_operands - 1]->dtype)
				: "",
			dpr_dtype_name(e->dtype), layout, text);
}

static void complain_status(const struct expectation *e, const char *layout)
{
	char text[400];

	snprintf(text, sizeof(text), "%s", dpr_last_error());
	complain(e, layout, text);
}

/* Report element @k of the result: it is @found, and should be @expected. */
static void complain_element(const struct expectation *e, const char *layout,
			     int64_t k, const void *found, const void *expected)
{
	char text[400], found_text[80], expected_text[80], in[80];
	int n, i;

	n = snprintf(text, sizeof(text), "element %lld: %s instead of %s, of",
		     (long long)k, oracle_text(e->dtype, found, found_text),
		     oracle_text(e->dtype, expected, expected_text));
	for (i = 0; i < e->n_operands && !strcmp(e->verb, "case"); i++) {
		struct pool *full = oracle_full(e->operands[i]);

		n += snprintf(
			text + n, sizeof(text) - (size_t)n, " %s",
			oracle_text(full->dtype,
				    full->data +
					    (size_t)k *
						    dpr_dtype_size(full->dtype),
				    in));
	}
	complain(e, layout, text);
}

/* Fail if the driver has written errors since the last call.  A driver that
   checks its kernels writes them to the file that OCLGRIND_LOG names. */
static void check_log(const struct expectation *e)
{
	static long before;
	const char *path = getenv("OCLGRIND_LOG");
	struct stat st;

	if (!path || stat(path, &st) || st.st_size <= before)
		return;
	before = st.st_size;
	complain(e, e->rest, "the driver reports an error");
}

/* --- Checking one result ------------------------------------------------- */

/* Maps element k of the result to the number of the expected element. */
struct mapping {
	int64_t first, modulo; /* (first + k) % modulo */
};

/* Compare @result with the expectation, and release the result.  If the result
   was made from views of the operands, @map names the expected elements. */
static void check_result(const struct expectation *e, const char *layout,
			 dpr_array *result, int64_t count, struct mapping map,
			 const struct tolerance *tolerance)
{
	size_t size = dpr_dtype_size(e->dtype);
	unsigned char *data;
	int64_t k;

	if (dpr_array_dtype(result) != e->dtype) {
		complain(e, layout, dpr_dtype_name(dpr_array_dtype(result)));
		dpr_array_release(result);
		return;
	}
	if (dpr_array_size(result) != count) {
		complain(e, layout, "the result has another size");
		dpr_array_release(result);
		return;
	}
	data = malloc((size_t)count * size + 1);
	ck_assert(data != NULL);
	if (dpr_array_to_memory(result, data, dpr_array_nbytes(result), NULL)) {
		complain_status(e, layout);
		count = 0;
	}
	for (k = 0; k < count * (int64_t)size; k++)
		bits = (bits ^ data[k]) * UINT64_C(0x100000001b3);
	for (k = 0; k < count; k++) {
		int64_t at = (map.first + k) % map.modulo;
		const void *found = data + (size_t)k * size;
		const void *expected = e->data + (size_t)at * size;

		if (!oracle_near(e->dtype, found, expected, tolerance)) {
			complain_element(e, layout, at, found, expected);
			break;
		}
	}
	free(data);
	dpr_array_release(result);
}

/* --- Elementwise functions ----------------------------------------------- */

static void run_layout(const struct expectation *e, const struct operation *op,
		       const char *name, dpr_array *const *x, int64_t count,
		       struct mapping map, const struct tolerance *tolerance)
{
	dpr_array *result;

	if (calls_apply(op, x, &result))
		complain_status(e, name);
	else
		check_result(e, name, result, count, map, tolerance);
}

/* The views of the operands that a function is called with. */
enum shape {
	SHAPE_WHOLE,
	SHAPE_OFFSET,  /* x[1:]: begins within the allocation */
	SHAPE_SCALAR,  /* x[i, j]: 0-d */
	SHAPE_EMPTY,   /* x[0:0]: no elements */
	SHAPE_REPEATED /* row 0, broadcast to 12 x 12 */
};

static dpr_array *shaped(dpr_array *x, enum shape shape, int64_t k)
{
	dpr_status status = DPR_OK;
	dpr_array *out = NULL, *row;

	switch (shape) {
	case SHAPE_WHOLE: return dpr_array_retain(x);
	case SHAPE_OFFSET:
		status = dpr_array_view(x, &out, DPR_SLICE(1, DPR_OPEN, 1));
		break;
	case SHAPE_SCALAR:
		status =
			dpr_array_view(x, &out, DPR_AT(k / 12), DPR_AT(k % 12));
		break;
	case SHAPE_EMPTY:
		status = dpr_array_view(x, &out, DPR_SLICE(0, 0, 1));
		break;
	case SHAPE_REPEATED:
		status = dpr_array_view(x, &row, DPR_SLICE(0, 1, 1));
		if (!status)
			status = dpr_broadcast_to(row, DPR_SHAPE(12, 12), &out);
		dpr_array_release(row);
		break;
	}
	ck_assert_msg(!status, "%s", dpr_last_error());
	return out;
}

static void run_shaped(const struct expectation *e, const struct operation *op,
		       const char *name, enum shape shape, int64_t k,
		       struct mapping map, int64_t count,
		       const struct tolerance *tolerance)
{
	dpr_array *x[3] = { NULL, NULL, NULL };
	int i;

	for (i = 0; i < e->n_operands; i++)
		x[i] = shaped(oracle_array(oracle_full(e->operands[i]),
					   LAYOUT_PLAIN, queue),
			      shape, k);
	run_layout(e, op, name, x, count, map, tolerance);
	for (i = 0; i < e->n_operands; i++)
		dpr_array_release(x[i]);
}

/* Write to every second column of an array: the other columns must not
   change. */
static void run_into(const struct expectation *e, const struct operation *op,
		     dpr_array *const *x, const struct tolerance *tolerance)
{
	size_t size = dpr_dtype_size(e->dtype), k;
	dpr_array *whole, *view, *columns = NULL;
	unsigned char *data = calloc(288, size);

	ck_assert(data != NULL);
	memset(data, e->dtype == DPR_BOOL ? 1 : 0x5a, 288 * size);
	ck_assert(!dpr_array_from_memory(data, DPR_SHAPE(12, 24), NULL,
					 e->dtype, queue, &whole));
	ck_assert(!dpr_array_view(whole, &view, DPR_ALL,
				  DPR_SLICE(1, DPR_OPEN, 2)));
	if (calls_apply_into(op, x, view)) {
		complain_status(e, "into");
	} else if (dpr_copy(view, &columns)) {
		complain_status(e, "into");
	} else {
		check_result(e, "into", columns, 144,
			     (struct mapping){ 0, 144 }, tolerance);
		ck_assert(!dpr_array_to_memory(whole, data,
					       dpr_array_nbytes(whole), NULL));
		for (k = 0; k < 144 * size; k++) {
			size_t at = k / size * 2 * size + k % size;

			if (data[at] == (e->dtype == DPR_BOOL ? 1 : 0x5a))
				continue;
			complain(e, "into", "wrote between the elements");
			break;
		}
	}
	dpr_array_release(view);
	dpr_array_release(whole);
	free(data);
}

static bool computes(const struct expectation *e)
{
	dpr_device *device = dpr_queue_device(queue);
	int i;

	for (i = 0; i < e->n_operands; i++)
		if (!dpr_dtype_computes(device, e->operands[i]->dtype))
			return false;
	return dpr_dtype_computes(device, e->dtype);
}

/* Check a case in each layout. */
static void check_layouts(const struct expectation *e,
			  const struct operation *op,
			  const struct tolerance *tolerance)
{
	static const char *const names[] = { "plain", "strided", "negative",
					     "transposed", "long" };
	dpr_array *x[3];
	int l, i;

	for (l = small ? LAYOUT_LONG : LAYOUT_STRIDED; l < LAYOUT_COUNT; l++) {
		for (i = 0; i < e->n_operands; i++)
			x[i] = oracle_array(oracle_full(e->operands[i]),
					    (enum layout)l, queue);
		run_layout(e, op, names[l], x,
			   l == LAYOUT_LONG ? LONG_COUNT : 144,
			   (struct mapping){ 0, 144 }, tolerance);
	}
}

/* Check a case with each operand in another layout. */
static void check_mixed(const struct expectation *e, const struct operation *op,
			const struct tolerance *tolerance)
{
	dpr_array *x[3];
	int i;

	for (i = 0; i < e->n_operands; i++)
		x[i] = oracle_array(oracle_full(e->operands[i]),
				    i == 0   ? LAYOUT_PLAIN
				    : i == 1 ? LAYOUT_TRANSPOSED
					     : LAYOUT_NEGATIVE,
				    queue);
	run_layout(e, op, "mixed", x, 144, (struct mapping){ 0, 144 },
		   tolerance);
	run_into(e, op, x, tolerance);
}

/* Check a case in other shapes, and with a column and a row that are broadcast
   against each other.  @k: the element that is checked alone. */
static void check_shapes(const struct expectation *e,
			 const struct operation *op, int64_t k,
			 const struct tolerance *tolerance)
{
	const struct mapping all = { 0, 144 };
	dpr_array *x[3];
	int i;

	for (i = 0; i < e->n_operands; i++)
		x[i] = oracle_array(e->operands[i], LAYOUT_PLAIN, queue);
	if (e->n_operands > 1)
		run_layout(e, op, "broadcast", x, 144, all, tolerance);
	else
		run_shaped(e, op, "broadcast", SHAPE_REPEATED, 0,
			   (struct mapping){ 0, 12 }, 144, tolerance);
	run_shaped(e, op, "offset", SHAPE_OFFSET, 0,
		   (struct mapping){ 12, 144 }, 132, tolerance);
	run_shaped(e, op, "0-d", SHAPE_SCALAR, k, (struct mapping){ k, 145 }, 1,
		   tolerance);
	run_shaped(e, op, "empty", SHAPE_EMPTY, 0, all, 0, tolerance);
}

static void check_case(const struct expectation *e, size_t number)
{
	const struct operation *op = calls_find(e->function);
	struct tolerance tolerance;

	if (!op) {
		complain(e, "", "there is no such function");
		return;
	}
	tolerance = calls_tolerance(e->function,
				    e->operands[e->n_operands - 1]->dtype,
				    e->dtype, rounds);
	if (!turns || number % 3 == 0)
		check_layouts(e, op, &tolerance);
	if (!turns || number % 3 == 1)
		check_mixed(e, op, &tolerance);
	if (!turns || number % 3 == 2)
		check_shapes(e, op, (int64_t)(number * 31 % 144), &tolerance);
}

/* The dtype to which the kernels of an expectation belong. */
static dpr_dtype dtype_of(const struct expectation *e)
{
	return e->n_operands ? e->operands[e->n_operands - 1]->dtype : e->dtype;
}

/* Whether this process checks the expectation. */
static bool is_ours(const struct expectation *e)
{
	if (only && strcmp(only, e->function))
		return false;
	return (int)dtype_of(e) % parts == part;
}

/* --- Choosing ------------------------------------------------------------ */

/* Whether both are expectations of the same function, and of dtypes of which
   one is chosen. */
static bool same_group(const struct expectation *a, const struct expectation *b)
{
	if (strcmp(a->verb, b->verb) || strcmp(a->function, b->function))
		return false;
	if (!strcmp(a->verb, "cast") && a->dtype != b->dtype)
		return false;
	/* The rest of other expectations has the names of their operands. */
	if (strcmp(a->verb, "cast") && strcmp(a->verb, "case") &&
	    strcmp(a->rest, b->rest))
		return false;
	return choice == CHOOSE_EACH ||
	       dpr_dtype_kind(dtype_of(a)) == dpr_dtype_kind(dtype_of(b));
}

/* Mark in @chosen the expectations to check: of group n, number n modulo the
   size of the group. */
static void choose(const char *verb, bool *chosen)
{
	size_t first[MAX_EXPECTATIONS], number[MAX_EXPECTATIONS];
	size_t size[MAX_EXPECTATIONS] = { 0 }, before[MAX_EXPECTATIONS];
	const struct expectation *e;
	size_t groups = 0, i, k;

	for (i = 0; (e = oracle_at(i)); i++) {
		ck_assert_uint_lt(i, MAX_EXPECTATIONS);
		if (strcmp(e->verb, verb) || !computes(e))
			continue;
		for (k = 0; k < i; k++)
			if (size[k] && same_group(oracle_at(k), e))
				break;
		if (k == i)
			number[i] = groups++;
		first[i] = k;
		before[i] = size[k]++;
	}
	for (i = 0; (e = oracle_at(i)); i++)
		chosen[i] = !strcmp(e->verb, verb) && computes(e) &&
			    (choice == CHOOSE_ALL ||
			     before[i] == number[first[i]] % size[first[i]]);
}

/* Run @check on each device, for each expectation whose verb is @verb. */
static void check_all(const char *verb,
		      void (*check)(const struct expectation *, size_t))
{
	bool chosen[MAX_EXPECTATIONS];
	const struct expectation *e;
	int count = 0;
	size_t d, i;

	failures = 0;
	for (d = 0; d < n_devices; d++) {
		ck_assert_msg(!exact_memory(devices[d]) &&
				      !dpr_device_queue(devices[d], &queue),
			      "%s", dpr_last_error());
		rounds = calls_round(devices[d]);
		choose(verb, chosen);
		for (i = 0; (e = oracle_at(i)); i++) {
			if (!chosen[i] || !is_ours(e))
				continue;
			count++;
			/* The dtype of a group's choice may follow its number,
			   so layouts in turn follow another one. */
			check(e, i + i / 4);
			check_log(e);
		}
		oracle_drop(false);
	}
	ck_assert(count > 0 || only || parts > 2);
	ck_assert_msg(!failures, "%d of the checks of %s failed", failures,
		      verb);
}

START_TEST(elementwise)
{
	check_all("case", check_case);
}
END_TEST

static bool is_expected(const char *function)
{
	const struct expectation *e;

	for (size_t i = 0; (e = oracle_at(i)); i++)
		if (!strcmp(e->function, function))
			return true;
	return false;
}

/* Every function of the tables must have an expectation. */
START_TEST(every_function_is_tested)
{
	const struct operation *op;
	const char *name;

	for (size_t k = 0; (op = calls_at(k)); k++)
		ck_assert_msg(is_expected(op->name),
			      "%s is not in make_fixtures.py", op->name);
	for (size_t k = 0; (name = calls_reduction_at(k)); k++)
		ck_assert_msg(is_expected(name),
			      "%s is not in make_fixtures.py", name);
}
END_TEST

/* A dtype that a function has no expectation for is refused: the error names
   the function, and there is no result. */
static void check_refused(const struct operation *op, struct pool *pool)
{
	dpr_array *x[3], *out = (dpr_array *)&out;
	const struct expectation *e;
	dpr_status status;
	size_t i;

	for (i = 0; (e = oracle_at(i)); i++)
		if (!strcmp(e->function, op->name) &&
		    e->operands[e->n_operands - 1]->dtype == pool->dtype)
			return;
	x[0] = x[1] = x[2] = oracle_array(pool, LAYOUT_PLAIN, queue);
	status = calls_apply(op, x, &out);
	ck_assert_msg(status == DPR_ERROR_DTYPE, "%s of %s gives %s", op->name,
		      dpr_dtype_name(pool->dtype), dpr_status_name(status));
	ck_assert_ptr_null(out);
	ck_assert_msg(strstr(dpr_last_error(), op->name) != NULL, "%s",
		      dpr_last_error());
}

START_TEST(other_dtypes_are_refused)
{
	const struct expectation *e;
	const struct operation *op;
	size_t i, k;

	ck_assert(!dpr_device_queue(devices[0], &queue));
	/* equal() accepts every dtype: its expectations have operands of each
	   dtype. */
	for (i = 0; (e = oracle_at(i)); i++)
		if (!strcmp(e->function, "equal") && is_ours(e) && computes(e))
			for (k = 0; (op = calls_at(k)); k++)
				check_refused(op, e->operands[0]);
	oracle_drop(false);
}
END_TEST

/* --- Reductions ---------------------------------------------------------- */

static void check_reduction(const struct expectation *e, size_t number)
{
	static const char *const names[] = { "plain", "strided", "negative",
					     "transposed" };
	calls_reduction function = calls_find_reduction(e->function);
	struct tolerance tolerance = { 0, 0, true, false };
	const struct pool *pool = e->operands[0];
	int64_t count = 1;
	dpr_array *result;
	dpr_axes axes = { 0 };
	int list[3], l, i;
	bool reduced[3] = { 0 };

	/* The sums are exact.  A mean has one rounding, in its division. */
	if (!strcmp(e->function, "mean"))
		tolerance.ulp = 1;
	calls_parse_axes(e->rest, &axes, list);
	if (!axes.count)
		axes.axis = NULL;
	for (i = 0; i < axes.count; i++)
		reduced[(list[i] + 3) % 3] = true;
	for (i = 0; i < 3; i++)
		if (axes.count && !reduced[i])
			count *= pool->shape[i];
	for (l = LAYOUT_PLAIN; l <= LAYOUT_TRANSPOSED; l++) {
		if (turns && (size_t)l != number % 4)
			continue;
		axes.keepdims = (number + (size_t)l) % 2;
		if (function(
			    oracle_array(e->operands[0], (enum layout)l, queue),
			    axes.count || axes.keepdims ? &axes : NULL,
			    &result)) {
			complain_status(e, names[l]);
			continue;
		}
		if (dpr_array_rank(result) != (axes.keepdims ? 3
					       : axes.count  ? 3 - axes.count
							     : 0))
			complain(e, names[l], "the result has another rank");
		check_result(e, names[l], result, count,
			     (struct mapping){ 0, count }, &tolerance);
	}
}

START_TEST(reductions)
{
	check_all("reduce", check_reduction);
}
END_TEST

/* --- Casts and creation -------------------------------------------------- */

static void check_cast(const struct expectation *e, size_t number)
{
	static const char *const names[] = { "plain", "strided", "negative" };
	struct tolerance tolerance = { 0, 0, false, false };
	dpr_array *result;
	int l;

	(void)number;
	for (l = LAYOUT_PLAIN; l <= LAYOUT_NEGATIVE; l++)
		if (dpr_astype(
			    oracle_array(e->operands[0], (enum layout)l, queue),
			    e->dtype, &result))
			complain_status(e, names[l]);
		else
			check_result(e, names[l], result, 24,
				     (struct mapping){ 0, 24 }, &tolerance);
}

START_TEST(casts)
{
	check_all("cast", check_cast);
}
END_TEST

static void check_arange(const struct expectation *e, size_t number)
{
	struct tolerance tolerance = { 0, 0, true, false };
	bool whole = !strchr(e->rest, '.');
	double start, stop, step;
	dpr_status status;
	dpr_array *result;
	long long count;

	(void)number;
	ck_assert_int_eq(sscanf(e->rest, "%lld %lf %lf %lf", &count, &start,
				&stop, &step),
			 4);
	if (whole)
		status = dpr_arange((long long)start, (long long)stop,
				    (long long)step, e->dtype, queue, &result);
	else
		status =
			dpr_arange(start, stop, step, e->dtype, queue, &result);
	if (status)
		complain_status(e, e->rest);
	else
		check_result(e, e->rest, result, count,
			     (struct mapping){ 0, count + 1 }, &tolerance);
}

static void check_linspace(const struct expectation *e, size_t number)
{
	/* Each element is a product and a sum, both rounded; the error is
	   relative to the larger end. */
	struct tolerance tolerance = { 2, 0, true, false };
	double start, stop;
	dpr_array *result;
	long long count;

	(void)number;
	ck_assert_int_eq(sscanf(e->rest, "%lld %lf %lf", &count, &start, &stop),
			 3);
	tolerance.size = fabs(start) > fabs(stop) ? fabs(start) : fabs(stop);
	if (dpr_linspace(start, stop, count, e->dtype, queue, &result))
		complain_status(e, e->rest);
	else
		check_result(e, e->rest, result, count,
			     (struct mapping){ 0, count + 1 }, &tolerance);
}

START_TEST(creation)
{
	check_all("arange", check_arange);
	check_all("linspace", check_linspace);
}
END_TEST

/* --- Running ------------------------------------------------------------- */

static int find_devices(void)
{
	if (dpr_device_enumerate(selector, devices, 32, &n_devices)) {
		fprintf(stderr, "%s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	if (!n_devices) {
		printf("skipped: no device matches '%s'\n", selector);
		return 77;
	}
	return 0;
}

static int run(void)
{
	Suite *suite = suite_create("numerics");
	TCase *tcase = tcase_create("numerics");
	SRunner *runner = srunner_create(suite);
	int failed;

	if (!only) {
		tcase_add_test(tcase, every_function_is_tested);
		tcase_add_test(tcase, other_dtypes_are_refused);
	}
	tcase_add_test(tcase, casts);
	tcase_add_test(tcase, creation);
	tcase_add_test(tcase, reductions);
	tcase_add_test(tcase, elementwise);
	suite_add_tcase(suite, tcase);
	/* Run the tests in this process, so that the driver starts only
	   once. */
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	printf("bits of all results: %016llx\n", (unsigned long long)bits);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const char *const choices[] = { "all", "pairs", "each" };
	int status;

	selector = argc > 1 ? argv[1] : "host";
	if (argc > 3) {
		part = atoi(argv[2]);
		parts = atoi(argv[3]);
	}
	for (size_t k = 0; argc > 4 && strcmp(argv[4], choices[k]); k++) {
		if (k == CHOOSE_EACH) {
			fprintf(stderr, "api_numerics: not a choice: %s\n",
				argv[4]);
			return 99;
		}
		choice = (enum choice)(k + 1);
	}
	only = argc > 5 ? argv[5] : NULL;
	small = getenv("DPR_TEST_SMALL") != NULL;
	turns = getenv("DPR_TEST_TURNS") != NULL;
	status = find_devices();
	if (status)
		return status;
	oracle_load();
	status = run();
	oracle_drop(true);
	return status;
}
