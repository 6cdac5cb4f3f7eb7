/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as arguments of kernels. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static const char source[] =
	"struct strided { long offset; int rank, pad;\n"
	"                 long shape[8], stride[8]; };\n"
	"kernel void twice(global const int *x, global int *y, ulong n)\n"
	"{ ulong i = get_global_id(0); if (i < n) y[i] = 2 * x[i]; }\n"
	"kernel void total(global const int *base, struct strided x,\n"
	"                  global int *out)\n"
	"{ int sum = 0;\n"
	"  for (long i = 0; i < x.shape[0]; i++)\n"
	"    for (long j = 0; j < x.shape[1]; j++)\n"
	"      sum = 10 * sum + base[x.offset + i * x.stride[0] +\n"
	"                            j * x.stride[1]];\n"
	"  if (get_global_id(0) == 0) out[0] = sum + 1000000 * x.rank; }\n"
	"kernel void poke(global int *base, long at)\n"
	"{ if (get_global_id(0) == 0) base[at] = 77; }\n"
	"kernel void nothing(global const int *x, global const int *y, int n)\n"
	"{ (void)x; (void)y; (void)n; }\n";

static dpr_kernel *kernel(const char *name)
{
	dpr_kernel *k;

	CHECK_OK(dpr_kernel_from_source(test_queue, source, name, &k));
	return k;
}

static dpr_array *count_up(dpr_queue *queue, dpr_shape shape)
{
	const int32_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(values, shape, NULL, DPR_INT32, queue,
				       &x));
	return x;
}

static int32_t first_of(const dpr_array *x)
{
	int32_t values[10];

	CHECK_OK(dpr_array_to_memory(x, values, sizeof(values), NULL));
	return values[0];
}

START_TEST(contiguous_arrays_are_pointers)
{
	dpr_array *x = count_up(test_queue, DPR_SHAPE(8));
	dpr_array *y = count_up(test_queue, DPR_SHAPE(8));
	const dpr_array *read_only = x;
	dpr_kernel *k = kernel("twice");
	int32_t have[8];

	CHECK_OK(dpr_kernel_launch(test_queue, k, DPR_RANGE1(8), NULL, NULL,
				   DPR_ARG(read_only), DPR_ARG(y),
				   DPR_ARG((uint64_t)8)));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(have[i], 2 * i);
	dpr_kernel_release(k);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(views_with_an_offset_bind_or_say_so)
{
	dpr_array *x = count_up(test_queue, DPR_SHAPE(8)), *part;
	dpr_array *y = count_up(test_queue, DPR_SHAPE(8));
	dpr_kernel *k = kernel("twice");
	dpr_status status;

	CHECK_OK(dpr_array_view(x, &part, DPR_SLICE(3, 6, 1)));
	status = dpr_kernel_launch(test_queue, k, DPR_RANGE1(3), NULL, NULL,
				   DPR_ARG(part), DPR_ARG(y),
				   DPR_ARG((uint64_t)3));
	if (dpr_usm_address(dpr_array_usm(x))) {
		CHECK_OK(status);
		ck_assert_int_eq(first_of(y), 6);
	} else {
		ck_assert_int_eq(status, DPR_ERROR_LAYOUT);
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "dpr_copy()"));
	}
	dpr_kernel_release(k);
	dpr_array_release(part);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(other_layouts_are_refused)
{
	dpr_array *x = count_up(test_queue, DPR_SHAPE(2, 4)), *t;
	dpr_kernel *k = kernel("twice");

	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_FAILS(DPR_ERROR_LAYOUT,
		    dpr_kernel_launch(test_queue, k, DPR_RANGE1(8), NULL, NULL,
				      DPR_ARG(t), DPR_ARG(x),
				      DPR_ARG((uint64_t)8)));
	ck_assert_str_eq(dpr_last_error(),
			 "launch twice: argument 0 is an array that is not "
			 "C-contiguous; make it so with dpr_copy(), or pass "
			 "DPR_STRIDED(x) to a kernel that takes a base pointer "
			 "and a struct dpr_strided");
	dpr_kernel_release(k);
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

START_TEST(any_layout_passes_as_strided)
{
	dpr_array *x = count_up(test_queue, DPR_SHAPE(2, 4)), *view;
	dpr_array *out = count_up(test_queue, DPR_SHAPE(1));
	dpr_kernel *k = kernel("total");

	CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
				DPR_SLICE(1, DPR_OPEN, 2)));
	CHECK_OK(dpr_kernel_launch(test_queue, k, DPR_RANGE1(1), NULL, NULL,
				   DPR_STRIDED(view), DPR_ARG(out)));
	ck_assert_int_eq(first_of(out), 2005713);
	dpr_array_release(view);
	dpr_kernel_release(k);
	k = kernel("poke");
	CHECK_OK(dpr_kernel_launch(test_queue, k, DPR_RANGE1(1), NULL, NULL,
				   DPR_BASE(x), DPR_ARG((int64_t)0)));
	ck_assert_int_eq(first_of(x), 77);
	dpr_array_release(x);
	dpr_kernel_release(k);
	dpr_array_release(out);
}
END_TEST

