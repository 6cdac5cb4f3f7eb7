/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_many_axes.c - arrays of up to 32 axes that cannot be merged; kernels
 * take 8 or 16 of them at once.  Elementwise functions, casts, copies,
 * reductions and their expressions are compared with loops in C.  Axes have two
 * or three elements, lie in memory in any order, with gaps, backwards, or are
 * broadcast.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl).  Where a driver
 * compiles each kernel, few shapes are taken, and with OpenCL C or
 * DPR_TEST_SMALL few functions.  DPR_TEST_SEED repeats a run.
 */
#include "tests/engine/sweep.h"

#define MOST (1 << 19)         /* elements of a result */
#define MOST_MEMORY (3 * MOST) /* those of an operand, with gaps */

/* How an array lies in memory: elements from `offset` on, of `size`. */
struct lie {
	int rank;
	int64_t shape[DPR_MAX_RANK], stride[DPR_MAX_RANK];
	int64_t offset, size;
};

static struct lie x_lie, y_lie, out_lie;
static float x_values[MOST_MEMORY], y_values[MOST_MEMORY];
static dpr_array *x_base, *y_base, *x, *y;
static double want[MOST], have[MOST];
static char what[200]; /* the shape */
static bool few;       /* functions are taken */

static bool one_of(int n)
{
	return random_between(&rng, 0, n - 1) == 0;
}

/* --- Layouts ---------------------------------------------------------------
 */

/* Make a layout for @shape.  With @fewer, one axis of six is broadcast. */
static struct lie make_lie(int rank, const int64_t *shape, bool fewer)
{
	struct lie lie = { .rank = rank };
	int order[DPR_MAX_RANK];
	int64_t n = 1;

	for (int d = 0; d < rank; d++)
		order[d] = d;
	for (int d = rank - 1; d > 0; d--) {
		const int other = (int)random_between(&rng, 0, d);
		const int kept = order[d];

		order[d] = order[other];
		order[other] = kept;
	}
	for (int i = 0; i < rank; i++) {
		const int d = order[i];

		lie.shape[d] = fewer && one_of(6) ? 1 : shape[d];
		lie.stride[d] = n;
		n *= lie.shape[d] + (one_of(20) && n < MOST / 4);
		if (one_of(4)) {
			lie.offset += (lie.shape[d] - 1) * lie.stride[d];
			lie.stride[d] = -lie.stride[d];
		}
	}
	lie.size = n;
	if (n > MOST_MEMORY)
		exit(99);
	return lie;
}

static dpr_array *new_view(const dpr_array *base, const struct lie *lie)
{
	dpr_array *view;

	MUST(dpr_array_over(dpr_array_usm(base), lie->offset,
			    dpr_shape_of(lie->rank, lie->shape), lie->stride,
			    dpr_array_dtype(base), &view));
	return view;
}

/* Small whole numbers, so that no sum is rounded. */
static dpr_array *new_numbers(const struct lie *lie, float *values)
{
	dpr_array *base;

	for (int64_t i = 0; i < lie->size; i++)
		values[i] = (float)random_between(&rng, -6, 6);
	MUST(dpr_array_from_memory(values, DPR_SHAPE(lie->size), NULL,
				   DPR_FLOAT32, queue, &base));
	return base;
}

/* Where the element of @lie is that @place of an array of @shape uses. */
static int64_t element(const struct lie *lie, const int64_t *place)
{
	int64_t at = lie->offset;

	for (int d = 0; d < lie->rank; d++)
		at += lie->shape[d] == 1 ? 0 : place[d] * lie->stride[d];
	return at;
}

/* Go to the next place, in C order.  False: there is none. */
static bool next_place(int rank, const int64_t *shape, int64_t *place)
{
	for (int d = rank - 1; d >= 0; d--) {
		if (++place[d] < shape[d])
			return true;
		place[d] = 0;
	}
	return false;
}

/* --- Comparing -------------------------------------------------------------
 */

static void expect(bool holds, const char *name)
{
	checks++;
	if (holds || wrong++ >= 20)
		return;
	printf("%s: %s: %s\n", dpr_queue_name(queue), what, name);
}

/* The elements of @out, in C order, are the first of want[].  Releases it. */
static void expect_values(dpr_array *out, int64_t n, const char *name)
{
	dpr_array *wide;
	bool same = dpr_array_size(out) == n;

	MUST(dpr_astype(out, DPR_FLOAT32, &wide));
	if (same) {
		float *values = (float *)(void *)have;

		MUST(dpr_array_to_memory(wide, values, dpr_array_nbytes(wide),
					 NULL));
		for (int64_t i = 0; i < n; i++)
			same &= (double)values[i] == want[i];
	}
	expect(same, name);
	dpr_array_release(wide);
	dpr_array_release(out);
}

