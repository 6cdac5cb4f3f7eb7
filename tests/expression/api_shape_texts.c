/* SPDX-License-Identifier: Apache-2.0 */
/* api_shape_texts.c - the functions of shapes.h in expressions, on every
   device: values, as NumPy has them, and errors. */
#include <dpr/dpr.h>

#include "tests/support/devices.h"

static dpr_array *x;

static void setup(void)
{
	CHECK_OK(dpr_evaluate("reshape(arange(6), (2, 3))", test_queue, &x));
}

static void teardown(void)
{
	dpr_array_release(x);
}

/* x is [[0, 1, 2], [3, 4, 5]], and r is its first row. */
static const char part_r[] = "r = x[0]; ";

/* Compute @text. */
static dpr_status compute(const char *text, dpr_array **out)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "%s%s", part_r, text);
	return dpr_evaluate(whole, NULL, out, "x", x);
}

static const struct {
	const char *text;
	int rank;
	int64_t dim[4], values[16];
} texts[] = {
	{ "flip(x)", 2, { 2, 3 }, { 5, 4, 3, 2, 1, 0 } },
	{ "flip(x, axis=1)", 2, { 2, 3 }, { 2, 1, 0, 5, 4, 3 } },
	{ "flip(x + 1, axis=(0, -1))", 2, { 2, 3 }, { 6, 5, 4, 3, 2, 1 } },
	{ "flip(x, axis=None)", 2, { 2, 3 }, { 5, 4, 3, 2, 1, 0 } },
	{ "roll(x, 1)", 2, { 2, 3 }, { 5, 0, 1, 2, 3, 4 } },
	{ "roll(x, (-1,))", 2, { 2, 3 }, { 1, 2, 3, 4, 5, 0 } },
	{ "roll(x*2, 1, axis=-1)", 2, { 2, 3 }, { 4, 0, 2, 10, 6, 8 } },
	{ "roll(x, (1, 2), axis=(0, 1))", 2, { 2, 3 }, { 4, 5, 3, 1, 2, 0 } },
	{ "roll(x, 1, axis=(1, 0))", 2, { 2, 3 }, { 5, 3, 4, 2, 0, 1 } },
	{ "stack((x, x*10))",
	  3,
	  { 2, 2, 3 },
	  { 0, 1, 2, 3, 4, 5, 0, 10, 20, 30, 40, 50 } },
	{ "stack((r, r + 3), axis=-1)", 2, { 3, 2 }, { 0, 3, 1, 4, 2, 5 } },
	{ "concat((x, r), axis=None)",
	  1,
	  { 9 },
	  { 0, 1, 2, 3, 4, 5, 0, 1, 2 } },
	{ "tile(r, 2)", 1, { 6 }, { 0, 1, 2, 0, 1, 2 } },
	{ "tile(x, (2, 1))",
	  2,
	  { 4, 3 },
	  { 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 } },
	{ "repeat(x, 2)", 1, { 12 }, { 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 } },
	{ "repeat(x - 1, 2, axis=1)",
	  2,
	  { 2, 6 },
	  { -1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4 } },
	{ "repeat(x, 2, axis=None)",
	  1,
	  { 12 },
	  { 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 } },
	{ "moveaxis(expand_dims(x, 0), 0, -1)",
	  3,
	  { 2, 3, 1 },
	  { 0, 1, 2, 3, 4, 5 } },
	{ "moveaxis(x, (0, 1), (1, 0))", 2, { 3, 2 }, { 0, 3, 1, 4, 2, 5 } },
	{ "swapaxes(x, 0, -1)", 2, { 3, 2 }, { 0, 3, 1, 4, 2, 5 } },
	{ "squeeze(reshape(x, (1, 6, 1)))", 1, { 6 }, { 0, 1, 2, 3, 4, 5 } },
	{ "squeeze(reshape(x, (1, 6, 1)), (0, 2))",
	  1,
	  { 6 },
	  { 0, 1, 2, 3, 4, 5 } },
	{ "squeeze(reshape(x, (1, 6, 1)), axis=0)",
	  2,
	  { 6, 1 },
	  { 0, 1, 2, 3, 4, 5 } },
	{ "tril(x)", 2, { 2, 3 }, { 0, 0, 0, 3, 4, 0 } },
	{ "triu(x + 1, k=1)", 2, { 2, 3 }, { 0, 2, 3, 0, 0, 6 } },
	{ "diagonal(x)", 1, { 2 }, { 0, 4 } },
	{ "diagonal(x, offset=1)", 1, { 2 }, { 1, 5 } },
	{ "rot90(x)", 2, { 3, 2 }, { 2, 5, 1, 4, 0, 3 } },
	{ "rot90(x, 3)", 2, { 3, 2 }, { 3, 0, 4, 1, 5, 2 } },
	{ "rot90(x, -1, (1, 0))", 2, { 3, 2 }, { 2, 5, 1, 4, 0, 3 } },
	{ "atleast_1d(7)", 1, { 1 }, { 7 } },
	{ "atleast_2d(r)", 2, { 1, 3 }, { 0, 1, 2 } },
	{ "atleast_3d(r*2)", 3, { 1, 3, 1 }, { 0, 2, 4 } },
	{ "tril(x) + triu(x, k=1)", 2, { 2, 3 }, { 0, 1, 2, 3, 4, 5 } },
};