START_TEST(strided_has_up_to_eight_axes)
{
	dpr_array *x =
		count_up(test_queue, DPR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
	dpr_array *out = count_up(test_queue, DPR_SHAPE(1));
	dpr_kernel *k = kernel("total");

	CHECK_FAILS(DPR_ERROR_LAYOUT,
		    dpr_kernel_launch(test_queue, k, DPR_RANGE1(1), NULL, NULL,
				      DPR_STRIDED(x), DPR_ARG(out)));
	dpr_kernel_release(k);
	dpr_array_release(out);
	dpr_array_release(x);
}
END_TEST

START_TEST(arrays_without_elements_pass)
{
	dpr_array *x = count_up(test_queue, DPR_SHAPE(0));
	dpr_kernel *k = kernel("nothing");

	CHECK_OK(dpr_kernel_launch(test_queue, k, DPR_RANGE1(1), NULL, NULL,
				   DPR_ARG(x), DPR_BASE(x), DPR_ARG(0)));
	CHECK_OK(dpr_queue_wait(test_queue));
	dpr_kernel_release(k);
	dpr_array_release(x);
}
END_TEST

START_TEST(arrays_of_another_queue_are_refused)
{
	dpr_kernel *k = kernel("twice");
	dpr_array *x, *y = count_up(test_queue, DPR_SHAPE(8));
	dpr_queue *other;
	char want[512];

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	x = count_up(other, DPR_SHAPE(8));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(test_queue, k, DPR_RANGE1(8), NULL, NULL,
				      DPR_ARG(x), DPR_ARG(y),
				      DPR_ARG((uint64_t)8)));
	snprintf(want, sizeof(want),
		 "launch twice: argument 0 is on %s, but the launch is on %s; "
		 "launch where it is written, on dpr_array_queue(x), or if "
		 "the kernel only reads it, move it with "
		 "dpr_array_to_device(x, <%s>, &moved)",
		 dpr_queue_name(other), dpr_queue_name(test_queue),
		 dpr_device_selector(test_device));
	ck_assert_str_eq(dpr_last_error(), want);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(test_queue, k, DPR_RANGE1(8), NULL, NULL,
				      DPR_ARG((const dpr_array *)x), DPR_ARG(y),
				      DPR_ARG((uint64_t)8)));
	snprintf(want, sizeof(want), "is on %s; move it with dpr_array_to_",
		 dpr_queue_name(test_queue));
	ck_assert_msg(strstr(dpr_last_error(), want), "%s", dpr_last_error());
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch(test_queue, k, DPR_RANGE1(8), NULL, NULL,
				      DPR_ARG((dpr_array *)NULL), DPR_ARG(y),
				      DPR_ARG((uint64_t)8)));
	dpr_array_release(x);
	dpr_queue_release(other);
	dpr_array_release(y);
	dpr_kernel_release(k);
}
END_TEST

/* Two views of one allocation, on different queues: their work stays in
   order. */
START_TEST(views_on_two_queues_stay_ordered)
{
	enum { N = 1 << 16, ROUNDS = 20 };
	int32_t *data = calloc(N, sizeof(*data));
	dpr_kernel *k = kernel("twice");
	dpr_array *x, *y, *x2, *y2;
	dpr_queue *other;

	ck_assert_ptr_nonnull(data);
	for (int i = 0; i < N; i++)
		data[i] = 1;
	CHECK_OK(dpr_queue_create(test_device, DPR_QUEUE_OUT_OF_ORDER, &other));
	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(N), NULL, DPR_INT32,
				       test_queue, &x));
	CHECK_OK(dpr_empty(DPR_SHAPE(N), DPR_INT32, test_queue, &y));
	CHECK_OK(dpr_array_to_queue(x, other, &x2));
	CHECK_OK(dpr_array_to_queue(y, other, &y2));
	for (int i = 0; i < ROUNDS; i += 2) {
		CHECK_OK(dpr_kernel_launch(test_queue, k, DPR_RANGE1(N), NULL,
					   NULL, DPR_ARG(x), DPR_ARG(y),
					   DPR_ARG((uint64_t)N)));
		CHECK_OK(dpr_kernel_launch(other, k, DPR_RANGE1(N), NULL, NULL,
					   DPR_ARG(y2), DPR_ARG(x2),
					   DPR_ARG((uint64_t)N)));
	}
	CHECK_OK(dpr_array_to_memory(x, data, dpr_array_nbytes(x), NULL));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(data[i], 1 << ROUNDS);
	dpr_array_release(y2);
	dpr_array_release(x2);
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(other);
	dpr_kernel_release(k);
	free(data);
}
END_TEST

static Suite *launch_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("launch");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, contiguous_arrays_are_pointers);
	tcase_add_test(tcase, views_with_an_offset_bind_or_say_so);
	tcase_add_test(tcase, other_layouts_are_refused);
	tcase_add_test(tcase, any_layout_passes_as_strided);
	tcase_add_test(tcase, strided_has_up_to_eight_axes);
	tcase_add_test(tcase, arrays_without_elements_pass);
	tcase_add_test(tcase, arrays_of_another_queue_are_refused);
	tcase_add_test(tcase, views_on_two_queues_stay_ordered);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(launch_suite, "+online_compiler");
}
