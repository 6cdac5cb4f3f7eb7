/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_kernel_sources.c - the sources of the array kernels, as the author of a
 * backend compiles them.  Drivers for OpenCL take the sources.  The kernels
 * compute what the functions do if they get the arguments that "dpr kernels
 * --list" prints.
 *
 * A sample; with DPR_TEST_ALL=1 all sources are compiled.
 */
#include <stdbool.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/random.h"

#define ROWS 17
#define COLUMNS 45
#define N (ROWS * COLUMNS)
#define RANK 8
#define MOST 3 /* operands */
#define SAMPLE 331

static struct random rng = { 20261124 };

static dpr_kernel *build(const char *name)
{
	dpr_build_options options = { .struct_size = sizeof(options),
				      .compiler = "-w" };
	dpr_image image = { .format = "opencl-c" };
	dpr_program *program;
	dpr_kernel *kernel;
	uint64_t config = 0;
	char *source;

	/* Divide and take roots as the library's own kernels do. */
	CHECK_OK(dpr_device_info_u64(test_device, DPR_INFO_SINGLE_FP_CONFIG,
				     &config));
	if (config & DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
		options.flags = DPR_BUILD_ROUNDED;
	CHECK_OK(dpr_array_kernel_source(name, &source));
	image.data = source;
	image.size = strlen(source);
	CHECK_OK(dpr_program_build(test_queue, &image, 1, &options, &program));
	dpr_free(source);
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	return kernel;
}

/* Each has its kernel by its own name. */
START_TEST(sources)
{
	const size_t step = getenv("DPR_TEST_ALL") ? 1 : SAMPLE;
	dpr_array_kernel *list;
	size_t n, i;

	CHECK_OK(dpr_array_kernels(&list, &n));
	for (i = 0; i < n; i += step)
		if (dpr_device_has(test_device, "fp64") ||
		    (!strstr(list[i].name, "float64") &&
		     !strstr(list[i].name, "complex128")))
			dpr_kernel_release(build(list[i].name));
	dpr_free(list);
	dpr_kernel_release(build("matmul_float32"));
}
END_TEST

/* A call of an operation: operand k is x[k], or a number. */
struct call {
	const char *operation;
	int n;
	bool is_strided;
	dpr_array *x[MOST], *out;
	bool is_number[MOST];
	float number[MOST];
};

static const struct {
	const char *operation;
	int n;
} operations[] = {
	{ "sqrt", 1 },         { "sin", 1 },          { "less", 2 },
	{ "add", 2 },          { "floor_divide", 2 }, { "subtract", 2 },
	{ "multiply_add", 3 },
};
#define N_OPERATIONS (int)(sizeof(operations) / sizeof(*operations))

static dpr_array *random_array(int64_t rows, int64_t columns)
{
	float values[N];
	dpr_array *x;
	int i;

	for (i = 0; i < N; i++)
		values[i] = (float)random_between(&rng, 1, 4000) / 64;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(rows, columns), NULL,
				       DPR_FLOAT32, test_queue, &x));
	return x;
}

/* Make the operands; the second one has another layout if they are strided. */
static void make_operands(struct call *call)
{
	int k;

	for (k = 0; k < call->n; k++) {
		const bool is_transposed = call->is_strided && k == call->n - 1;
		dpr_array *made = is_transposed ? random_array(COLUMNS, ROWS)
						: random_array(ROWS, COLUMNS);

		call->x[k] = made;
		if (!is_transposed)
			continue;
		CHECK_OK(dpr_matrix_transpose(made, &call->x[k]));
		dpr_array_release(made);
	}
}

/* The function's result for the operands. */
static dpr_array *expected_of(const struct call *call)
{
	dpr_binding bindings[MOST];
	char text[80];
	dpr_array *out;
	int k;

	snprintf(text, sizeof(text), "%s(a%s%s)", call->operation,
		 call->n > 1 ? ", b" : "", call->n > 2 ? ", c" : "");
	for (k = 0; k < call->n; k++) {
		bindings[k].name = &"a\0b\0c"[2 * k];
		bindings[k].value =
			call->is_number[k]
				? dpr_operand_float((double)call->number[k])
				: dpr_operand_array(call->x[k]);
	}
	CHECK_OK(
		dpr_evaluate_with(text, bindings, (size_t)call->n, NULL, &out));
	return out;
}

static const dpr_array *operand(const struct call *call, int k)
{
	return k ? call->x[k - 1] : call->out;
}

/* Fill the words as the list describes them; returns how many there are. */
static int fill_words(const struct call *call, uint64_t *w)
{
	const int n = call->n + 1;
	int at = 0, d, k;

	w[at++] = N;
	if (call->is_strided) {
		w[at++] = ROWS;
		for (d = 0; d < RANK; d++)
			w[at++] = d == 0 ? COLUMNS : d == 1 ? ROWS : 1;
		for (k = 0; k < n; k++)
			w[at++] = (uint64_t)dpr_array_offset(operand(call, k));
		for (d = 0; d < RANK; d++)
			for (k = 0; k < n; k++)
				w[at++] = d > 1 ? 0
						: (uint64_t)dpr_array_strides(
							  operand(call,
								  k))[1 - d];
	}
	for (k = 0; call->n > 1 && k < call->n; k++) {
		w[at++] = call->is_number[k];
		w[at] = 0;
		memcpy(&w[at++], &call->number[k], sizeof(float));
	}
	return at;
}