/* The function that a test computes of an element of x and an element of y. */
typedef double each(double a, double b);

static double subtract(double a, double b)
{
	return a - b;
}

static double first(double a, double b)
{
	(void)b;
	return a;
}

static double several(double a, double b)
{
	return (a * 2 - b) * (a + 3);
}

static double product(double a, double b)
{
	return a * b - a;
}

/* Fill want[] with the elements of the whole shape.  Returns their number. */
static int64_t want_each(each *function)
{
	int64_t place[DPR_MAX_RANK] = { 0 }, n = 0;

	do
		want[n++] = function((double)x_values[element(&x_lie, place)],
				     (double)y_values[element(&y_lie, place)]);
	while (next_place(out_lie.rank, out_lie.shape, place));
	return n;
}

/* Compute the results of a reduction over the axes @gone: a sum, or a
   maximum. */
static int64_t want_reduced(each *function, const bool *gone, bool largest)
{
	int64_t place[DPR_MAX_RANK] = { 0 }, n = 1;

	for (int d = 0; d < out_lie.rank; d++)
		n *= gone[d] ? 1 : out_lie.shape[d];
	for (int64_t i = 0; i < n; i++)
		want[i] = largest ? -1e30 : 0;
	do {
		const double v =
			function((double)x_values[element(&x_lie, place)],
				 (double)y_values[element(&y_lie, place)]);
		int64_t at = 0;

		for (int d = 0; d < out_lie.rank; d++)
			if (!gone[d])
				at = at * out_lie.shape[d] + place[d];
		want[at] = !largest       ? want[at] + v
			   : want[at] > v ? want[at]
					  : v;
	} while (next_place(out_lie.rank, out_lie.shape, place));
	return n;
}

/* --- Elements --------------------------------------------------------------
 */

/* The elements of @base that @out_lie names are want[], and the others are
   still 100.  Releases both. */
static void expect_into(dpr_array *base, dpr_array *out, const char *name)
{
	static float values[MOST_MEMORY];
	int64_t place[DPR_MAX_RANK] = { 0 }, n = 0, others = 0;
	bool same = true;

	MUST(dpr_array_to_memory(base, values, sizeof(values), NULL));
	do {
		float *value = &values[element(&out_lie, place)];

		same &= (double)*value == want[n++];
		*value = 200;
	} while (next_place(out_lie.rank, out_lie.shape, place));
	for (int64_t i = 0; i < out_lie.size; i++)
		others += values[i] == 100;
	expect(same && n + others == out_lie.size, name);
	dpr_array_release(base);
	dpr_array_release(out);
}

static dpr_array *new_out(dpr_array **base)
{
	MUST(dpr_full(DPR_SHAPE(out_lie.size), 100, DPR_FLOAT32, queue, base));
	return new_view(*base, &out_lie);
}

static void check_elements(void)
{
	const int64_t n = want_each(subtract);
	dpr_array *out, *base;

	MUST(dpr_subtract(x, y, &out));
	expect_values(out, n, "subtract");
	if (few)
		return;
	out = new_out(&base);
	MUST(dpr_subtract_into(x, y, out));
	expect_into(base, out, "subtract into");
	want_each(several);
	MUST(dpr_evaluate("(x*2 - y) * (x + 3)", NULL, &out, "x", x, "y", y));
	expect_values(out, n, "expression");
	out = new_out(&base);
	MUST(dpr_evaluate_into("(x*2 - y) * (x + 3)", out, "x", x, "y", y));
	expect_into(base, out, "expression into");
	want_each(first);
	out = new_out(&base);
	MUST(dpr_copy_into(out, x));
	expect_into(base, out, "copy into");
}

static void check_casts(void)
{
	int64_t place[DPR_MAX_RANK] = { 0 }, n = 0;
	dpr_array *out, *copy;

	do
		want[n++] = (double)x_values[element(&x_lie, place)];
	while (next_place(x_lie.rank, x_lie.shape, place));
	MUST(dpr_astype(x, DPR_INT16, &out));
	expect_values(out, n, "cast");
	if (few)
		return;
	MUST(dpr_copy(x, &copy));
	expect_values(copy, n, "copy");
}

/* --- Reductions ------------------------------------------------------------
 */

/* Some axes; all that are left out of the result. */
static dpr_axes some_axes(int *list, bool *gone, bool keep)
{
	dpr_axes axes = { .count = 0, .keepdims = keep, .axis = list };
	const int many = (int)random_between(&rng, 2, 4);

	for (int d = 0; d < out_lie.rank; d++) {
		gone[d] = one_of(many);
		if (gone[d])
			list[axes.count++] = d;
	}
	if (axes.count)
		return axes;
	gone[0] = true;
	list[axes.count++] = 0;
	return axes;
}

