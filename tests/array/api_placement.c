/* SPDX-License-Identifier: Apache-2.0 */
/* api_placement.c - compute follows data: operands on different queues are
   refused, and arrays move between devices. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/layouts.h"
#include "tests/support/placement.h"
#include "tests/support/random.h"

static dpr_device *all[MAX_DEVICES];
static size_t n_all;

START_TEST(other_devices_are_refused)
{
	dpr_array *a = ones(test_queue);

	for (size_t i = 0; i < n_all; i++) {
		dpr_array *b;

		if (all[i] == test_device)
			continue;
		b = ones(queue_of(all[i]));
		check_refusal(
			a, b,
			"x1 on %s "
			"(canonical), x2 on %s (canonical); move one with "
			"dpr_array_to_device(x1, <%s>, &moved)",
			dpr_device_selector(test_device),
			dpr_device_selector(all[i]),
			dpr_device_selector(all[i]));
		dpr_array_release(b);
	}
	dpr_array_release(a);
}
END_TEST

START_TEST(other_queues_of_a_device_are_refused)
{
	const char *selector = dpr_device_selector(test_device);
	dpr_queue *other, *third;
	dpr_array *a, *b, *c;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	CHECK_OK(dpr_queue_create(test_device, 0, &third));
	a = ones(test_queue);
	b = ones(other);
	c = ones(third);
	check_refusal(a, b,
		      "x1 on %s "
		      "(canonical), x2 on %s; move one with "
		      "dpr_array_to_device(x2, <%s>, &moved)",
		      selector, dpr_queue_name(other), selector);
	check_refusal(b, a,
		      "x1 on %s, x2 on "
		      "%s (canonical); move one with dpr_array_to_device(x1, "
		      "<%s>, &moved)",
		      dpr_queue_name(other), selector, selector);
	check_refusal(b, c,
		      "x1 on %s, x2 on "
		      "%s; move one with dpr_array_to_queue(x1, "
		      "dpr_array_queue(x2), &moved)",
		      dpr_queue_name(other), dpr_queue_name(third));
	dpr_array_release(c);
	dpr_array_release(b);
	dpr_array_release(a);
	dpr_queue_release(third);
	dpr_queue_release(other);
}
END_TEST

/* Check that the last error advises to move input @name to the queue of
   @result. */
static void check_advice(const char *result, const char *name, dpr_queue *queue)
{
	char want[300];

	if (dpr_queue_is_canonical(queue))
		snprintf(want, sizeof(want),
			 "; %s stays where it is, because the call writes it; "
			 "move one with "
			 "dpr_array_to_device(%s, <%s>, &moved)",
			 result, name,
			 dpr_device_selector(dpr_queue_device(queue)));
	else
		snprintf(want, sizeof(want),
			 "; %s stays where it is, because the call writes it; "
			 "move one with "
			 "dpr_array_to_queue(%s, dpr_array_queue(%s), &moved)",
			 result, name, result);
	ck_assert_msg(strstr(dpr_last_error(), want) != NULL, "%s, not %s",
		      dpr_last_error(), want);
}

START_TEST(operands_of_expressions_are_on_one_queue)
{
	dpr_queue *other;
	dpr_expression *e;
	dpr_array *x = ones(test_queue), *y, *out;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	CHECK_OK(dpr_array_to_queue(x, other, &y));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_evaluate("first + 1 - second", NULL, &out, "first", x,
				 "second", y));
	ck_assert_ptr_null(out);
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "first on "));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "second on "));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "dpr_array_to_"));
	CHECK_OK(dpr_evaluate("first + 1", test_queue, &out, "first", x));
	dpr_array_release(out);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_evaluate("first + 1", other, &out, "first", x));
	ck_assert_ptr_null(out);
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), ": first; but"));
	CHECK_OK(dpr_expression_create("x + 1", &e));
	{
		const dpr_binding one[] = { { "x", DPR_OPERAND(x) } };
		dpr_array *const into[] = { y };

		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_expression_apply(e, one, 1, other, &out, 1));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), ": x; but"));
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_expression_apply_into(e, one, 1, into, 1));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "out on "));
	}
	dpr_expression_release(e);
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(other);
}
END_TEST

