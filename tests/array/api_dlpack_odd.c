/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_dlpack_odd.c - DLPack tensors whose elements are not aligned to their
 * size are copied.  NumPy aligns complex128 to 8 bytes, for example.  It runs
 * on host and on the mock backend with a DLPack device type of its own.
 */
#include "tests/array/dlpack_test.h"

#define ROWS 4
#define COLUMNS 6

/* Each byte is another one. */
static _Alignas(64) unsigned char bytes[ROWS * COLUMNS * 16 + 64];

static void start_odd(void)
{
	start();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + i / 256);
}

static void end_odd(void)
{
	look();
	CHECK_OK(dpr_finalize());
}

static const struct {
	dpr_dl_dtype type;
	dpr_dtype dtype;
	size_t offset;
} odd[] = {
	{ { 5, 128, 1 }, DPR_COMPLEX128, 8 },
	{ { 5, 128, 1 }, DPR_COMPLEX128, 20 },
	{ { 2, 64, 1 }, DPR_FLOAT64, 4 },
	{ { 0, 64, 1 }, DPR_INT64, 2 },
	{ { 5, 64, 1 }, DPR_COMPLEX64, 12 },
	{ { 2, 32, 1 }, DPR_FLOAT32, 3 },
	{ { 1, 16, 1 }, DPR_UINT16, 1 },
};
#define CASES (int)(sizeof(odd) / sizeof(odd[0]))

/* In C order; transposed; with the last row first. */
static const int64_t shapes[3][2] = { { ROWS, COLUMNS },
				      { COLUMNS, ROWS },
				      { ROWS, COLUMNS } };
static const int64_t strides[3][2] = { { COLUMNS, 1 },
				       { 1, COLUMNS },
				       { -COLUMNS, 1 } };

/* A tensor of case @i in layout @k, on device 0 of type @type. */
static dpr_dl_tensor tensor_of(int i, int k, int32_t type)
{
	const size_t first = k == 2 ? (ROWS - 1) * COLUMNS : 0;

	return (dpr_dl_tensor){
		.data = bytes,
		.device = { type, 0 },
		.ndim = 2,
		.dtype = odd[i].type,
		.shape = (int64_t *)(uintptr_t)shapes[k],
		.strides = (int64_t *)(uintptr_t)strides[k],
		.byte_offset =
			odd[i].offset + first * dpr_dtype_size(odd[i].dtype),
	};
}

/* Check that @x has the elements of the tensor, and release it. */
static void check_elements(dpr_array *x, const dpr_dl_tensor *t, int i)
{
	const size_t item = dpr_dtype_size(odd[i].dtype);
	const char *first = (const char *)t->data + t->byte_offset;
	char have[sizeof(bytes)];
	int wrong = 0;

	ck_assert_int_eq(dpr_array_dtype(x), odd[i].dtype);
	ck_assert_int_eq(dpr_array_rank(x), 2);
	ck_assert_int_eq(dpr_array_shape(x)[0], t->shape[0]);
	ck_assert_int_eq(dpr_array_shape(x)[1], t->shape[1]);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int64_t n = 0; n < ROWS * COLUMNS; n++) {
		const int64_t at = n / t->shape[1] * t->strides[0] +
				   n % t->shape[1] * t->strides[1];

		wrong += !!memcmp(have + (size_t)n * item,
				  first + at * (int64_t)item, item);
	}
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(x);
}

