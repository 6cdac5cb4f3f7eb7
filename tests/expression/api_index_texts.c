/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_index_texts.c - expressions that read by arrays of indices, on every
 * device: their values beside NumPy's, the number of their kernels, and their
 * errors.
 */
#include <dpr/dpr.h>

#include "tests/fixtures/indexing_fixtures.h"
#include "tests/support/same_arrays.h"

#define FIXTURES \
	((int)(sizeof(indexing_fixtures) / sizeof(indexing_fixtures[0])))

/* The operands of indexing_fixtures.h. */
#define OPERANDS 8
static dpr_binding bindings[OPERANDS];

static dpr_array *make(const int32_t *values, dpr_shape shape, dpr_dtype dtype)
{
	dpr_array *x, *out;

	CHECK_OK(dpr_array_from_memory(values, shape, NULL, DPR_INT32,
				       test_queue, &x));
	CHECK_OK(dpr_astype(x, dtype, &out));
	dpr_array_release(x);
	return out;
}

static void make_operands(void)
{
	static const int32_t y[] = { 10, 11, 12, 13, 14 }, i[] = { 0, 1 };
	static const int32_t j[] = { 2, -1, 0 }, far[] = { -7, 9, 5, -1 };
	static const int32_t k[] = { 0, -1, 1, 0, 1, -2, 0 };
	int32_t x[24];

	for (int at = 0; at < 24; at++)
		x[at] = at;
	const dpr_binding all[OPERANDS] = {
		{ "x", DPR_OPERAND(make(x, DPR_SHAPE(2, 3, 4), DPR_INT32)) },
		{ "y", DPR_OPERAND(make(y, DPR_SHAPE(5), DPR_INT32)) },
		{ "i", DPR_OPERAND(make(i, DPR_SHAPE(2), DPR_INT64)) },
		{ "j", DPR_OPERAND(make(j, DPR_SHAPE(3, 1), DPR_INT8)) },
		{ "k", DPR_OPERAND(make(k, DPR_SHAPE(7), DPR_INT16)) },
		{ "far", DPR_OPERAND(make(far, DPR_SHAPE(2, 2), DPR_INT32)) },
		{ "none", DPR_OPERAND(make(k, DPR_SHAPE(0), DPR_INT64)) },
		{ "zero",
		  DPR_OPERAND(make(&k[1], DPR_SCALAR_SHAPE, DPR_INT32)) }
	};

	memcpy(bindings, all, sizeof(all));
}

static void drop_operands(void)
{
	for (int k = 0; k < OPERANDS; k++)
		dpr_array_release(
			(dpr_array *)(uintptr_t)bindings[k].value.as.array);
}

/* Find the operands of @e among the @n bindings @all.  Returns how many there
   are. */
static size_t choose(const dpr_expression *e, const dpr_binding *all, int n,
		     dpr_binding *out)
{
	size_t count = 0, chosen = 0;
	const dpr_expression_operand *operands =
		dpr_expression_operands(e, &count);

	for (size_t at = 0; at < count; at++)
		for (int from = 0; from < n; from++)
			if (!strcmp(operands[at].name, all[from].name))
				out[chosen++] = all[from];
	return chosen;
}

/* Apply @text to the operands that are named there, and to n = 1.  Pass @plan =
   NULL to get no explanation. */
static dpr_status compute(const char *text, dpr_array **out, char **plan)
{
	dpr_binding all[OPERANDS + 1], some[OPERANDS + 1];
	dpr_expression *e;
	dpr_status status = dpr_expression_create(text, &e);
	size_t bound;

	*out = NULL;
	if (status)
		return status;
	memcpy(all, bindings, sizeof(bindings));
	all[OPERANDS] = (dpr_binding){ "n", DPR_OPERAND(1) };
	bound = choose(e, all, OPERANDS + 1, some);
	if (plan)
		CHECK_OK(dpr_expression_explain(e, some, bound, NULL, plan));
	status = dpr_expression_apply(e, some, bound, NULL, out, 1);
	dpr_expression_release(e);
	return status;
}

