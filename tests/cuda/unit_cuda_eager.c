/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_eager.c - elementwise calls whose kernel is known, on the mock of
 * NVIDIA's driver.  Such a call makes one call of the driver, and has the
 * result of the first call.  Wrong arguments are refused all the same.  Threads
 * make slots at the same time.
 */
#include "tests/cuda/cuda_api.h"

#include <dpr/dpr.h>

#include "core/array/engine/ptx/emit_ptx.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/eager_cache.h"
#include "core/base/process.h"
#include "tests/support/no_heap.h"

#define FEW 16

/* Kernels of two operands: out, x, y, then the number of elements; or out, x,
   then the number of elements and the operand that is a number. */
#define FUNCTION(name, T, op)                                                \
	static int name##_function(const struct cumock_run *run)             \
	{                                                                    \
		uint64_t word[4], n;                                         \
		T *out, *x, *y, number = 0;                                  \
                                                                             \
		memcpy(word, run->params, sizeof(word));                     \
		memcpy(&out, &word[0], sizeof(out));                         \
		memcpy(&x, &word[1], sizeof(x));                             \
		memcpy(&y, &word[2], sizeof(y));                             \
		memcpy(&number, &word[3], sizeof(number));                   \
		n = mock->reaches(run->device, y, sizeof(T)) ? word[3]       \
							     : word[2];      \
		if (!mock->reaches(run->device, out, n * sizeof(T)) ||       \
		    !mock->reaches(run->device, x, n * sizeof(T)))           \
			return 700; /* CUDA_ERROR_ILLEGAL_ADDRESS */         \
		for (uint64_t i = 0; i < n; i++)                             \
			out[i] = (T)(x[i] op(n == word[3] ? y[i] : number)); \
		return 0;                                                    \
	}

FUNCTION(add_float32, float, +)
FUNCTION(multiply_float32, float, *)
FUNCTION(add_float64, double, +)
FUNCTION(multiply_float64, double, *)
FUNCTION(add_int32, int32_t, +)
FUNCTION(multiply_int32, int32_t, *)

static dpr_queue *queue;

static void start(void)
{
	use_backends(NULL);
	mock->kernel("add_float32", add_float32_function);
	mock->kernel("multiply_float32", multiply_float32_function);
	mock->kernel("add_float64", add_float64_function);
	mock->kernel("multiply_float64", multiply_float64_function);
	mock->kernel("add_int32", add_int32_function);
	mock->kernel("multiply_int32", multiply_int32_function);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
}

/* An array of 0, 1, 2, ... and @more. */
static dpr_array *new_floats(int n, float more)
{
	float values[64];
	dpr_array *out;

	for (int i = 0; i < n; i++)
		values[i] = (float)i + more;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				       queue, &out));
	return out;
}

/* Check that element i of @x is i * @step + @more. */
static void check_floats(const dpr_array *x, float step, float more)
{
	float values[64];
	int wrong = 0;

	CHECK_OK(dpr_array_to_memory(x, values, sizeof(values), NULL));
	for (int i = 0; i < dpr_array_size(x); i++)
		wrong += values[i] != (float)i * step + more;
	ck_assert_int_eq(wrong, 0);
}

static const struct eager_kernel *find_slot(unsigned operation,
					    unsigned numbers)
{
	return eager_cache_find(get_device("cuda:0"), operation, DPR_FLOAT32,
				numbers);
}