START_TEST(values)
{
	int64_t have[16], n = 1;
	dpr_array *y;

	if (leaves_out(_i, 3))
		return;
	CHECK_OK(compute(texts[_i].text, &y));
	ck_assert_int_eq(dpr_array_rank(y), texts[_i].rank);
	for (int k = 0; k < texts[_i].rank; k++) {
		ck_assert_int_eq(dpr_array_shape(y)[k], texts[_i].dim[k]);
		n *= texts[_i].dim[k];
	}
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert_msg(
		!memcmp(have, texts[_i].values, (size_t)n * sizeof(*have)),
		"%s", texts[_i].text);
	dpr_array_release(y);
}
END_TEST

static const struct {
	const char *text;
	dpr_status status;
	size_t column, length;
	const char *part;
} faults[] = {
	{ "flip(x, axis=2)", DPR_ERROR_INDEX, 1, 4,
	  "flip: there is no axis 2" },
	{ "flip(x, axis=1.5)", DPR_ERROR_INVALID_ARGUMENT, 14, 3,
	  "flip: axis is neither" },
	{ "1 + roll(x, (1, 2))", DPR_ERROR_INVALID_ARGUMENT, 13, 1,
	  "roll: shift is not one integer" },
	{ "roll(x, (1, 2), axis=0)", DPR_ERROR_INVALID_ARGUMENT, 9, 1,
	  "roll: shift is not one shift for each axis" },
	{ "stack(7)", DPR_ERROR_INVALID_ARGUMENT, 7, 1,
	  "stack: arrays is not a tuple of arrays" },
	{ "stack((x, r))", DPR_ERROR_SHAPE, 1, 5, "stack: x1 has the shape" },
	{ "stack((x, x), axis=None)", DPR_ERROR_INVALID_ARGUMENT, 20, 4,
	  "stack: axis is neither" },
	{ "tile(x, (2, -1))", DPR_ERROR_INVALID_ARGUMENT, 1, 4,
	  "tile: -1 repetitions" },
	{ "repeat(x, 1.5)", DPR_ERROR_INVALID_ARGUMENT, 11, 3,
	  "repeat: repeats is not an integer" },
	{ "repeat(x, x + 1)", DPR_ERROR_INVALID_ARGUMENT, 13, 1,
	  "repeat: repeats is an array: to repeat each element a number of "
	  "times of its own is not supported yet" },
	{ "tril(r)", DPR_ERROR_SHAPE, 1, 4, "tril: the array has 1 axes" },
	{ "moveaxis(x, 0, (0, 1))", DPR_ERROR_INVALID_ARGUMENT, 1, 8,
	  "moveaxis: the source names 1 axes" },
	{ "squeeze(x, 0)", DPR_ERROR_SHAPE, 1, 7, "not 1" },
};

START_TEST(errors)
{
	dpr_text_place place;
	dpr_array *y = x;

	CHECK_FAILS(faults[_i].status, compute(faults[_i].text, &y));
	place = dpr_expression_fault();
	place.column -= strlen(part_r);
	ck_assert_ptr_null(y);
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
	TCase *tcase = tcase_create("shapes");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, values, 0, COUNT(texts));
	tcase_add_loop_test(tcase, errors, 0, COUNT(faults));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(suite, NULL);
}
