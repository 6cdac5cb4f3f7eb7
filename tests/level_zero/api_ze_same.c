/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_ze_same.c - the array functions give the same results on the host and on
 * Level Zero (the software driver), in one process: bit for bit if the result
 * is exact or rounded once, otherwise within twice the tolerance of each.  The
 * inputs are those of fixtures/numerics.bin, with the special values of each
 * dtype.  zecpu-suite.sh runs it.
 *
 * It takes two dtypes; with DPR_TEST_ALL all, which takes minutes while the
 * driver builds the kernels.
 */
#include "tests/level_zero/level_zero_test.h"

#include "tests/kernels/calls.h"
#include "tests/kernels/oracle.h"
#include "tests/support/random.h"

enum { HOST, ZE, QUEUES };

static const char *const selectors[QUEUES] = { "host:cpu:0",
					       "level_zero:gpu:0" };
static dpr_queue *queues[QUEUES];
static bool with_all;
static int differences;

static void start(void)
{
	use_backends("host");
	for (int i = 0; i < QUEUES; i++) {
		dpr_device *device = get_device(selectors[i]);

		queues[i] = queue_of(device);
		ck_assert_msg(calls_round(device),
			      "%s does not round divisions", selectors[i]);
	}
}

/* --- One expectation --------------------------------------------------------
 */

/* Whether this run checks the expectation. */
static bool is_ours(const struct expectation *e, const char *verb)
{
	dpr_dtype dtype;

	if (strcmp(e->verb, verb) != 0)
		return false;
	/* The kernels of a function belong to the dtype of its last operand. */
	dtype = e->operands[e->n_operands - 1]->dtype;
	return with_all || dtype == DPR_INT32 || dtype == DPR_FLOAT32;
}

static bool computes(const struct expectation *e, dpr_device *device)
{
	int i;

	for (i = 0; i < e->n_operands; i++)
		if (!dpr_dtype_computes(device, e->operands[i]->dtype))
			return false;
	return dpr_dtype_computes(device, e->dtype);
}

static dpr_status call_function(const struct expectation *e, dpr_queue *queue,
				dpr_array **out)
{
	dpr_array *x[3] = { NULL };
	int i;

	for (i = 0; i < e->n_operands; i++)
		x[i] = oracle_array(oracle_full(e->operands[i]), LAYOUT_LONG,
				    queue);
	return calls_apply(calls_find(e->function), x, out);
}

static dpr_status call_reduction(const struct expectation *e, dpr_queue *queue,
				 dpr_array **out)
{
	dpr_axes axes = { 0 };
	int list[3];

	calls_parse_axes(e->rest, &axes, list);
	return calls_find_reduction(e->function)(
		oracle_array(e->operands[0], LAYOUT_TRANSPOSED, queue),
		axes.count ? &axes : NULL, out);
}

static dpr_status call_cast(const struct expectation *e, dpr_queue *queue,
			    dpr_array **out)
{
	return dpr_astype(oracle_array(e->operands[0], LAYOUT_LONG, queue),
			  e->dtype, out);
}

/* --- Comparing --------------------------------------------------------------
 */

/* The host's result for an expectation; data is NULL if it was not computed. */
struct outcome {
	unsigned char *data;
	int64_t count;
};

static struct tolerance tolerance_of(const struct expectation *e)
{
	struct tolerance t = { 0, 0, false, false };

	if (!strcmp(e->verb, "case"))
		t = calls_tolerance(e->function,
				    e->operands[e->n_operands - 1]->dtype,
				    e->dtype, true);
	/* Both sides may be off.  Sums are exact here; a mean has one
	   rounding. */
	t.ulp *= 2;
	return t;
}

static void compare(const struct expectation *e, const struct outcome *host,
		    const unsigned char *data, const char *device)
{
	const struct tolerance tolerance = tolerance_of(e);
	const size_t size = dpr_dtype_size(e->dtype);
	char one[80], other[80];
	int64_t k;

	for (k = 0; k < host->count; k++) {
		const unsigned char *expected = host->data + (size_t)k * size;
		const unsigned char *found = data + (size_t)k * size;

		if (oracle_near(e->dtype, found, expected, &tolerance))
			continue;
		if (differences++ < 40)
			printf("%s: %s %s of %s to %s: element %lld is %s, "
			       "and %s on the host\n",
			       device, e->verb, e->function,
			       dpr_dtype_name(
				       e->operands[e->n_operands - 1]->dtype),
			       dpr_dtype_name(e->dtype), (long long)k,
			       oracle_text(e->dtype, found, one),
			       oracle_text(e->dtype, expected, other));
		return;
	}
}

/* Store the host's result in *@host, or compare another device's with it. */
static void take_result(const struct expectation *e, dpr_array *result,
			struct outcome *host, dpr_queue *queue)
{
	const size_t bytes =
		(size_t)dpr_array_size(result) * dpr_array_itemsize(result);
	unsigned char *data = malloc(bytes + 1);

	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(dpr_array_dtype(result), e->dtype);
	CHECK_OK(dpr_array_to_memory(result, data, dpr_array_nbytes(result),
				     NULL));
	if (queue == queues[HOST]) {
		host->data = data;
		host->count = dpr_array_size(result);
		return;
	}
	ck_assert_int_eq(dpr_array_size(result), host->count);
	compare(e, host, data, dpr_queue_name(queue));
	free(data);
}

/* Run all expectations of @verb on one device after the other, because an input
   is kept for only one device at a time. */
