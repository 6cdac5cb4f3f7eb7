/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_softmax.c - softmax of rows is at most four launches on every device, as
 * one expression and as several statements.  The values are compared with a
 * loop. DPR_TEST_PLANS=1 prints the plans.
 */
#include <math.h>

#include "tests/expression/softmax.h"

#define MOST (256 * 4096)

static float values[MOST], have[MOST];

/* Numbers between -4 and 4, with the largest at another place in each row. */
static void set_values(void)
{
	for (int i = 0; i < MOST; i++)
		values[i] = (float)(i * 37 % 1021) / 128 - 4;
}

static void check_values(const dpr_array *x, const char *text, int64_t rows,
			 int64_t columns)
{
	dpr_array *out;
	int wrong = 0;

	CHECK_OK(dpr_evaluate(text, NULL, &out, "x", x));
	ck_assert_int_eq(dpr_array_size(out), rows * columns);
	CHECK_OK(dpr_array_to_memory(out, have, dpr_array_nbytes(out), NULL));
	for (int64_t r = 0; r < rows; r++) {
		const float *row = values + r * columns;
		double largest = -4, sum = 0;

		for (int64_t c = 0; c < columns; c++)
			largest = fmax(largest, (double)row[c]);
		for (int64_t c = 0; c < columns; c++)
			sum += exp((double)row[c] - largest);
		for (int64_t c = 0; c < columns; c++) {
			const double want = exp((double)row[c] - largest) / sum;

			wrong += !(fabs((double)have[r * columns + c] - want) <
				   1e-5 * want);
		}
	}
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(out);
}

START_TEST(few_launches)
{
	const int64_t *shape = softmax_shapes[_i / SOFTMAX_TEXTS];
	const int text = _i % SOFTMAX_TEXTS;
	dpr_array *x;

	set_values();
	CHECK_OK(dpr_array_from_memory(values, dpr_shape_of(2, shape), NULL,
				       DPR_FLOAT32, test_queue, &x));
	softmax_check(text, x);
	check_values(x, softmax_texts[text], shape[0], shape[1]);
	dpr_array_release(x);
}
END_TEST

/* The number is that of the last line, whatever stands before. */
START_TEST(the_last_line_is_read)
{
	ck_assert_int_eq(softmax_told("2 launches\n1 launch, 0 bytes\n"), 1);
	ck_assert_int_eq(softmax_told("7\n12 launches, 3 bytes\n"), 12);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("softmax");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, the_last_line_is_read);
	tcase_add_loop_test(tcase, few_launches, 0,
			    SOFTMAX_SHAPES * SOFTMAX_TEXTS);
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