static void launch(const struct call *call, uint64_t per_item)
{
	const uint64_t items = (N + per_item - 1) / per_item;
	uint64_t words[2 + RANK + (MOST + 1) * (1 + RANK) + 2 * MOST];
	dpr_arg args[MOST + 2];
	dpr_kernel *kernel;
	char name[80];
	int k;

	snprintf(name, sizeof(name), "%s_%s_float32",
		 call->is_strided ? "strided" : "flat", call->operation);
	kernel = build(name);
	for (k = 0; k <= call->n; k++) {
		/* The result stands in where an operand is a number; less() has
		   one with smaller elements. */
		const dpr_array *x = k && call->is_number[k - 1]
					     ? call->x[2 - k]
					     : operand(call, k);

		args[k] = call->is_strided
				  ? (k ? dpr_arg_base_r(x)
				       : dpr_arg_base_rw((dpr_array *)x))
				  : (k ? dpr_arg_array_r(x)
				       : dpr_arg_array_rw((dpr_array *)x));
	}
	args[call->n + 1] = dpr_arg_bytes(
		words, (size_t)fill_words(call, words) * sizeof(*words));
	CHECK_OK(dpr_kernel_launch_args(
		test_queue, kernel,
		dpr_range_local(dpr_range1((items + 255) / 256 * 256), 256, 1,
				1),
		NULL, NULL, args, (size_t)call->n + 2));
	dpr_kernel_release(kernel);
}

static void compare(const struct call *call, dpr_array *expected)
{
	const size_t size = N * dpr_dtype_size(dpr_array_dtype(expected));
	char have[N * sizeof(float)], want[N * sizeof(float)];

	CHECK_OK(dpr_array_to_memory(call->out, have, sizeof(have), NULL));
	CHECK_OK(dpr_array_to_memory(expected, want, sizeof(want), NULL));
	ck_assert_msg(memcmp(have, want, size) == 0, "%s of %s arrays%s",
		      call->operation, call->is_strided ? "strided" : "flat",
		      call->is_number[0]   ? ", the first a number"
		      : call->is_number[1] ? ", the second a number"
					   : "");
}

/* Run one operation, with operand @number a number; 0: with arrays. */
static void run(int operation, bool is_strided, int number, uint64_t per_item)
{
	struct call call = { .operation = operations[operation].operation,
			     .n = operations[operation].n,
			     .is_strided = is_strided };
	dpr_array *expected;
	int k;

	make_operands(&call);
	if (number) {
		call.is_number[number - 1] = true;
		call.number[number - 1] = 2.75f;
	}
	expected = expected_of(&call);
	CHECK_OK(dpr_empty(DPR_SHAPE(ROWS, COLUMNS), dpr_array_dtype(expected),
			   test_queue, &call.out));
	launch(&call, per_item);
	compare(&call, expected);
	for (k = 0; k < call.n; k++)
		dpr_array_release(call.x[k]);
	dpr_array_release(call.out);
	dpr_array_release(expected);
}

START_TEST(values)
{
	if (leaves_out(_i, 2))
		return;
	run(_i, false, 0, 4);
	run(_i, true, 0, 1);
	if (operations[_i].n != 2)
		return;
	run(_i, false, 1, 4);
	run(_i, false, 2, 4);
	run(_i, true, 1, 1);
}
END_TEST

/* --- Reductions ------------------------------------------------------------
 */

/* A reduction of axis @axis of a matrix of @dtype, in parts of @part elements,
   each by @team work-items; the parts' results are reduced by the kernel
   @last. */
static const struct reduce {
	const char *name, *last;
	dpr_status (*function)(const dpr_array *, const dpr_axes *,
			       dpr_array **);
	dpr_dtype dtype, sum;
	int axis;
	int64_t part;
	uint64_t team;
	bool is_mean;
} reduced[] = {
	{ "reduce_sum_float32", "reduce_sum_float32", dpr_sum, DPR_FLOAT32,
	  DPR_FLOAT32, 1, 7, 1, false },
	{ "reduce_sum_float32", "reduce_sum_float32", dpr_mean, DPR_FLOAT32,
	  DPR_FLOAT32, 0, 100, 8, true },
	{ "reduce_sum_int8", "reduce_sum_int64", dpr_sum, DPR_INT8, DPR_INT64,
	  1, 44, 2, false },
	{ "reduce_sum_float32", "reduce_sum_float32", dpr_mean, DPR_FLOAT32,
	  DPR_FLOAT32, 1, 20, 256, true },
	{ "reduce_min_int32", "reduce_min_int32", dpr_min, DPR_INT32, DPR_INT32,
	  0, 1, 4, false },
	{ "reduce_max_float32", "reduce_max_float32", dpr_max, DPR_FLOAT32,
	  DPR_FLOAT32, 1, 45, 256, false },
	{ "reduce_any_complex64", "reduce_any_bool", dpr_any, DPR_COMPLEX64,
	  DPR_BOOL, 0, 5, 1, false },
};

