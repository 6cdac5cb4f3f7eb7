/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_slices.c - slices in expressions, on every device.  Slices have the bits
 * of dpr_array_index() on the whole value, and need only the kernels that are
 * listed here.
 */
#include <dpr/dpr.h>

#include "tests/support/bits.h"
#include "tests/support/devices.h"

enum { PLANES = 3, ROWS = 6, COLUMNS = 7 };

/* The operands: x (3, 6, 7), y (6, 7), row (7,), column (6, 1), item (). */
#define OPERANDS 5
static dpr_array *operands[OPERANDS];
static dpr_binding bindings[OPERANDS];

static void setup(void)
{
	static const char *const names[] = { "x", "y", "row", "column",
					     "item" };
	const dpr_shape shapes[] = { DPR_SHAPE(PLANES, ROWS, COLUMNS),
				     DPR_SHAPE(ROWS, COLUMNS),
				     DPR_SHAPE(COLUMNS), DPR_SHAPE(ROWS, 1),
				     DPR_SCALAR_SHAPE };
	float values[PLANES * ROWS * COLUMNS];

	for (int k = 0; k < OPERANDS; k++) {
		for (int i = 0; i < PLANES * ROWS * COLUMNS; i++)
			values[i] = (float)((i * 37 + k * 11) % 101) / 16 - 2;
		CHECK_OK(dpr_array_from_memory(values, shapes[k], NULL,
					       DPR_FLOAT32, test_queue,
					       &operands[k]));
		bindings[k].name = names[k];
		bindings[k].value = dpr_operand_array(operands[k]);
	}
}

static void teardown(void)
{
	for (int k = 0; k < OPERANDS; k++)
		dpr_array_release(operands[k]);
}

/* Compute @text, which has one result.  *@plan (NULL: not wanted) is for
   dpr_free(). */
static dpr_status compute(const char *text, dpr_array **out, char **plan)
{
	const dpr_expression_operand *wanted;
	dpr_binding list[OPERANDS];
	dpr_expression *e;
	dpr_status status;
	size_t n, bound = 0;

	*out = NULL;
	status = dpr_expression_create(text, &e);
	if (status)
		return status;
	wanted = dpr_expression_operands(e, &n);
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < OPERANDS; k++)
			if (!strcmp(wanted[i].name, bindings[k].name))
				list[bound++] = bindings[k];
	status = dpr_expression_apply(e, list, bound, test_queue, out, 1);
	if (!status && plan)
		status = dpr_expression_explain(e, list, bound, test_queue,
						plan);
	dpr_expression_release(e);
	return status;
}

static void check_same(const dpr_array *have, const dpr_array *want,
		       const char *text)
{
	ck_assert_msg(dpr_array_rank(have) == dpr_array_rank(want), "%s: %d",
		      text, dpr_array_rank(have));
	for (int d = 0; d < dpr_array_rank(want); d++)
		ck_assert_msg(dpr_array_shape(have)[d] ==
				      dpr_array_shape(want)[d],
			      "%s: axis %d", text, d);
	ck_assert_msg(bits_equal(have, want), "%s", text);
}

/* --- Values --------------------------------------------------------------- */

#define O DPR_OPEN
#define AT(i)                                   \
	{                                       \
		DPR_INDEX_INTEGER, 0, (i), 0, 0 \
	}
#define SLICE(start, stop, step)                            \
	{                                                   \
		DPR_INDEX_SLICE, 0, (start), (stop), (step) \
	}
#define NEW                                    \
	{                                      \
		DPR_INDEX_NEW_AXIS, 0, 0, 0, 0 \
	}
#define REST                                   \
	{                                      \
		DPR_INDEX_ELLIPSIS, 0, 0, 0, 0 \
	}
