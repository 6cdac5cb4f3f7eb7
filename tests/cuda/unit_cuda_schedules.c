/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_schedules.c - the kernels of the engine that operands of a layout
 * get on the mock of NVIDIA's driver: transposed ones are no more launches than
 * others, of groups that compute squares.  The mock computes from the words of
 * a launch (schedule.h), so the places of all elements are right.  Calls with
 * operands and results of other dtypes, casts, choices, strided copies and
 * fills are one launch, whose values are compared elsewhere.  So are takes, whose
 * work-items have as many elements as they should.
 */
#include "tests/cuda/cuda_api.h"

#include <dpr/dpr.h>

#include "core/array/engine/ptx/emit_ptx.h"

#define MOST_RANK 8

static dpr_queue *queue;
static unsigned groups; /* the groups of the last launch */

/* The words after the pointers to out, x and y. */
struct place {
	int rank;
	uint64_t count;
	int64_t extent[MOST_RANK], offset[3], stride[MOST_RANK][3];
};

/* Find element @i in each operand. */
static void find_element(const struct place *p, uint64_t i, int64_t at[3])
{
	memcpy(at, p->offset, sizeof(p->offset));
	for (int d = 0; d < p->rank; d++) {
		for (int k = 0; k < 3; k++)
			at[k] += (int64_t)(i % (uint64_t)p->extent[d]) *
				 p->stride[d][k];
		i /= (uint64_t)p->extent[d];
	}
}

static void take_words(struct place *p, const unsigned char *bytes, size_t n)
{
	int64_t word[64] = { 0 };

	ck_assert_uint_le(n, 64);
	memcpy(word, bytes, n * sizeof(word[0]));
	memset(p, 0, sizeof(*p));
	p->count = (uint64_t)word[0];
	p->rank = n == 1 ? 1 : ((int)n - 5) / 4;
	if (n == 1) {
		p->extent[0] = word[0];
		for (int k = 0; k < 3; k++)
			p->stride[0][k] = 1;
		return;
	}
	memcpy(p->extent, &word[2], (size_t)p->rank * sizeof(word[0]));
	memcpy(p->offset, &word[2 + p->rank], sizeof(p->offset));
	memcpy(p->stride, &word[5 + p->rank],
	       (size_t)p->rank * sizeof(p->stride[0]));
}

#define SUBTRACT(name, T)                                             \
	static int name(const struct cumock_run *run)                 \
	{                                                             \
		const size_t pointers = 3 * sizeof(T *);              \
		struct place place;                                   \
		int64_t at[3];                                        \
		T *x[3];                                              \
                                                                      \
		memcpy(x, run->params, pointers);                     \
		take_words(&place, run->params + pointers,            \
			   (run->size - pointers) / sizeof(int64_t)); \
		groups = run->grid[0];                                \
		for (uint64_t i = 0; i < place.count; i++) {          \
			find_element(&place, i, at);                  \
			x[0][at[0]] = x[1][at[1]] - x[2][at[2]];      \
		}                                                     \
		return 0;                                             \
	}

SUBTRACT(subtract_floats, float)
SUBTRACT(subtract_doubles, double)

static void start(void)
{
	use_backends(NULL);
	mock->kernel("subtract_float32", subtract_floats);
	mock->kernel("subtract_float64", subtract_doubles);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
}

/* Elements of a matrix, or of a stack of them. */
#define MOST 20000

/* How a case's operands lie in memory: with their axes in this order. */
struct schedules_case {
	dpr_dtype dtype;
	int rank;
	int64_t dim[3];
	int x[3], y[3];
	int64_t skipped; /* elements of a row of x beyond dim */
	unsigned groups;
};

/* An array of @c's shape with the elements @more, @more + 1, ... in the order
   of memory.  @values gets them in the order of the shape. */