/* A result that was moved would be a copy, and the write be lost.  So the
   advice is to move an input, whichever queue is the canonical one. */
START_TEST(results_stay_where_they_are)
{
	dpr_queue *queues[2] = { test_queue, NULL };
	dpr_array *x[2], *one[2], *truth;
	dpr_expression *e;

	CHECK_OK(dpr_queue_create(test_device, 0, &queues[1]));
	for (int i = 0; i < 2; i++) {
		x[i] = ones(queues[i]);
		CHECK_OK(dpr_zeros(DPR_SCALAR_SHAPE, DPR_FLOAT32, queues[i],
				   &one[i]));
	}
	CHECK_OK(dpr_expression_create("a + 1, a * b", &e));
	for (int i = 0; i < 2; i++) {
		dpr_array *in = x[!i], *out = x[i];
		const dpr_binding b[] = { { "a", dpr_operand_array(out) },
					  { "b", dpr_operand_array(in) } };
		dpr_array *both[] = { out, out }, *apart[] = { out, in };

		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_copy_into(out, in));
		check_advice("view", "value", queues[i]);
		ck_assert_ptr_nonnull(
			strstr(dpr_last_error(),
			       ", &moved); or write across devices with "
			       "dpr_array_copy_to(view, value)"));
		CHECK_OK(dpr_array_copy_to(out, in));
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_add_into(in, in, out));
		check_advice("out", "x1", queues[i]);
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_add_into(out, in, out));
		check_advice("out", "x2", queues[i]);
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_sum_into(in, NULL, one[i]));
		check_advice("out", "x", queues[i]);
		CHECK_OK(dpr_equal(in, 1, &truth));
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_where_into(truth, 1, 2, out));
		check_advice("out", "condition", queues[i]);
		dpr_array_release(truth);
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_evaluate_into("y * 2", out, "y", in));
		check_advice("out", "y", queues[i]);
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_expression_apply_into(e, b, 2, both, 2));
		check_advice("out", "b", queues[i]);
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_expression_apply_into(e, b, 2, apart, 2));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(),
					     "written must be on one queue"));
	}
	dpr_expression_release(e);
	for (int i = 0; i < 2; i++) {
		dpr_array_release(x[i]);
		dpr_array_release(one[i]);
	}
	dpr_queue_release(queues[1]);
}
END_TEST

/* Make two parts of the device.  Returns false if it cannot be divided.  The
   size of a part is a multiple of the device's partition unit, if it has
   one. */
static bool divide(dpr_device *device, dpr_device **parts)
{
	uint64_t units, unit = 1, each;
	size_t count;

	if (dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units))
		return false;
	if (dpr_device_info_u64(device, DPR_INFO_PARTITION_UNIT, &unit) ||
	    !unit)
		unit = 1;
	each = units / 2 / unit * unit;
	if (!each ||
	    dpr_device_partition_equally(device, each, parts, 2, &count))
		return false;
	ck_assert_uint_ge(count, 2);
	return true;
}

START_TEST(other_sub_devices_are_refused)
{
	dpr_device *parts[2];
	dpr_array *a, *b, *whole;

	if (!divide(test_device, parts))
		return;
	a = ones(queue_of(parts[0]));
	b = ones(queue_of(parts[1]));
	whole = ones(test_queue);
	check_refusal(a, b,
		      "x1 on %s "
		      "(canonical), x2 on %s (canonical); move one with "
		      "dpr_array_to_device(x1, <%s>, &moved)",
		      dpr_device_selector(parts[0]),
		      dpr_device_selector(parts[1]),
		      dpr_device_selector(parts[1]));
	check_refusal(a, whole,
		      "x1 on %s "
		      "(canonical), x2 on %s (canonical); move one with "
		      "dpr_array_to_device(x1, <%s>, &moved)",
		      dpr_device_selector(parts[0]),
		      dpr_device_selector(test_device),
		      dpr_device_selector(test_device));
	dpr_array_release(whole);
	dpr_array_release(b);
	dpr_array_release(a);
}
END_TEST

