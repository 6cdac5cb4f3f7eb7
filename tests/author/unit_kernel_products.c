/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_kernel_products.c - products of matrices on a device of the mock that
 * takes only kernels in files: by the kernel of a routine, and as reductions.
 */
#include "tests/support/files_device.h"

#include <dpr/array_kernels.h>

#include "core/array/products/product.h"

static const struct mock_control *control; /* of the device */

static void start(void)
{
	static const char *const names[] = { "strided_copy_uint32" };

	start_kernel_files("mock", names, 1);
	setenv("DPR_TEST_PLUGIN_DIR", files_folder, 1);
	control = control_of("mock");
}

/* The launches of a product of @rows x 70 and 70 x 90 numbers, which is checked. */
static uint64_t multiply(int64_t rows)
{
	enum { K = 70, COLUMNS_B = 90, MOST_ROWS = 200 };
	static float a[MOST_ROWS * K], b[K * COLUMNS_B],
		c[MOST_ROWS * COLUMNS_B];
	dpr_array *first, *second, *product;
	uint64_t launches;

	for (int i = 0; i < rows * K; i++)
		a[i] = (float)(i % 13 - 6);
	for (int i = 0; i < K * COLUMNS_B; i++)
		b[i] = (float)(i % 11 - 5);
	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(rows, K), NULL, DPR_FLOAT32,
				       q1, &first));
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(K, COLUMNS_B), NULL,
				       DPR_FLOAT32, q1, &second));
	control->reset();
	CHECK_OK(dpr_matmul(first, second, &product));
	launches = control->calls(MOCK_queue_launch);
	CHECK_OK(dpr_array_to_memory(product, c, sizeof(c), NULL));
	for (int64_t i = 0; i < rows * COLUMNS_B; i++) {
		float sum = 0;

		for (int p = 0; p < K; p++)
			sum += a[i / COLUMNS_B * K + p] *
			       b[p * COLUMNS_B + i % COLUMNS_B];
		if (c[i] != sum)
			ck_abort_msg("element %d is %g, not %g", (int)i,
				     (double)c[i], (double)sum);
	}
	dpr_array_release(first);
	dpr_array_release(second);
	dpr_array_release(product);
	return launches;
}

/* A product is one launch of the routine's kernel, if there is its file.  The last
   tiles are smaller. */
START_TEST(products)
{
	bring("matmul_float32");
	ck_assert_uint_eq(multiply(1), 1);
	ck_assert_uint_eq(multiply(200), 1);
	product_own_groups(3);
	ck_assert_uint_eq(multiply(200), 3);
	product_own_groups(0);
}
END_TEST

/* Without the file, products are reductions. */
START_TEST(products_without_routine)
{
	bring("strided_multiply_float32");
	bring("reduce_sum_float32");
	ck_assert_uint_gt(multiply(2), 1);
}
END_TEST

/* The source of a routine defines what its text needs. */
START_TEST(source_of_a_routine)
{
	char *source;

	CHECK_OK(dpr_array_kernel_source("matmul_complex64", &source));
	ck_assert_ptr_nonnull(strstr(source, "#define ROUTINE matmul_complex64\n"));
	ck_assert_ptr_nonnull(strstr(source, "#define VARIANT 4\n"));
	ck_assert_ptr_nonnull(strstr(source, "\nROUTINE(global const T *a, global "
					     "const T *b, global T *c, "
					     "matmul_words w)"));
	dpr_free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel products");
	TCase *tcase = tcase_create("products");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, end_kernel_files);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, products);
	tcase_add_test(tcase, products_without_routine);
	tcase_add_test(tcase, source_of_a_routine);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