/* Import the tensor to @queue in all ways that copy, and refuse NEVER. */
static void import_to(dpr_queue *queue, int32_t type, int i)
{
	for (int k = 0; k < 3; k++) {
		dpr_dl_tensor tensor = tensor_of(i, k, type);
		struct foreign f;
		dpr_dlpack managed = foreign_over(&f, &tensor);
		dpr_array *x = (dpr_array *)&f;

		CHECK_FAILS(dpr_queue_device(queue) == dpr_queue_device(q2)
				    ? DPR_ERROR_INVALID_ARGUMENT
				    : DPR_ERROR_LAYOUT,
			    dpr_array_from_dlpack(&managed, queue,
						  DPR_COPY_NEVER, &x));
		ck_assert_ptr_null(x);
		ck_assert_int_eq(atomic_load(&f.deleted), 0);
		CHECK_OK(dpr_array_from_dlpack(&managed, queue, DPR_COPY_ALWAYS,
					       &x));
		ck_assert_ptr_eq(dpr_array_queue(x), queue);
		check_elements(x, &tensor, i);
		look();
		ck_assert_int_eq(atomic_load(&f.deleted), 1);
		managed = foreign_legacy(&f, &tensor);
		CHECK_OK(dpr_array_from_dlpack(&managed, queue,
					       DPR_COPY_IF_NEEDED, &x));
		check_elements(x, &tensor, i);
		look();
		ck_assert_int_eq(atomic_load(&f.deleted), 1);
	}
}

START_TEST(on_its_device)
{
	import_to(q1, TYPE, _i);
	if (host)
		import_to(host, DPR_DL_CPU, _i);
}
END_TEST

START_TEST(to_another_device)
{
	import_to(q2, TYPE, _i);
	import_to(q2, DPR_DL_CPU, _i);
}
END_TEST

/* The copy is aligned and can be computed with. */
START_TEST(copies_compute)
{
	const double want[2] = { 3, 6 };
	double values[4] = { 0, 1, 2, 0 }, have[2];
	int64_t n = 1;
	dpr_dl_tensor tensor = { .data = values + 1,
				 .device = { TYPE, 0 },
				 .ndim = 1,
				 .dtype = { 5, 128, 1 },
				 .shape = &n };
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_array *x, *y;

	if ((uintptr_t)tensor.data % 16 == 0) {
		memmove(values, values + 1, 2 * sizeof(values[0]));
		tensor.data = values;
		f.versioned.tensor = tensor;
	}
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_IF_NEEDED, &x));
	CHECK_OK(dpr_multiply(x, 3, &y));
	CHECK_OK(dpr_array_to_memory(y, have, dpr_array_nbytes(y), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	dpr_array_release(x);
	dpr_array_release(y);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
}
END_TEST

/* An axis is needed for the parts of an element. */
START_TEST(too_many_axes)
{
	int64_t ones[DPR_MAX_RANK];
	dpr_dl_tensor tensor = tensor_of(0, 0, TYPE);
	struct foreign f;
	dpr_dlpack managed;
	dpr_array *x;

	for (int k = 0; k < DPR_MAX_RANK; k++)
		ones[k] = 1;
	tensor.shape = ones;
	tensor.strides = NULL;
	tensor.ndim = DPR_MAX_RANK;
	managed = foreign_over(&f, &tensor);
	CHECK_FAILS(DPR_ERROR_LAYOUT,
		    dpr_array_from_dlpack(&managed, q1, DPR_COPY_ALWAYS, &x));
	CHECK_TEXT("not multiples");
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
	tensor.ndim = DPR_MAX_RANK - 1;
	managed = foreign_over(&f, &tensor);
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_ALWAYS, &x));
	ck_assert_int_eq(dpr_array_rank(x), DPR_MAX_RANK - 1);
	dpr_array_release(x);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
}
END_TEST

/* A failed import leaves the tensor to the caller. */
START_TEST(failures)
{
	dpr_dl_tensor tensor = tensor_of(0, 1, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_array *x;

	mock->fail(MOCK_native_wrap, 1, 1, DPR_RC_INVALID, -5);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, q1, DPR_COPY_ALWAYS, &x));
	ck_assert_ptr_null(x);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_ALWAYS, &x));
	check_elements(x, &tensor, 0);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dlpack odd");
	TCase *t = tcase_create("odd");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, start_odd, end_odd);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, on_its_device, 0, CASES);
	tcase_add_loop_test(t, to_another_device, 0, CASES);
	tcase_add_test(t, copies_compute);
	tcase_add_test(t, too_many_axes);
	tcase_add_test(t, failures);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