START_TEST(one_queue_is_the_queue)
{
	dpr_array *a = ones(test_queue), *b = ones(test_queue);
	const dpr_array *list[] = { a, b, a };
	dpr_queue *queue;

	CHECK_OK(dpr_execution_queue(list, 3, &queue));
	ck_assert_ptr_eq(queue, test_queue);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_execution_queue(list, 0, &queue));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_execution_queue(NULL, 2, &queue));
	list[1] = NULL;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_execution_queue(list, 3, &queue));
	dpr_array_release(b);
	dpr_array_release(a);
}
END_TEST

START_TEST(the_canonical_queue_is_one_object)
{
	dpr_queue *by_selector, *by_device;
	dpr_device *found;
	dpr_array *a = ones(test_queue);

	CHECK_OK(dpr_canonical_queue(dpr_device_selector(test_device),
				     &by_selector));
	CHECK_OK(dpr_device_select(dpr_device_selector(test_device), &found));
	CHECK_OK(dpr_device_queue(found, &by_device));
	ck_assert_ptr_eq(found, test_device);
	ck_assert_ptr_eq(by_selector, test_queue);
	ck_assert_ptr_eq(by_device, test_queue);
	ck_assert_ptr_eq(dpr_array_queue(a), test_queue);
	ck_assert_ptr_eq(dpr_array_device(a), test_device);
	dpr_array_release(a);
}
END_TEST

START_TEST(staying_is_one_more_reference)
{
	dpr_array *a = ones(test_queue), *b;
	dpr_transfer plan;

	CHECK_OK(dpr_array_to_device(a, test_device, &b));
	ck_assert_ptr_eq(a, b);
	dpr_array_release(b);
	CHECK_OK(dpr_asarray_to_device(a, test_device, DPR_COPY_NEVER, &b));
	ck_assert_ptr_eq(a, b);
	dpr_array_release(b);
	CHECK_OK(dpr_asarray_to_device(a, test_device, DPR_COPY_ALWAYS, &b));
	ck_assert_ptr_ne(dpr_array_usm(a), dpr_array_usm(b));
	dpr_array_release(b);
	CHECK_OK(dpr_transfer_plan(a, test_device, &plan));
	ck_assert_int_eq(plan.path, DPR_TRANSFER_NONE);
	ck_assert_uint_eq(plan.bytes, 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_device(NULL, test_device, &b));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_device(a, NULL, &b));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_queue(a, NULL, &b));
	dpr_array_release(a);
}
END_TEST

static void check_same_memory(const dpr_array *a, const dpr_array *b,
			      dpr_queue *queue)
{
	ck_assert_ptr_eq(dpr_array_queue(b), queue);
	ck_assert_ptr_eq(dpr_array_usm(a), dpr_array_usm(b));
	ck_assert_int_eq(dpr_array_offset(a), dpr_array_offset(b));
	ck_assert_mem_eq(dpr_array_strides(a), dpr_array_strides(b),
			 (size_t)dpr_array_rank(a) * sizeof(int64_t));
}

START_TEST(queues_and_parts_of_a_device_share_its_memory)
{
	dpr_array *a = ones(test_queue), *view, *b, *back;
	const float want[] = { 1, 1 };
	dpr_device *parts[2];
	dpr_queue *other;
	dpr_transfer plan;
	float have[2];

	CHECK_OK(dpr_array_view(a, &view, DPR_SLICE(2, 0, -1)));
	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	CHECK_OK(dpr_array_to_queue(view, other, &b));
	check_same_memory(view, b, other);
	CHECK_OK(dpr_array_to_device(b, test_device, &back));
	check_same_memory(view, back, test_queue);
	dpr_array_release(back);
	dpr_array_release(b);
	dpr_queue_release(other);
	if (divide(test_device, parts)) {
		dpr_array *sibling;

		CHECK_OK(dpr_transfer_plan(view, parts[0], &plan));
		ck_assert_int_eq(plan.path, DPR_TRANSFER_NONE);
		CHECK_OK(dpr_array_to_device(view, parts[0], &b));
		check_same_memory(view, b, queue_of(parts[0]));
		CHECK_OK(dpr_array_to_device(b, parts[1], &sibling));
		check_same_memory(view, sibling, queue_of(parts[1]));
		CHECK_OK(
			dpr_array_to_memory(sibling, have, sizeof(have), NULL));
		ck_assert_mem_eq(have, want, sizeof(have));
		dpr_array_release(sibling);
		dpr_array_release(b);
	}
	dpr_array_release(view);
	dpr_array_release(a);
}
END_TEST

