/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_kernel_sources.c - the sources of the array kernels that the author of a
 * backend compiles: drivers for OpenCL take them, and kernels that get what
 * "dpr kernels --list" says compute what the functions do.
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
#define SAMPLE 163

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
	{ "sqrt", 1 },         { "sin", 1 },          { "add", 2 },
	{ "subtract", 2 },     { "floor_divide", 2 }, { "less", 2 },
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
		const bool is_turned = call->is_strided && k == call->n - 1;
		dpr_array *made = is_turned ? random_array(COLUMNS, ROWS)
					    : random_array(ROWS, COLUMNS);

		call->x[k] = made;
		if (!is_turned)
			continue;
		CHECK_OK(dpr_matrix_transpose(made, &call->x[k]));
		dpr_array_release(made);
	}
}

/* What the function makes of the operands. */
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
	CHECK_OK(dpr_evaluate_with(text, bindings, (size_t)call->n, &out));
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

	CHECK_OK(dpr_array_to_memory(call->out, have, NULL));
	CHECK_OK(dpr_array_to_memory(expected, want, NULL));
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
	run(_i, false, 0, 4);
	run(_i, true, 0, 1);
	if (operations[_i].n != 2)
		return;
	run(_i, false, 1, 4);
	run(_i, false, 2, 4);
	run(_i, true, 1, 1);
}
END_TEST

static Suite *make_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("sources");

	tcase_set_timeout(tcase, 600);
	tcase_add_test(tcase, sources);
	tcase_add_loop_test(tcase, values, 0, N_OPERATIONS);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *selector = getenv("DPR_TEST_DEVICES");

	return run_on_selected(make_suite, selector ? selector : "opencl");
}