/* Check the elements of @x, and release it. */
static void check_values(dpr_array *x, int fixture)
{
	const int32_t *want = indexing_fixtures[fixture].value;
	const char *text = indexing_fixtures[fixture].text;
	const int rank = indexing_fixtures[fixture].rank;
	int32_t have[144];
	dpr_array *plain;

	ck_assert_msg(dpr_array_rank(x) == rank, "%s: %d axes", text,
		      dpr_array_rank(x));
	for (int d = 0; d < rank; d++)
		ck_assert_msg(dpr_array_shape(x)[d] ==
				      indexing_fixtures[fixture].dim[d],
			      "%s: axis %d", text, d);
	CHECK_OK(dpr_astype(x, DPR_INT32, &plain));
	CHECK_OK(dpr_array_to_memory(plain, have, sizeof(have), NULL));
	for (int64_t i = 0; i < dpr_array_size(x); i++)
		ck_assert_msg(have[i] == want[i],
			      "%s: element %d is %d, not %d", text, (int)i,
			      have[i], want[i]);
	dpr_array_release(plain);
	dpr_array_release(x);
}

START_TEST(as_numpy)
{
	dpr_array *x;

	if (leaves_out(_i, 6))
		return;
	CHECK_OK(compute(indexing_fixtures[_i].text, &x, NULL));
	check_values(x, _i);
}
END_TEST

/* Texts, and parts of their explanations. */
static const struct {
	const char *text, *part;
} plans[] = {
	{ "take(y, k + 1)*2", "\n1 launch, 0 bytes in between\n" },
	{ "x[i, :, j[0]] + x[:, :, 0]", "\n1 launch, 0 bytes in between\n" },
	{ "x[i, :, 0]*2", "x[i, :, 0]" },
	{ "take(x, k, axis=-1)[1]*2", "\n1 launch, 0 bytes in between\n" },
	{ "y + take(y, y, mode=\"clip\")", "\n1 launch, 0 bytes in between\n" },
	{ "take(y, k, mode=\"clip\")", ", mode=\"clip\") " },
	/* These elements are read at once, which is a step of its own. */
	{ "reshape(x, (2, 3, 2, 2))[i, i, i, i]", " 2  #1[i, i, i, i] " },
	/* Computed sources are stored before they are read by indices, and so
	   are read values before a reduction. */
	{ "take(y*2, k)", "\n2 launches, 20 bytes in between\n" },
	{ "sum(y[k]*2)", ", 28 bytes in between\n" },
};

START_TEST(kernels)
{
	dpr_array *x;
	char *plan;

	if (leaves_out(_i, 3))
		return;
	CHECK_OK(compute(plans[_i].text, &x, &plan));
	ck_assert_msg(strstr(plan, plans[_i].part), "%s\n%s", plans[_i].text,
		      plan);
	dpr_free(plan);
	dpr_array_release(x);
}
END_TEST

static const struct {
	const char *text;
	dpr_status status;
	const char *part;
} wrong[] = {
	{ "take(x, i)", DPR_ERROR_INVALID_ARGUMENT,
	  "the array has 3 axes; say along which: axis=0" },
	{ "take(y, k, mode=3)", DPR_ERROR_INVALID_ARGUMENT,
	  "not one of \"wrap\", \"clip\" and \"check\"" },
	{ "take(y, far, mode=\"check\")", DPR_ERROR_INDEX,
	  "index -7, at (0, 0) of the indices, is out of range for axis 0 of "
	  "extent 5" },
	{ "take(y, far - 4, mode=\"check\")", DPR_ERROR_INDEX,
	  "index -11, at (0, 0)" },
	{ "x[i, 1.5]", DPR_ERROR_INVALID_ARGUMENT, "an integer, a slice" },
	{ "x[i*1.5]", DPR_ERROR_DTYPE, "must be integers" },
	{ "x[i == 1]", DPR_ERROR_DTYPE,
	  "as x[mask], is not supported yet; use dpr_where()" },
	{ "take(y, k, mode=\"wrapped\")", DPR_ERROR_INVALID_ARGUMENT,
	  "neither a dtype nor \"wrap\"" },
	{ "x[(1, 2)]", DPR_ERROR_INVALID_ARGUMENT,
	  "neither an array nor an integer" },
	{ "x[i, i, i, i]", DPR_ERROR_INDEX, "more index arrays" },
	{ "x[i, j, 0, 0]", DPR_ERROR_INDEX, "" },
	{ "x[n, 7, i]", DPR_ERROR_INDEX, "7 is out of range for axis 1" },
	{ "take_along_axis(x, i)", DPR_ERROR_SHAPE, "1 axes" },
	{ "x[i[0]", DPR_ERROR_INVALID_ARGUMENT, "" },
	{ "none[i]", DPR_ERROR_INDEX, "has no elements" },
};