static dpr_array *new_permuted(const struct schedules_case *c, const int *axes,
			       int more, double *values)
{
	static double doubles[MOST];
	static float floats[MOST];
	int64_t dim[3], stride[3], count = 1, i[3] = { 0 }, n = 0;
	int back[3];
	dpr_array *stored, *view, *out;

	for (int d = c->rank - 1; d >= 0; d--) {
		dim[d] = c->dim[axes[d]] + (d == c->rank - 1 ? c->skipped : 0);
		back[axes[d]] = d;
		stride[axes[d]] = count;
		count *= dim[d];
	}
	ck_assert_int_le(count, MOST);
	for (int k = 0; k < count; k++)
		floats[k] = (float)(doubles[k] = k + more);
	CHECK_OK(dpr_array_from_memory(
		c->dtype == DPR_FLOAT64 ? (void *)doubles : (void *)floats,
		dpr_shape_of(c->rank, dim), NULL, c->dtype, queue, &stored));
	CHECK_OK(dpr_array_view(stored, &view, DPR_ELLIPSIS,
				DPR_SLICE(0, c->dim[axes[c->rank - 1]], 1)));
	CHECK_OK(dpr_permute_dims(view, back, &out));
	dpr_array_release(stored);
	dpr_array_release(view);
	for (i[0] = 0; i[0] < c->dim[0]; i[0]++)
		for (i[1] = 0; i[1] < c->dim[1]; i[1]++)
			for (i[2] = 0; i[2] < (c->rank > 2 ? c->dim[2] : 1);
			     i[2]++)
				values[n++] =
					more +
					(double)(i[0] * stride[0] +
						 i[1] * stride[1] +
						 (c->rank > 2 ? i[2] * stride[2]
							      : 0));
	return out;
}

static void check_case(const struct schedules_case *c)
{
	static double x_values[MOST], y_values[MOST], out_values[MOST];
	static float out_floats[MOST];
	dpr_array *x = new_permuted(c, c->x, 7, x_values);
	dpr_array *y = new_permuted(c, c->y, 3, y_values);
	dpr_array *out;
	int wrong = 0;

	mock->forget_calls();
	CHECK_OK(dpr_subtract(x, y, &out));
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 1);
	CHECK_OK(dpr_array_to_memory(out,
				     c->dtype == DPR_FLOAT64
					     ? (void *)out_values
					     : (void *)out_floats,
				     dpr_array_nbytes(out), NULL));
	for (int i = 0; i < dpr_array_size(out); i++)
		wrong += (c->dtype == DPR_FLOAT64 ? out_values[i]
						  : (double)out_floats[i]) !=
			 x_values[i] - y_values[i];
	ck_assert_int_eq(wrong, 0);
	ck_assert_uint_eq(groups, c->groups);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(out);
}

START_TEST(transposed_operands_are_one_launch)
{
	static const struct schedules_case cases[] = {
		/* contiguous: 4 elements a work-item, groups of 128 */
		{ DPR_FLOAT32, 2, { 64, 100 }, { 0, 1 }, { 0, 1 }, 0, 13 },
		/* squares of 64, also at the ends */
		{ DPR_FLOAT32, 2, { 64, 128 }, { 1, 0 }, { 0, 1 }, 0, 2 },
		{ DPR_FLOAT32, 2, { 65, 129 }, { 0, 1 }, { 1, 0 }, 0, 6 },
		{ DPR_FLOAT32, 2, { 65, 100 }, { 1, 0 }, { 0, 1 }, 3, 4 },
		/* of 32 */
		{ DPR_FLOAT64, 2, { 64, 100 }, { 1, 0 }, { 0, 1 }, 0, 8 },
		/* around them an axis, first, last and between */
		{ DPR_FLOAT32,
		  3,
		  { 3, 64, 70 },
		  { 0, 2, 1 },
		  { 0, 1, 2 },
		  0,
		  6 },
		{ DPR_FLOAT32,
		  3,
		  { 64, 3, 70 },
		  { 2, 1, 0 },
		  { 0, 1, 2 },
		  0,
		  6 },
		{ DPR_FLOAT32,
		  3,
		  { 70, 64, 3 },
		  { 1, 0, 2 },
		  { 0, 1, 2 },
		  0,
		  53 },
		/* turned in two ways: one is read as it lies */
		{ DPR_FLOAT32,
		  3,
		  { 20, 20, 40 },
		  { 0, 2, 1 },
		  { 1, 2, 0 },
		  0,
		  20 },
		/* too few elements, and too short an axis */
		{ DPR_FLOAT32, 2, { 60, 60 }, { 1, 0 }, { 0, 1 }, 0, 15 },
		{ DPR_FLOAT32, 2, { 1000, 8 }, { 1, 0 }, { 0, 1 }, 0, 32 },
	};

	start();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
	finish_all();
}
END_TEST