/* A matrix of random numbers; complex ones have pairs of them. */
static dpr_array *random_matrix(dpr_dtype dtype)
{
	union {
		int8_t int8[N];
		int32_t int32[N];
		float float32[2 * N];
	} all;
	dpr_array *x;
	int i;

	for (i = 0; i < 2 * N; i++) {
		const int v = (int)random_between(&rng, -60, 60);

		if (dtype == DPR_INT8)
			all.int8[i / 2] = (int8_t)v;
		else if (dtype == DPR_INT32)
			all.int32[i / 2] = v;
		else
			all.float32[i] = (float)v / 4;
	}
	CHECK_OK(dpr_array_from_memory(&all, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       dtype, test_queue, &x));
	return x;
}

/* Launch the kernel @name: reduce @length elements of @x, @step apart, to each
   of @n results, which begin @next apart. */
static void launch_reduce(const struct reduce *f, const char *name,
			  const dpr_array *x, dpr_array *out, int64_t n,
			  int64_t next, int64_t length, int64_t step,
			  bool is_last)
{
	const int64_t part = is_last ? length : f->part;
	const uint64_t count = (uint64_t)(n * ((length + part - 1) / part));
	const uint64_t items = (count * f->team + 255) / 256 * 256;
	const float divisor = f->axis ? COLUMNS : ROWS;
	struct {
		uint64_t count;
		int64_t rows, extent[RANK], offset[2], stride[RANK][2], step[2],
			length, part;
		uint64_t divisor, team;
	} words = { .count = count,
		    .rows = n,
		    .offset = { dpr_array_offset(out), dpr_array_offset(x) },
		    .stride = { { 1, next } },
		    .step = { n, step },
		    .length = length,
		    .part = part,
		    .team = f->team };
	dpr_kernel *kernel = build(name);
	const dpr_arg args[] = { dpr_arg_base_rw(out), dpr_arg_base_r(x),
				 dpr_arg_bytes(&words, sizeof(words)) };

	for (int d = 0; d < RANK; d++)
		words.extent[d] = d ? 1 : n;
	if (is_last && f->is_mean)
		memcpy(&words.divisor, &divisor, sizeof(divisor));
	CHECK_OK(dpr_kernel_launch_args(
		test_queue, kernel,
		dpr_range_local(dpr_range1(items), 256, 1, 1), NULL, NULL, args,
		3));
	/* Oclgrind may forget what a kernel writes while another is built. */
	CHECK_OK(dpr_queue_wait(test_queue));
	dpr_kernel_release(kernel);
}

START_TEST(reductions)
{
	const struct reduce *f = &reduced[_i];
	const int64_t length = f->axis ? COLUMNS : ROWS, n = N / length;
	const int64_t step = f->axis ? 1 : COLUMNS;
	const int64_t parts = (length + f->part - 1) / f->part;
	char have[N * sizeof(float)], want[N * sizeof(float)];
	dpr_array *x, *partial, *out, *expected;

	/* Tools that check kernels ask for small sizes, and take all. */
	if (!getenv("DPR_TEST_SMALL") && leaves_out(_i, 2))
		return;
	x = random_matrix(f->dtype);
	CHECK_OK(f->function(x, DPR_AXES(f->axis), &expected));
	CHECK_OK(dpr_empty(DPR_SHAPE(parts, n), f->sum, test_queue, &partial));
	CHECK_OK(dpr_empty(DPR_SHAPE(n), f->sum, test_queue, &out));
	launch_reduce(f, f->name, x, partial, n, COLUMNS + 1 - step, length,
		      step, false);
	launch_reduce(f, f->last, partial, out, n, 1, parts, n, true);
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	CHECK_OK(dpr_array_to_memory(expected, want, sizeof(want), NULL));
	ck_assert_mem_eq(have, want,
			 (size_t)n * dpr_dtype_size(dpr_array_dtype(out)));
	dpr_array_release(x);
	dpr_array_release(partial);
	dpr_array_release(out);
	dpr_array_release(expected);
}
END_TEST

static Suite *make_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("sources");
	TCase *reducing = tcase_create("reductions");

	tcase_set_timeout(tcase, 600);
	tcase_add_test(tcase, sources);
	tcase_add_loop_test(tcase, values, 0, N_OPERATIONS);
	suite_add_tcase(suite, tcase);
	tcase_set_timeout(reducing, 600);
	tcase_add_loop_test(reducing, reductions, 0,
			    sizeof(reduced) / sizeof(reduced[0]));
	suite_add_tcase(suite, reducing);
	return suite;
}

int main(void)
{
	const char *selector = getenv("DPR_TEST_DEVICES");

	return run_on_selected(make_suite, selector ? selector : "opencl");
}