START_TEST(a_known_call_is_one_call)
{
	enum { CALLS = 1000 };
	dpr_array *x, *y, *out;
	uint64_t allocated;

	start();
	x = new_floats(FEW, 0);
	y = new_floats(FEW, 2);
	out = new_floats(FEW, 0);
	ck_assert_ptr_null(find_slot(OPERATION__add, 0));
	for (int i = 0; i < CALLS; i++)
		CHECK_OK(dpr_add_into(x, y, out));
	ck_assert_ptr_nonnull(find_slot(OPERATION__add, 0));
	for (int i = 0; i < CALLS; i++)
		CHECK_OK(dpr_multiply_into(x, 3, out));
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	allocated = mem_fault_count();
	for (int i = 0; i < CALLS; i++) {
		CHECK_OK(dpr_multiply_into(x, 3, out));
		CHECK_OK(dpr_add_into(x, y, out));
	}
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 2 * CALLS);
	ck_assert_uint_eq(mock->calls("cuCtxPushCurrent"), 0);
	ck_assert_uint_le(mock->calls("cuEventRecord"), 2 * CALLS / 256 + 1);
	CHECK_NO_HEAP(allocated);
	check_floats(out, 2, 2);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(out);
	finish_all();
}
END_TEST

/* The second call of each kind, which takes the slot, gives what the first
   one gave. */
START_TEST(values_are_the_same)
{
	dpr_array *x, *made, *part, *into;

	start();
	x = new_floats(40, 1);
	CHECK_OK(dpr_array_view(x, &part, DPR_SLICE(1, 37, 1)));
	for (int turn = 0; turn < 3; turn++) {
		CHECK_OK(dpr_add(x, x, &made));
		check_floats(made, 2, 2);
		dpr_array_release(made);
		CHECK_OK(dpr_add(x, 2.5, &made));
		check_floats(made, 1, 3.5f);
		dpr_array_release(made);
		CHECK_OK(dpr_multiply(2, x, &made));
		check_floats(made, 2, 2);
		/* In place. */
		CHECK_OK(dpr_multiply_into(2, made, made));
		check_floats(made, 4, 4);
		dpr_array_release(made);
		/* Not aligned, and with an aligned result. */
		CHECK_OK(dpr_add(part, part, &made));
		check_floats(made, 2, 4);
		dpr_array_release(made);
		CHECK_OK(dpr_zeros(DPR_SHAPE(40), DPR_FLOAT32, queue, &made));
		CHECK_OK(dpr_array_view(made, &into, DPR_SLICE(4, 40, 1)));
		CHECK_OK(dpr_add_into(part, 1, into));
		check_floats(into, 1, 3);
		dpr_array_release(into);
		dpr_array_release(made);
	}
	dpr_array_release(part);
	dpr_array_release(x);
	finish_all();
}
END_TEST