/* A launch takes eight axes.  The call makes a launch for each place along the
   other axes. */
START_TEST(many_axes_are_launches_of_eight)
{
	enum { RANK = 11, COUNT = 1 << RANK };
	static const int turned[RANK] = { 10, 3, 8, 1, 6, 5, 0, 7, 2, 9, 4 };
	static float values[COUNT];
	static int64_t dim[RANK];
	dpr_array *flat, *x, *out;
	int wrong = 0;

	start();
	for (int i = 0; i < COUNT; i++)
		values[i] = (float)i;
	for (int d = 0; d < RANK; d++)
		dim[d] = 2;
	CHECK_OK(dpr_array_from_memory(values, dpr_shape_of(RANK, dim), NULL,
				       DPR_FLOAT32, queue, &flat));
	CHECK_OK(dpr_permute_dims(flat, turned, &x));
	mock->forget_calls();
	CHECK_OK(dpr_subtract(x, flat, &out));
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 1 << (RANK - 8));
	CHECK_OK(dpr_array_to_memory(out, values, sizeof(values), NULL));
	for (int i = 0; i < COUNT; i++) {
		int from = 0;

		/* Bit RANK - 1 - d of i is the place along axis d. */
		for (int d = 0; d < RANK; d++)
			from |= (i >> (RANK - 1 - d) & 1)
				<< (RANK - 1 - turned[d]);
		wrong += values[i] != (float)(from - i);
	}
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(flat);
	dpr_array_release(x);
	dpr_array_release(out);
	finish_all();
}
END_TEST

/* --- One launch --------------------------------------------------------- */

static dpr_array *small, *bytes, *floats, *doubles, *truth, *every;
static int runs;

static int count_run(const struct cumock_run *run)
{
	(void)run;
	runs++;
	return 0;
}

/* Start with these kernels and no others. */
static void start_counting(void)
{
	static const char *const kernels[] = { "add_float32",   "sqrt_float32",
					       "cast_float32",  "where_uint32",
					       "where_float32", "copy_uint32",
					       "fill_uint32" };

	use_backends(NULL);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		mock->kernel(kernels[i], count_run);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_INT8, queue, &bytes));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_FLOAT32, queue, &floats));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_FLOAT64, queue, &doubles));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_BOOL, queue, &truth));
	CHECK_OK(dpr_zeros(DPR_SHAPE(32), DPR_FLOAT32, queue, &small));
	CHECK_OK(dpr_array_view(floats, &every, DPR_SLICE(0, 64, 2)));
}

static void end_counting(void)
{
	dpr_array_release(small);
	dpr_array_release(bytes);
	dpr_array_release(floats);
	dpr_array_release(doubles);
	dpr_array_release(truth);
	dpr_array_release(every);
	finish_all();
}

/* Check that @call is one launch. */
#define ONE(call)                                                        \
	do {                                                             \
		CHECK_OK(dpr_queue_wait(queue));                         \
		mock->forget_calls();                                    \
		runs = 0;                                                \
		CHECK_OK(call);                                          \
		CHECK_OK(dpr_queue_wait(queue));                         \
		ck_assert_msg(runs == 1, "%s: %d kernels", #call, runs); \
		ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 1);     \
	} while (0)

START_TEST(casts_are_in_the_kernel)
{
	start_counting();
	ONE(dpr_add_into(bytes, floats, floats));
	ONE(dpr_add_into(floats, 1, doubles));
	ONE(dpr_sqrt_into(floats, doubles));
	ONE(dpr_where_into(truth, floats, bytes, doubles));
	end_counting();
}
END_TEST

START_TEST(moves_are_a_kernel)
{
	start_counting();
	ONE(dpr_copy_into(doubles, floats));
	ONE(dpr_where_into(truth, floats, 2.5, floats));
	ONE(dpr_copy_into(small, every));
	ONE(dpr_copy_into(every, small));
	ONE(dpr_copy_into(every, 3));
	end_counting();
}
END_TEST

/* An operand of smaller elements in the memory of the result would be
   overwritten before it is read, so it is not done in place. */