START_TEST(errors)
{
	dpr_array *x;

	CHECK_FAILS(wrong[_i].status, compute(wrong[_i].text, &x, NULL));
	ck_assert_msg(strstr(dpr_last_error(), wrong[_i].part), "%s: %s",
		      wrong[_i].text, dpr_last_error());
	ck_assert_ptr_null(x);
}
END_TEST

/* The result goes into the array that is read.  The kernel must not overwrite
   elements that are still to be read. */
START_TEST(into_what_is_read)
{
	static const int32_t want[] = { 28, 26, 24, 22, 20 };
	const dpr_array *y = bindings[1].value.as.array;
	int32_t have[5];
	dpr_array *x;

	CHECK_OK(dpr_copy(y, &x));
	CHECK_OK(dpr_evaluate_into("x[(-1 - index(0))]*2", x, "x", x));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	dpr_array_release(x);
}
END_TEST

/* A number without a sign is an index, too. */
START_TEST(unsigned_numbers)
{
	const dpr_array *y = bindings[1].value.as.array;
	dpr_array *x = NULL;
	int64_t have;

	CHECK_OK(dpr_evaluate("y[n]", NULL, &x, "y", y, "n", (uint64_t)2));
	CHECK_OK(dpr_array_item_int64(x, &have));
	ck_assert_int_eq(have, 12);
	dpr_array_release(x);
	CHECK_OK(dpr_evaluate("sum(y, axis=n)", NULL, &x, "y", y, "n",
			      (uint64_t)0));
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_evaluate("y[n]", NULL, &x, "y", y, "n",
						  UINT64_MAX));
	ck_assert_msg(strstr(dpr_last_error(), "18446744073709551615"), "%s",
		      dpr_last_error());
}
END_TEST

/* Four arrays are more than a kernel takes. */
START_TEST(four_arrays)
{
	dpr_array *x = NULL, *four;
	int32_t have[2];

	CHECK_OK(compute("reshape(x, (2, 3, 2, 2))", &four, NULL));
	CHECK_OK(dpr_evaluate("x[i, i, i, i] + 1", NULL, &x, "x", four, "i",
			      bindings[2].value.as.array));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert(have[0] == 1 && have[1] == 20);
	dpr_array_release(x);
	dpr_array_release(four);
}
END_TEST

/* A kernel takes rows and uses them: on GPUs by packs, where the rows begin at
   whole packs.  Without the call of take() the text reads t, which
   has the same elements.  y has the elements of t in another order. */
