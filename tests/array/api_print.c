/* SPDX-License-Identifier: Apache-2.0 */
/* Printing arrays: the text must be that of NumPy's str() for the same
   elements. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define SHAPE(...)          \
	{                   \
		__VA_ARGS__ \
	}
#define CASE(dtype, rank, shape, elements, text) \
	{ #dtype, rank, shape, elements, text },

static const struct print_case {
	const char *dtype;
	int rank;
	int64_t shape[8];
	const char *elements, *text;
} cases[] = {
#include "tests/fixtures/print_fixtures.h"
};

static unsigned from_hex(const char *text)
{
	char two[3] = { text[0], text[1], 0 };

	return (unsigned)strtoul(two, NULL, 16);
}

static dpr_array *make(const struct print_case *c, dpr_queue *queue)
{
	size_t size = strlen(c->elements) / 2;
	unsigned char *data = malloc(size + 1);
	dpr_array *x;

	ck_assert_ptr_nonnull(data);
	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)from_hex(c->elements + 2 * i);
	CHECK_OK(dpr_array_from_memory(data, dpr_shape_of(c->rank, c->shape),
				       NULL, dpr_dtype_from_name(c->dtype),
				       queue, &x));
	free(data);
	return x;
}

START_TEST(text_is_that_of_numpy)
{
	int bad = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dpr_array *x = make(&cases[i], test_queue);
		char *text;

		CHECK_OK(dpr_array_format(x, NULL, &text));
		if (strcmp(text, cases[i].text)) {
			printf("case %zu, %s:\n%s\nNumPy:\n%s\n", i,
			       cases[i].dtype, text, cases[i].text);
			bad++;
		}
		dpr_free(text);
		dpr_array_release(x);
	}
	ck_assert_int_eq(bad, 0);
}
END_TEST

static char *format(const dpr_array *x, const dpr_print_options *options)
{
	char *text;

	CHECK_OK(dpr_array_format(x, options, &text));
	return text;
}

START_TEST(options_are_heeded)
{
	const float values[] = { 0.123456f, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	dpr_print_options few = { sizeof(few), .precision = 2 };
	dpr_print_options cut = { sizeof(cut), .threshold = 5,
				  .edge_items = 2 };
	dpr_print_options narrow = { sizeof(narrow), .precision = 1,
				     .line_width = 20 };
	dpr_print_options unset = { .precision = 1 };
	dpr_array *x;
	char *text;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(10), NULL, DPR_FLOAT32,
				       test_queue, &x));
	text = format(x, &few);
	ck_assert_str_eq(text, "[0.12 1.   2.   3.   4.   5.   6.   7.   8.   "
			       "9.  ]");
	dpr_free(text);
	text = format(x, &cut);
	ck_assert_str_eq(text, "[0.123456 1.       ... 8.       9.      ]");
	dpr_free(text);
	text = format(x, &narrow);
	ck_assert_str_eq(text, "[0.1 1.  2.  3.\n 4.  5.  6.  7.\n 8.  9. ]");
	dpr_free(text);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_format(x, &unset, &text));
	ck_assert_ptr_null(text);
	ck_assert_msg(strstr(dpr_last_error(), "sizeof(dpr_print_options)") !=
			      NULL,
		      "%s", dpr_last_error());
	dpr_array_release(x);
}
END_TEST

START_TEST(small_floats_without_a_numpy_dtype)
{
	const uint16_t values[] = { 0x3f80, 0x3e00, 0xc000, 0x7f80 };
	dpr_array *x, *item;
	char *text;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(4), NULL, DPR_BFLOAT16,
				       test_queue, &x));
	text = format(x, NULL);
	ck_assert_str_eq(text, "[ 1.     0.125 -2.       inf]");
	dpr_free(text);
	CHECK_OK(dpr_array_view(x, &item, DPR_AT(1)));
	text = format(item, NULL);
	ck_assert_str_eq(text, "0.125");
	dpr_free(text);
	dpr_array_release(item);
	dpr_array_release(x);
}
END_TEST

START_TEST(views_are_written_as_they_lie)
{
	const int32_t values[] = { 1, 2, 3, 4, 5, 6 };
	dpr_array *x, *transposed, *wide;
	char *text;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(2, 3), NULL, DPR_INT32,
				       test_queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &transposed));
	text = format(transposed, NULL);
	ck_assert_str_eq(text, "[[1 4]\n [2 5]\n [3 6]]");
	dpr_free(text);
	/* A summary of an array with more elements than any memory holds. */
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(1000000, 1000000, 2, 3), &wide));
	text = format(wide, NULL);
	ck_assert_ptr_nonnull(strstr(text, "..."));
	ck_assert_uint_lt(strlen(text), 2000);
	dpr_free(text);
	dpr_array_release(wide);
	dpr_array_release(transposed);
	dpr_array_release(x);
}
END_TEST

START_TEST(print_writes_to_the_stream)
{
	const int8_t values[] = { 1, 2 };
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(2), NULL, DPR_INT8,
				       test_queue, &x));
	CHECK_OK(dpr_array_print(x, stream));
	fclose(stream);
	ck_assert_str_eq(text, "[1 2]\n");
	free(text);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_print(x, NULL));
	stream = fopen("/dev/full", "w");
	if (stream) {
		setvbuf(stream, NULL, _IONBF, 0);
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_array_print(x, stream));
		fclose(stream);
	}
	dpr_array_release(x);
}
END_TEST

static Suite *print_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("print");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, text_is_that_of_numpy);
	tcase_add_test(tcase, options_are_heeded);
	tcase_add_test(tcase, small_floats_without_a_numpy_dtype);
	tcase_add_test(tcase, views_are_written_as_they_lie);
	tcase_add_test(tcase, print_writes_to_the_stream);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	dpr_device *device;

	if (dpr_device_select(NULL, &device)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	return run_on_devices(print_suite, &device, 1);
}