START_TEST(smaller_elements_not_in_place)
{
	dpr_array *inside;

	start_counting();
	CHECK_OK(dpr_array_over(dpr_array_usm(doubles), 0, DPR_SHAPE(64), NULL,
				DPR_FLOAT32, &inside));
	CHECK_OK(dpr_queue_wait(queue));
	runs = 0;
	CHECK_OK(dpr_add_into(inside, 1, doubles));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(runs, 2);
	dpr_array_release(inside);
	end_counting();
}
END_TEST

/* --- Takes ---------------------------------------------------------------- */

static unsigned items; /* the work-items of the last launch */

static int count_items(const struct cumock_run *run)
{
	items = run->grid[0] * run->block[0];
	return count_run(run);
}

/* The operand x: 512 rows of 64 elements; the middle of these rows, which
   begins between packs; the same elements along one axis; or rows of
   float64. */
enum taken { WHOLE, MIDDLE, LINE, LARGE, TAKEN };

/* i has `count` indices.  All elements are 0, since no kernel computes. */
static const struct {
	const char *text;
	enum taken x;
	int count;
	unsigned items;
} takes[] = {
	/* Two packs of 16 bytes by one index, which the kernel brings into
	   range. */
	{ "take(x, i, axis=0, mode='clip')", WHOLE, 4096, 4096 * 64 / 8 },
	{ "x[i, :]", WHOLE, 4096, 4096 * 64 / 8 },
	{ "take(x, i, axis=0)*2", WHOLE, 4096, 4096 * 64 / 8 },
	{ "x[i, :] + x[i + 1, :]", WHOLE, 4096, 4096 * 64 / 8 },
	{ "astype(x[i, :], float64)", WHOLE, 4096, 4096 * 64 / 4 },
	{ "take(x, i, axis=0)*2", MIDDLE, 4096, 4096 * 32 / 8 },
	/* Four packs of two indices; one pack of large elements, or along one
	   axis. */
	{ "take(x, i, axis=1, mode='clip')", WHOLE, 32, 512 * 32 / 8 },
	{ "take(x, i, axis=1, mode='clip')", LARGE, 32, 512 * 32 / 2 },
	{ "take(x, i)", LINE, 4096, 4096 / 2 },
	/* One pack of long steps. */
	{ "lgamma(x[i, :])", WHOLE, 4096, 4096 * 64 / 4 },
};

static void check_take(dpr_array *const *x, int n)
{
	dpr_array *i, *out = NULL;

	CHECK_OK(dpr_zeros(DPR_SHAPE(takes[n].count), DPR_INT64, queue, &i));
	CHECK_OK(dpr_queue_wait(queue));
	runs = 0;
	CHECK_OK(dpr_evaluate(takes[n].text, NULL, &out, "x", x[takes[n].x],
			      "i", i));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_msg(runs == 1, "%s: %d kernels", takes[n].text, runs);
	ck_assert_msg(items == takes[n].items, "%s: %u work-items",
		      takes[n].text, items);
	dpr_array_release(out);
	dpr_array_release(i);
}

START_TEST(takes_are_a_kernel)
{
	dpr_array *x[TAKEN];

	use_backends(NULL);
	mock->kernel(NULL, count_items);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
	CHECK_OK(dpr_zeros(DPR_SHAPE(512, 64), DPR_FLOAT32, queue, &x[WHOLE]));
	CHECK_OK(dpr_zeros(DPR_SHAPE(512, 64), DPR_FLOAT64, queue, &x[LARGE]));
	CHECK_OK(dpr_array_view(x[WHOLE], &x[MIDDLE], DPR_ELLIPSIS,
				DPR_SLICE(1, 33, 1)));
	CHECK_OK(dpr_reshape(x[WHOLE], DPR_SHAPE(512 * 64), &x[LINE]));
	for (size_t n = 0; n < sizeof(takes) / sizeof(takes[0]); n++)
		check_take(x, (int)n);
	for (int k = 0; k < TAKEN; k++)
		dpr_array_release(x[k]);
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		transposed_operands_are_one_launch,
		many_axes_are_launches_of_eight,
		casts_are_in_the_kernel,
		moves_are_a_kernel,
		smaller_elements_not_in_place,
		takes_are_a_kernel,
	};

	if (!emit_ptx_is_there()) {
		printf("needs the kernels in PTX, which were not built\n");
		return 77;
	}
	return run_tests("unit_cuda_schedules", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