static void check_move(const dpr_array *x, dpr_device *to)
{
	size_t bytes = (size_t)dpr_array_size(x) * dpr_array_itemsize(x);
	unsigned char want[LAYOUTS_ELEMENTS * 16], have[LAYOUTS_ELEMENTS * 16];
	dpr_transfer plan;
	dpr_array *y;

	CHECK_OK(dpr_transfer_plan(x, to, &plan));
	ck_assert_uint_eq(plan.bytes, bytes);
	CHECK_OK(dpr_array_to_device(x, to, &y));
	ck_assert_ptr_eq(dpr_array_queue(y), queue_of(to));
	ck_assert(dpr_array_is_contiguous(y));
	ck_assert_int_eq(dpr_array_kind(y), DPR_USM_DEVICE);
	ck_assert_int_eq(dpr_array_dtype(y), dpr_array_dtype(x));
	ck_assert_int_eq(dpr_array_rank(y), dpr_array_rank(x));
	ck_assert_mem_eq(dpr_array_shape(y), dpr_array_shape(x),
			 (size_t)dpr_array_rank(x) * sizeof(int64_t));
	if (bytes)
		ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	CHECK_OK(dpr_array_to_memory(x, want, sizeof(want), NULL));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, bytes);
	dpr_array_release(y);
}

START_TEST(every_layout_moves_to_every_device)
{
	unsigned char data[LAYOUTS_ELEMENTS * 16];
	struct random r = { 99 };

	for (int t = DPR_BOOL; t <= DPR_COMPLEX128; t++) {
		dpr_array *x;

		for (size_t i = 0; i < sizeof(data); i++)
			data[i] = (unsigned char)(random_next(&r) >> 40) &
				  (t == DPR_BOOL ? 1 : 255);
		CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(4, 5, 6), NULL,
					       (dpr_dtype)t, test_queue, &x));
		for (size_t i = 0; i < n_all; i++)
			for (int k = 0; k < LAYOUTS_COUNT; k++) {
				dpr_array *y = layouts_make(x, k);

				if (all[i] != test_device)
					check_move(y, all[i]);
				dpr_array_release(y);
			}
		dpr_array_release(x);
	}
}
END_TEST

/* The source may be overwritten as soon as the call has returned. */
START_TEST(the_source_is_free_after_the_call)
{
	const int64_t n = 200000;
	int64_t k;
	int32_t *data = malloc((size_t)n * sizeof(*data));
	dpr_array *x, *y;

	ck_assert_ptr_nonnull(data);
	for (size_t i = 0; i < n_all; i++) {
		if (all[i] == test_device)
			continue;
		for (k = 0; k < n; k++)
			data[k] = (int32_t)k;
		CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(n), NULL,
					       DPR_INT32, test_queue, &x));
		CHECK_OK(dpr_array_to_device(x, all[i], &y));
		memset(data, 0, (size_t)n * sizeof(*data));
		CHECK_OK(dpr_usm_write(test_queue, dpr_array_usm(x), 0, data,
				       (size_t)n * sizeof(*data), NULL, NULL));
		CHECK_OK(dpr_array_to_memory(y, data, dpr_array_nbytes(y),
					     NULL));
		for (k = 0; k < n && data[k] == k; k++)
			;
		ck_assert_int_eq(k, n);
		dpr_array_release(y);
		dpr_array_release(x);
	}
	free(data);
}
END_TEST

START_TEST(asarray_to_another_device)
{
	dpr_array *x = ones(test_queue), *none, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 0), DPR_FLOAT32, test_queue, &none));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_asarray(x, DPR_DTYPE_DEFAULT, (dpr_copy_mode)3, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_asarray_to_device(x, test_device, (dpr_copy_mode)3,
					  &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_astype_to_device(x, DPR_INT32, test_device,
					 (dpr_copy_mode)3, &y));
	for (size_t i = 0; i < n_all; i++) {
		if (all[i] == test_device)
			continue;
		CHECK_FAILS(
			DPR_ERROR_INVALID_ARGUMENT,
			dpr_asarray_to_device(x, all[i], DPR_COPY_NEVER, &y));
		ck_assert_ptr_null(y);
		CHECK_OK(dpr_asarray_to_device(x, all[i], DPR_COPY_ALWAYS, &y));
		ck_assert_ptr_eq(dpr_array_device(y), all[i]);
		dpr_array_release(y);
		/* An empty array changes its device without a copy. */
		CHECK_OK(dpr_asarray_to_device(none, all[i], DPR_COPY_NEVER,
					       &y));
		ck_assert_ptr_eq(dpr_array_device(y), all[i]);
		ck_assert_int_eq(dpr_array_shape(y)[0], 3);
		dpr_array_release(y);
	}
	dpr_array_release(none);
	dpr_array_release(x);
}
END_TEST