static const struct {
	dpr_dtype dtype;
	int axis;
	int64_t first; /* the first column of x that is used */
	const char *text, *rest;
} rows[] = {
	{ DPR_FLOAT32, 0, 0, "take(x, i, axis=0)*2", "t*2" },
	{ DPR_FLOAT32, 0, 1, "take(x, i, axis=0)*2", "t*2" },
	{ DPR_FLOAT32, 0, 4, "take(x, i, axis=0) + y", "t + y" },
	{ DPR_INT8, 0, 0, "take(x, i, axis=0) + y", "t + y" },
	{ DPR_UINT8, 1, 8, "take(x, i, axis=1) - 1", "t - 1" },
	{ DPR_INT16, 0, 0, "astype(take(x, i, axis=0), int64)",
	  "astype(t, int64)" },
	{ DPR_INT32, 0, 0, "astype(take(x, i, axis=0), int8)",
	  "astype(t, int8)" },
	{ DPR_FLOAT16, 0, 0, "take(x, i, axis=0)*y", "t*y" },
	{ DPR_FLOAT16, 1, 2, "sin(take(x, i, axis=1))", "sin(t)" },
	{ DPR_COMPLEX64, 0, 0, "take(x, i, axis=0)*y", "t*y" },
	{ DPR_INT64, 0, 0, "where(take(x, i, axis=0) > 50, y, 7)",
	  "where(t > 50, y, 7)" },
	{ DPR_FLOAT32, 0, 0, "take(x, i - 11, axis=0) + take(x, i, axis=0)*y",
	  "t + t*y" },
	/* Only one of the two sources is read by rows. */
	{ DPR_FLOAT32, 0, 0, "take(x, i, axis=0) + take_along_axis(y, index(2, y))",
	  "t + y" },
	{ DPR_BOOL, 0, 0, "logical_not(take(x, i, axis=0))", "logical_not(t)" },
	{ DPR_FLOAT32, 2, 0, "take(x, i, axis=2)*2", "t*2" },
};

/* x has the numbers from 0 to 100 in turn, without its first @first columns. */
static void make_source(dpr_dtype dtype, int64_t first, dpr_array **x)
{
	dpr_array *line, *cast, *whole;

	CHECK_OK(dpr_arange(0, 11 * 6 * 48, 1, DPR_INT32, test_queue, &line));
	CHECK_OK(dpr_remainder_into(line, 101, line));
	CHECK_OK(dpr_astype(line, dtype, &cast));
	CHECK_OK(dpr_reshape(cast, DPR_SHAPE(11, 6, 48), &whole));
	CHECK_OK(dpr_array_view(whole, x, DPR_ELLIPSIS,
				DPR_SLICE(first, first + 32, 1)));
	dpr_array_release(whole);
	dpr_array_release(cast);
	dpr_array_release(line);
}

/* Apply @text to those of x, i, t and y that are named there. */
static dpr_array *apply(const char *text, const dpr_binding *all)
{
	dpr_binding some[4];
	dpr_expression *e;
	dpr_array *out;

	CHECK_OK(dpr_expression_create(text, &e));
	CHECK_OK(dpr_expression_apply(e, some, choose(e, all, 4, some), NULL,
				      &out, 1));
	dpr_expression_release(e);
	return out;
}

START_TEST(rows_in_packs)
{
	const dpr_array *i = bindings[4].value.as.array;
	dpr_array *x, *t, *y, *flipped;

	if (!dpr_dtype_computes(test_device, rows[_i].dtype))
		return;
	make_source(rows[_i].dtype, rows[_i].first, &x);
	CHECK_OK(dpr_take(x, i, rows[_i].axis, DPR_BOUNDS_WRAP, &t));
	CHECK_OK(dpr_flip(t, NULL, &flipped));
	CHECK_OK(dpr_copy(flipped, &y));
	dpr_array_release(flipped);
	const dpr_binding all[] = { { "x", DPR_OPERAND(x) },
				    { "i", DPR_OPERAND(i) },
				    { "t", DPR_OPERAND(t) },
				    { "y", DPR_OPERAND(y) } };
	check_same(apply(rows[_i].text, all), apply(rows[_i].rest, all));
	dpr_array_release(y);
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

static Suite *texts_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("index texts");

	tcase_set_timeout(tcase, 300);
	tcase_add_checked_fixture(tcase, make_operands, drop_operands);
	tcase_add_loop_test(tcase, as_numpy, 0, FIXTURES);
	tcase_add_loop_test(tcase, kernels, 0,
			    (int)(sizeof(plans) / sizeof(plans[0])));
	tcase_add_loop_test(tcase, errors, 0,
			    (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_loop_test(tcase, rows_in_packs, 0,
			    (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tcase, into_what_is_read);
	tcase_add_test(tcase, four_arrays);
	tcase_add_test(tcase, unsigned_numbers);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_all(texts_suite);
}