/* A tuple of axes as text. */
static void write_axes(const dpr_axes *axes, char *text)
{
	*text++ = '(';
	for (int i = 0; i < axes->count; i++)
		text += sprintf(text, "%d,", axes->axis[i]);
	strcpy(text, ")");
}

static void check_reductions(void)
{
	int list[DPR_MAX_RANK];
	bool gone[DPR_MAX_RANK];
	char tuple[200], text[300];
	dpr_axes axes = some_axes(list, gone, false);
	int64_t n, place[DPR_MAX_RANK] = { 0 }, i = 0;
	dpr_array *out, *wide;

	/* Of the whole shape. */
	MUST(dpr_broadcast_to(x, dpr_shape_of(out_lie.rank, out_lie.shape),
			      &wide));
	n = want_reduced(first, gone, false);
	MUST(dpr_sum(wide, &axes, &out));
	expect_values(out, n, "sum");
	axes = some_axes(list, gone, true);
	n = want_reduced(first, gone, true);
	if (!few) {
		MUST(dpr_max(wide, &axes, &out));
		expect_values(out, n, "max");
	}
	write_axes(&axes, tuple);
	n = want_reduced(product, gone, false);
	snprintf(text, sizeof(text), "sum(x*y - x, axis=%s)", tuple);
	MUST(dpr_evaluate(text, NULL, &out, "x", wide, "y", y));
	expect_values(out, n, text);
	if (few) {
		dpr_array_release(wide);
		return;
	}
	want_reduced(first, gone, true);
	memcpy(have, want, (size_t)n * sizeof(want[0]));
	do {
		int64_t at = 0;

		for (int d = 0; d < out_lie.rank; d++)
			if (!gone[d])
				at = at * out_lie.shape[d] + place[d];
		want[i++] = (double)x_values[element(&x_lie, place)] - have[at];
	} while (next_place(out_lie.rank, out_lie.shape, place));
	snprintf(text, sizeof(text), "x - max(x, axis=%s, keepdims=True)",
		 tuple);
	MUST(dpr_evaluate(text, NULL, &out, "x", wide));
	expect_values(out, i, text);
	dpr_array_release(wide);
}

/* --- Shapes ----------------------------------------------------------------
 */

/* @many axes with several elements, among @rank. */
static void check_shape(int many, int rank)
{
	int64_t shape[DPR_MAX_RANK] = { 0 };
	int left = many, at;

	at = snprintf(what, sizeof(what), "%d of %d axes", many, rank);
	for (int d = 0; d < rank; d++) {
		const bool is_long =
			left && one_of((rank - d + left - 1) / left);

		shape[d] = is_long || left == rank - d ? 2 : 1;
		left -= shape[d] == 2;
		if (shape[d] == 2 && many < 12 && one_of(8))
			shape[d] = 3;
		at += snprintf(what + at, sizeof(what) - (size_t)at, "%s%d",
			       d ? "," : ": ", (int)shape[d]);
	}
	out_lie = make_lie(rank, shape, false);
	x_lie = make_lie(rank, shape, true);
	y_lie = make_lie(rank, shape, true);
	/* Together they have the whole shape. */
	for (int d = 0; d < rank; d++)
		if (x_lie.shape[d] == 1 && y_lie.shape[d] == 1)
			out_lie.shape[d] = 1;
	x_base = new_numbers(&x_lie, x_values);
	y_base = new_numbers(&y_lie, y_values);
	x = new_view(x_base, &x_lie);
	y = new_view(y_base, &y_lie);
	check_elements();
	check_casts();
	check_reductions();
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(x_base);
	dpr_array_release(y_base);
}

static void run_device(dpr_device *device)
{
	static const int all[] = { 9, 11, 12, 13, 16, 17, 18 };
	static const int some[] = { 11, 17 };
	const char *format = engine_format(device);
	const bool is_native = format && !strncmp(format, "native", 6);
	const int n = is_native ? 7 : 2;

	few = !is_native && (getenv("DPR_TEST_SMALL") ||
			     (format && !strcmp(format, "opencl-c")));
	MUST(dpr_device_queue(device, &queue));
	for (int i = few ? 1 : 0; i < n; i++) {
		const int many = is_native ? all[i] : some[i];

		check_shape(many, DPR_MAX_RANK);
		if (!is_native)
			continue;
		check_shape(many, many);
		check_shape(many,
			    (int)random_between(&rng, many, DPR_MAX_RANK));
	}
	printf("%s: %ld comparisons so far, %ld wrong\n",
	       dpr_device_selector(device), checks, wrong);
}

static bool is_for(dpr_device *device)
{
	return !exact_memory(device);
}

int main(void)
{
	return sweep("host,opencl", is_for, run_device, "no device");
}