/* A result that is read at other places is written apart, and copied. */
START_TEST(overlaps_are_seen)
{
	dpr_array *x, *low, *high;

	start();
	x = new_floats(33, 0);
	CHECK_OK(dpr_array_view(x, &low, DPR_SLICE(0, 32, 1)));
	CHECK_OK(dpr_array_view(x, &high, DPR_SLICE(1, 33, 1)));
	CHECK_OK(dpr_add_into(low, 1, low));
	CHECK_OK(dpr_add_into(low, -1, low));
	ck_assert_ptr_nonnull(find_slot(OPERATION__add, 2));
	CHECK_OK(dpr_add_into(low, 5, high));
	check_floats(high, 1, 5);
	dpr_array_release(low);
	dpr_array_release(high);
	dpr_array_release(x);
	finish_all();
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
	dpr_array *x, *y, *out, *short_one, *ints, *elsewhere;
	static const float numbers[FEW] = { 1 };
	dpr_queue *other;

	start();
	x = new_floats(FEW, 0);
	y = new_floats(FEW, 0);
	out = new_floats(FEW, 0);
	short_one = new_floats(FEW - 1, 0);
	CHECK_OK(dpr_zeros(DPR_SHAPE(FEW), DPR_INT32, queue, &ints));
	CHECK_OK(dpr_device_queue(get_device("cuda:1"), &other));
	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(FEW), NULL,
				       DPR_FLOAT32, other, &elsewhere));
	CHECK_OK(dpr_add_into(x, y, out));
	CHECK_OK(dpr_add_into(x, 1, out));
	ck_assert_ptr_nonnull(find_slot(OPERATION__add, 0));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_add_into(x, y, short_one));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_add_into(x, short_one, out));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_add_into(x, y, ints));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_add_into(x, elsewhere, out));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_add_into(x, y, elsewhere));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_add_into(x, (dpr_array *)NULL, out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_add_into(x, y, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_add(x, y, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_add_into(x, (dpr_operand){ .kind = 77 }, out));
	dpr_array_release(elsewhere);
	dpr_array_release(ints);
	dpr_array_release(short_one);
	dpr_array_release(out);
	dpr_array_release(y);
	dpr_array_release(x);
	finish_all();
}
END_TEST

START_TEST(slots_end_with_the_library)
{
	dpr_array *x, *made;
	dpr_device *device;

	start();
	device = dpr_queue_device(queue);
	x = new_floats(FEW, 0);
	CHECK_OK(dpr_add(x, x, &made));
	ck_assert_ptr_nonnull(find_slot(OPERATION__add, 0));
	dpr_array_release(made);
	dpr_array_release(x);
	finish_all();
	ck_assert_ptr_null(
		eager_cache_find(device, OPERATION__add, DPR_FLOAT32, 0));
}
END_TEST

/* --- Threads ------------------------------------------------------------ */

static atomic_int wrong;

/* Whether the elements of @x are @value. */
static bool has(const dpr_array *x, double value)
{
	const dpr_dtype dtype = dpr_array_dtype(x);
	unsigned char bytes[FEW * sizeof(double)];
	bool same =
		dpr_array_to_memory(x, bytes, sizeof(bytes), NULL) == DPR_OK;

	for (int i = 0; i < FEW; i++) {
		const size_t size = dpr_dtype_size(dtype);
		double wide = value;
		float narrow = (float)value;
		int32_t whole = (int32_t)value;

		same &= !memcmp(bytes + (size_t)i * size,
				dtype == DPR_FLOAT64   ? (void *)&wide
				: dtype == DPR_FLOAT32 ? (void *)&narrow
						       : (void *)&whole,
				size);
	}
	return same;
}

/* x + x and x * 3 for arrays of @dtype. */
static void compute(dpr_dtype dtype, int turns)
{
	dpr_array *x, *sum, *product;
	wrong += dpr_full(DPR_SHAPE(FEW), 7, dtype, queue, &x) != DPR_OK;
	for (int i = 0; i < turns; i++) {
		wrong += dpr_add(x, x, &sum) != DPR_OK;
		wrong += dpr_multiply(x, 3, &product) != DPR_OK;
		wrong += dpr_multiply_into(product, sum, product) != DPR_OK;
		wrong += !has(product, 7 * 3 * (7 + 7));
		dpr_array_release(sum);
		dpr_array_release(product);
	}
	dpr_array_release(x);
}

static void *compute_all(void *number)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_INT32,
					    DPR_FLOAT64 };

	for (uintptr_t i = 0; i < 6; i++)
		compute(dtypes[(i + (uintptr_t)number) % 3], 50);
	return NULL;
}

/* Slots keep their kernels, although the store keeps only one kernel. */
START_TEST(threads_make_slots)
{
	size_t programs, kernels;

	kernel_store_keep(1);
	start();
	run_on_eight_threads(compute_all);
	ck_assert_int_eq(wrong, 0);
	/* Nine of them, and the last one that has none. */
	process_count_kept(&programs, &kernels);
	ck_assert_uint_ge(kernels, 9);
	ck_assert_uint_le(kernels, 10);
	finish_all();
	kernel_store_keep(0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_known_call_is_one_call,   values_are_the_same,
		overlaps_are_seen,          wrong_calls_are_refused,
		slots_end_with_the_library, threads_make_slots,
	};

	if (!emit_ptx_is_there()) {
		printf("needs the kernels in PTX, which were not built\n");
		return 77;
	}
	return run_tests("unit_cuda_eager", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