static const struct {
	const char *text;
	size_t n;
	dpr_index list[5];
} indices[] = {
	{ "1:-1, ::2", 2, { SLICE(1, -1, O), SLICE(O, O, 2) } },
	{ "1", 1, { AT(1) } },
	{ "-2", 1, { AT(-2) } },
	{ "..., None", 2, { REST, NEW } },
	{ "newaxis, 0, None, ..., -1", 5, { NEW, AT(0), NEW, REST, AT(-1) } },
	{ "::-1, +2:1000", 2, { SLICE(O, O, -1), SLICE(2, 1000, O) } },
	{ "-1000:2:, 5:0:-2,", 2, { SLICE(-1000, 2, O), SLICE(5, 0, -2) } },
	{ "2:2", 1, { SLICE(2, 2, O) } },
	{ "Ellipsis", 1, { REST } },
	{ ":, :, None", 3, { SLICE(O, O, O), SLICE(O, O, O), NEW } },
	{ "9223372036854775807:-9223372036854775807:-1",
	  1,
	  { SLICE(INT64_MAX, -INT64_MAX, -1) } },
};
#undef O
#define INDICES ((int)(sizeof(indices) / sizeof(indices[0])))

/* Expressions with at least two axes, to be sliced. */
static const char *const texts[] = {
	"x",
	"x + y*row",
	"y*2 - column/row",
	"x*item + column",
	"where(y > row, index(1, y), index(0, y)*10)",
	"astype(x*3 + y, int16)",
	"where(column < 0, row, 5)",
	"sqrt(abs(row - column))**3",
	"(x - item) == (x - item)*(x - item)",
	"x - mean(x, axis=1, keepdims=True)",
	"sum(x, axis=0)",
	"max(x*y, axis=2) + 1",
	"permute_dims(x + 1, (2, 0, 1))",
	"y + (column + 1)*(column + 1)*(column + 1)*(row - 1)",
	"zeros((4, 5))",
	"concat((y, y*2), axis=1)",
	"a = x - y; b = a*a; c = b*b - a; c*c + b",
};
#define TEXTS ((int)(sizeof(texts) / sizeof(texts[0])))

/* Compare "(@text)[...]" with dpr_array_index().  A part before the value stays
   outside the parentheses. */
static void check_index(const char *text, int i, const dpr_array *whole)
{
	const char *end = strrchr(text, ';');
	const int parts = end ? (int)(end + 1 - text) : 0;
	dpr_array *have, *want;
	char sliced[300];

	snprintf(sliced, sizeof(sliced), "%.*s (%s)[%s]", parts, text,
		 text + parts, indices[i].text);
	CHECK_OK(dpr_array_index(whole, indices[i].list, indices[i].n, &want));
	CHECK_OK(compute(sliced, &have, NULL));
	check_same(have, want, sliced);
	dpr_array_release(have);
	dpr_array_release(want);
}

START_TEST(values)
{
	dpr_array *whole;

	if (leaves_out(_i, 8))
		return;
	CHECK_OK(compute(texts[_i], &whole, NULL));
	for (int i = 0; i < INDICES; i++)
		if (!leaves_out(i, 4))
			check_index(texts[_i], i, whole);
	dpr_array_release(whole);
}
END_TEST

/* The order of additions is that of the functions called one after the
   other. */
START_TEST(sums)
{
	const dpr_axes axes = { .count = 1,
				.keepdims = 0,
				.axis = (const int[]){ 0 } };
	static float numbers[301 * 403];
	dpr_array *x, *twice, *view, *have, *want;

	for (int i = 0; i < 301 * 403; i++)
		numbers[i] = (float)(i * 7919 % 10007) / 999 - 4;
	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(301, 403), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_evaluate("sum((x*2)[::2, ::-2], axis=0)", NULL, &have, "x",
			      x));
	CHECK_OK(dpr_evaluate("x*2", NULL, &twice, "x", x));
	CHECK_OK(dpr_array_view(twice, &view, DPR_SLICE(DPR_OPEN, DPR_OPEN, 2),
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -2)));
	CHECK_OK(dpr_sum(view, &axes, &want));
	check_same(have, want, "sum((x*2)[::2, ::-2], axis=0)");
	dpr_array_release(want);
	dpr_array_release(view);
	dpr_array_release(twice);
	dpr_array_release(have);
	dpr_array_release(x);
}
END_TEST