/* To each device, also to its own, in a smaller, a larger and the same dtype.
 */
START_TEST(astype_to_a_device)
{
	static const dpr_dtype dtypes[] = { DPR_INT8, DPR_INT64, DPR_INT16 };
	const int16_t data[] = { 3, -128, 127 };
	dpr_array *x, *y, *z, *wide;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(3), NULL, DPR_INT16,
				       test_queue, &x));
	CHECK_OK(dpr_astype(x, DPR_COMPLEX64, &wide));
	for (size_t i = 0; i < 3 * n_all; i++) {
		dpr_device *device = all[i / 3];
		int16_t back[3] = { 0 };

		CHECK_OK(dpr_astype_to_device(x, dtypes[i % 3], device,
					      DPR_COPY_ALWAYS, &y));
		ck_assert_ptr_eq(dpr_array_device(y), device);
		ck_assert_int_eq(dpr_array_dtype(y), dtypes[i % 3]);
		ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
		CHECK_OK(dpr_astype(y, DPR_INT16, &z));
		CHECK_OK(dpr_array_to_memory(z, back, sizeof(back), NULL));
		ck_assert_mem_eq(back, data, sizeof(back));
		dpr_array_release(z);
		dpr_array_release(y);
		CHECK_FAILS(DPR_ERROR_DTYPE,
			    dpr_astype_to_device(wide, DPR_FLOAT32, device,
						 DPR_COPY_ALWAYS, &y));
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_astype_to_device(x, DPR_FLOAT32, device,
						 DPR_COPY_NEVER, &y));
		ck_assert_ptr_null(y);
	}
	CHECK_OK(dpr_astype_to_device(x, DPR_INT16, test_device,
				      DPR_COPY_IF_NEEDED, &y));
	ck_assert_ptr_eq(x, y);
	dpr_array_release(y);
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_astype_to_device(x, DPR_INT16, NULL, DPR_COPY_ALWAYS, &y));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_astype_to_device(x, (dpr_dtype)999, test_device,
					 DPR_COPY_ALWAYS, &y));
	dpr_array_release(wide);
	dpr_array_release(x);
}
END_TEST

static Suite *placement_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("placement");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, other_devices_are_refused);
	tcase_add_test(tcase, other_queues_of_a_device_are_refused);
	tcase_add_test(tcase, results_stay_where_they_are);
	tcase_add_test(tcase, other_sub_devices_are_refused);
	tcase_add_test(tcase, operands_of_expressions_are_on_one_queue);
	tcase_add_test(tcase, one_queue_is_the_queue);
	tcase_add_test(tcase, the_canonical_queue_is_one_object);
	tcase_add_test(tcase, staying_is_one_more_reference);
	tcase_add_test(tcase, queues_and_parts_of_a_device_share_its_memory);
	tcase_add_test(tcase, every_layout_moves_to_every_device);
	tcase_add_test(tcase, the_source_is_free_after_the_call);
	tcase_add_test(tcase, asarray_to_another_device);
	tcase_add_test(tcase, astype_to_a_device);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	/* A device of which half is not a multiple of its partition unit. */
	setenv("DPR_OPTION_MOCK_UNITS", "132", 1);
	setenv("DPR_OPTION_MOCK_UNIT", "8", 1);
	use_mock_devices();
	if (dpr_device_enumerate(NULL, all, MAX_DEVICES, &n_all)) {
		printf("no list of devices: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	n_all = n_all < MAX_DEVICES ? n_all : MAX_DEVICES;
	if (n_all < 2)
		printf("only %zu devices: nothing moves between them\n", n_all);
	return run_on_devices(placement_suite, all, n_all);
}