static void compare_all(const char *verb,
			dpr_status (*call)(const struct expectation *,
					   dpr_queue *, dpr_array **))
{
	const struct expectation *e;
	struct outcome *host;
	size_t n = 0, i;
	dpr_array *result;
	int d, count;

	start();
	oracle_load();
	while (oracle_at(n))
		n++;
	host = calloc(n, sizeof(*host));
	ck_assert_ptr_nonnull(host);
	for (d = 0; d < QUEUES; d++) {
		count = 0;
		for (i = 0; (e = oracle_at(i)); i++) {
			if (!is_ours(e, verb) ||
			    !computes(e, dpr_queue_device(queues[d])))
				continue;
			if (call(e, queues[d], &result))
				ck_abort_msg("%s %s: %s", verb, e->function,
					     dpr_last_error());
			take_result(e, result, &host[i], queues[d]);
			dpr_array_release(result);
			count++;
		}
		printf("%s: %d of %s\n", dpr_queue_name(queues[d]), count,
		       verb);
		ck_assert_int_gt(count, 0);
		oracle_drop(false);
	}
	fflush(stdout);
	for (i = 0; i < n; i++)
		free(host[i].data);
	free(host);
	oracle_drop(true);
	ck_assert_msg(!differences, "%d results of %s differ", differences,
		      verb);
	finish_all();
}

START_TEST(functions)
{
	compare_all("case", call_function);
}
END_TEST

START_TEST(reductions)
{
	compare_all("reduce", call_reduction);
}
END_TEST

START_TEST(casts)
{
	compare_all("cast", call_cast);
}
END_TEST

/* --- Long reductions --------------------------------------------------------
 */

#define LENGTH 300007

/* Each device adds floats in an order of its own. */
START_TEST(long_reductions)
{
	static const char *const names[] = { "max", "min", "sum", "mean" };
	static const double ulps[] = { 0, 0, 16, 16 };
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_INT32 };
	uint32_t *data = malloc(LENGTH * sizeof(*data)), value[QUEUES];
	struct random numbers = { 3 };
	struct tolerance tolerance = { 0 };
	dpr_array *x, *y;
	float f;
	int t, k, d, i;

	start();
	ck_assert_ptr_nonnull(data);
	for (t = 0; t < 2; t++) {
		for (i = 0; i < LENGTH; i++) {
			data[i] = (uint32_t)(random_next(&numbers) >> 32);
			f = (float)data[i] / 4e9f + 0.1f;
			if (dtypes[t] == DPR_FLOAT32)
				memcpy(&data[i], &f, sizeof(f));
		}
		/* The mean of integers has another dtype. */
		for (k = 0; k < (t ? 2 : 4); k++) {
			for (d = 0; d < QUEUES; d++) {
				CHECK_OK(dpr_array_from_memory(
					data, DPR_SHAPE(LENGTH), NULL,
					dtypes[t], queues[d], &x));
				CHECK_OK(calls_find_reduction(names[k])(x, NULL,
									&y));
				ck_assert_int_eq(dpr_array_dtype(y), dtypes[t]);
				CHECK_OK(dpr_array_to_memory(
					y, &value[d], sizeof(value[d]), NULL));
				dpr_array_release(y);
				dpr_array_release(x);
			}
			tolerance.ulp = ulps[k];
			for (d = 1; d < QUEUES; d++)
				ck_assert_msg(
					oracle_near(dtypes[t], &value[d],
						    &value[HOST], &tolerance),
					"%s of %s: %08x on %s, %08x on the "
					"host",
					names[k], dpr_dtype_name(dtypes[t]),
					value[d], selectors[d], value[HOST]);
		}
	}
	free(data);
	finish_all();
}
END_TEST

/* Whether the engine makes kernels of the templates in SPIR-V.  If the library
   was built without them, the driver is asked for whole programs in OpenCL C,
   and counts the local memory of all their kernels for each. */
static bool has_templates(dpr_array *x)
{
	const dpr_binding binding = { "x", dpr_operand_array(x) };
	dpr_expression *e;
	char *text;
	bool has;

	CHECK_OK(dpr_expression_create("x*x + x", &e));
	CHECK_OK(dpr_expression_explain(e, &binding, 1, NULL, &text));
	has = strstr(text, ", spirv\n") != NULL;
	dpr_free(text);
	dpr_expression_release(e);
	return has;
}

/* A square of a transposed operand would take 4224 bytes. */
START_TEST(transposed_operands_and_little_local_memory)
{
	enum { N = 150 };
	dpr_array *x, *y, *transposed, *z;
	static float value[N * N];
	dpr_queue *queue;

	ck_assert(zecpu->set("LOCAL", 4096));
	use_backends(NULL);
	queue = queue_of(get_device("level_zero:0"));
	CHECK_OK(dpr_arange(0, N * N, 1, DPR_FLOAT32, queue, &x));
	if (!has_templates(x)) {
		printf("no templates in SPIR-V: no squares\n");
		fflush(stdout);
		dpr_array_release(x);
		finish_all();
		return;
	}
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(N, N), &y));
	CHECK_OK(dpr_permute_dims(y, (int[]){ 1, 0 }, &transposed));
	CHECK_OK(dpr_add(transposed, y, &z));
	CHECK_OK(dpr_array_to_memory(z, value, sizeof(value), NULL));
	for (int i = 0; i < N * N; i++)
		if (value[i] != (float)(i + i % N * N + i / N))
			ck_abort_msg("element %d is %g", i, (double)value[i]);
	dpr_array_release(z);
	dpr_array_release(transposed);
	dpr_array_release(y);
	dpr_array_release(x);
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		functions,
		reductions,
		casts,
		long_reductions,
		transposed_operands_and_little_local_memory,
	};
	const int missing = find_missing();

	if (missing)
		return missing;
	with_all = getenv("DPR_TEST_ALL") != NULL;
	return run_tests("api_ze_same", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