/* Pairs of texts with the same value. */
static const char *const pairs[][2] = {
	{ "y[0][1]**2", "y[0, 1]**2" },
	{ "-y[0]", "(-y)[0]" },
	{ "2**row[1]", "2**(row[1])" },
	{ "(row[1:] - row[:-1])[::2]", "row[1::2] - row[:-1:2]" },
	{ "t = exp(y); t[1:] - t[:-1]", "exp(y[1:]) - exp(y[:-1])" },
	{ "t = y*2; t[1:] - t[:-1] + sum(t[0])", "y[1:]*2 - y[:-1]*2 + "
						 "sum(y[0]*2)" },
	{ "(row[:, None] + row)[1:3, ::3]", "row[1:3, None] + row[::3]" },
	{ "index(1, y)[2:, ::2]", "index(1, y[2:, ::2]) * 2" },
	{ "(item + 1)[None, ...]", "item[None] + 1" },
	{ "(x + y)[:, ::2][1, 1:]", "x[1, 2::2] + y[2::2]" },
};

START_TEST(equal_texts)
{
	dpr_array *a, *b;

	if (leaves_out(_i, 4))
		return;
	CHECK_OK(compute(pairs[_i][0], &a, NULL));
	CHECK_OK(compute(pairs[_i][1], &b, NULL));
	check_same(a, b, pairs[_i][0]);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* --- Kernels -------------------------------------------------------------- */

/* Texts, and parts of their explanations. */
static const struct {
	const char *text, *part;
} plans[] = {
	{ "y[1:-1, 1:-1] + 0.1*(y[2:, 1:-1] + y[:-2, 1:-1] + y[1:-1, 2:] + "
	  "y[1:-1, :-2] - 4*y[1:-1, 1:-1])",
	  "\n1 launch, 0 bytes in between\n" },
	/* Equal views are one input of a kernel, which has 16. */
	{ "row[1:]*row[1:] + row[1:]*row[1:] + row[1:]*row[1:] "
	  "+ row[1:]*row[1:] + row[1:]*row[1:] + "
	  "row[1:]*row[1:] + row[1:]*row[1:] + row[1:]*row[1:] "
	  "+ row[1:]*row[1:]",
	  "\n1 launch, 0 bytes in between\n" },
	{ "(y*2 + row)[0]", "\n1 launch, 0 bytes in between\n" },
	{ "t = y*y; t[1:] - t[:-1]", "\n1 launch, 0 bytes in between\n" },
	{ "exp(y)[1:] - exp(y)[:-1]", "\n1 launch, 0 bytes in between\n" },
	/* Values that are expensive and used twice are stored. */
	{ "t = exp(y); t[1:] - t[:-1]",
	  "\n2 launches, 168 bytes in between\n" },
	/* A reduction adds in the order of a view of what is stored. */
	{ "sum((y*2)[::2])", ", 168 bytes in between\n" },
	{ "sum(permute_dims((y*2)[1:][:, ::3], (1, 0)))",
	  ", 168 bytes in between\n" },
	{ "sum((y*2)[::2] + 1, axis=0)", ", 0 bytes in between\n" },
	/* A view of an operand is no launch, and no step. */
	{ "x[0, ::2]", "\nresult 1 is x[0, ::2]\n0 launches, 0 bytes" },
	{ "(x + 1)[None, :-1:2, ..., 0:3]", "  inside its slices\n" },
	{ "(x + 1)[None, :-1:2, ..., 0:3]",
	  "   2  #1[None, :-1:2, ..., 0:3] " },
};

START_TEST(kernels)
{
	dpr_array *out;
	char *plan;

	if (leaves_out(_i, 3))
		return;
	CHECK_OK(compute(plans[_i].text, &out, &plan));
	ck_assert_msg(strstr(plan, plans[_i].part), "%s\n%s", plans[_i].text,
		      plan);
	dpr_free(plan);
	dpr_array_release(out);
}
END_TEST

/* --- Results -------------------------------------------------------------- */

/* A slice of an operand is a view of it. */
START_TEST(views_of_operands)
{
	dpr_array *out;

	CHECK_OK(compute("y[1:, ::2]", &out, NULL));
	ck_assert(dpr_array_usm(out) == dpr_array_usm(operands[1]));
	dpr_array_release(out);
}
END_TEST

/* Into the array that is read, by other views of it. */
START_TEST(into_an_operand)
{
	dpr_array *y, *before, *inside, *have, *want;

	CHECK_OK(dpr_copy(operands[1], &y));
	CHECK_OK(dpr_evaluate("y[::-1] + 0", NULL, &want, "y", y));
	CHECK_OK(dpr_evaluate_into("y[::-1]", y, "y", y));
	check_same(y, want, "y[::-1]");
	CHECK_OK(dpr_copy(y, &before));
	CHECK_OK(dpr_array_view(y, &inside, DPR_SLICE(1, -1, 1), DPR_ALL));
	CHECK_OK(dpr_evaluate_into("y[2:] - y[:-2]", inside, "y", y));
	CHECK_OK(dpr_evaluate("(y[2:] - y[:-2])[::-1]", NULL, &have, "y",
			      before));
	dpr_array_release(want);
	CHECK_OK(dpr_evaluate("y[-2:0:-1]", NULL, &want, "y", y));
	check_same(have, want, "y[2:] - y[:-2]");
	dpr_array_release(have);
	dpr_array_release(want);
	dpr_array_release(inside);
	dpr_array_release(before);
	dpr_array_release(y);
}
END_TEST

START_TEST(in_functions)
{
	dpr_array *have, *want;

	CHECK_OK(dpr_expression_define("steps_of(a) = a[1:] - a[:-1]"));
	CHECK_OK(compute("steps_of(y*2)[..., 0] + steps_of(y)[:, 0]", &have,
			 NULL));
	CHECK_OK(dpr_expression_undefine("steps_of"));
	CHECK_OK(compute("(y[1:]*2 - y[:-1]*2)[:, 0] + (y[1:] - y[:-1])[:, 0]",
			 &want, NULL));
	check_same(have, want, "steps_of(y*2)");
	dpr_array_release(have);
	dpr_array_release(want);
}
END_TEST

/* --- Errors --------------------------------------------------------------- */

static const struct {
	const char *text;
	dpr_status status;
	size_t column, length;
	const char *part;
} faults[] = {
	{ "y[0, 7]", DPR_ERROR_INDEX, 2, 6,
	  "7 is out of range for axis 1 of extent 7" },
	{ "(y + 1)[-7]", DPR_ERROR_INDEX, 8, 4,
	  "-7 is out of range for axis 0 of extent 6" },
	{ "1 + y[0, 0, 0]", DPR_ERROR_INDEX, 6, 9, "3 indices" },
	{ "(y*2)[0, 0, 0]", DPR_ERROR_INDEX, 6, 9, "3 indices" },
	{ "mean(y, axis=0)[7]", DPR_ERROR_INDEX, 16, 3, "extent 7" },
	{ "exp(y) + item[:]", DPR_ERROR_INDEX, 14, 3, "0 axes" },
	{ "y + 3[0]", DPR_ERROR_INVALID_ARGUMENT, 6, 3, "only an array" },
	{ "concat((x, x)[0])", DPR_ERROR_INVALID_ARGUMENT, 14, 3,
	  "only an array" },
	{ "astype(y, int8[0])", DPR_ERROR_INVALID_ARGUMENT, 15, 3,
	  "only an array" },
	{ "y[None,None,None,None,None,None,None,None,None,None,None,None,"
	  "None,None,None,None,None,None,None,None,None,None,None,None,None,"
	  "None,None,None,None,None,None]",
	  DPR_ERROR_SHAPE, 2, 156, "33 axes" },
};

START_TEST(errors)
{
	dpr_text_place place;
	dpr_array *out;

	CHECK_FAILS(faults[_i].status, compute(faults[_i].text, &out, NULL));
	place = dpr_expression_fault();
	ck_assert_ptr_null(out);
	ck_assert_msg(strstr(dpr_last_error(), faults[_i].part), "%s: %s",
		      faults[_i].text, dpr_last_error());
	ck_assert_msg(place.column == faults[_i].column &&
			      place.length == faults[_i].length,
		      "%s: column %zu, %zu bytes", faults[_i].text,
		      place.column, place.length);
}
END_TEST

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

static Suite *suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("slices");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, values, 0, TEXTS);
	tcase_add_test(tcase, sums);
	tcase_add_loop_test(tcase, equal_texts, 0, COUNT(pairs));
	tcase_add_loop_test(tcase, kernels, 0, COUNT(plans));
	tcase_add_test(tcase, views_of_operands);
	tcase_add_test(tcase, into_an_operand);
	tcase_add_test(tcase, in_functions);
	tcase_add_loop_test(tcase, errors, 0, COUNT(faults));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	int failed = run_on_selected(suite, getenv("DPR_TEST_DEVICES"));

	if (dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		failed = failed && failed != 77 ? failed : 1;
	}
	return failed;
}
