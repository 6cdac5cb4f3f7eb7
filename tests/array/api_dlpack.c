/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_dlpack.c - exchanging arrays with other libraries by DLPack: every dtype
 * and view, the owner of the memory, and wrong tensors.  It runs on host, whose
 * memory is DLPack's CPU, and on the mock backend with a DLPack device type of
 * its own.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The structs under DLPack's own names, as in a program that includes both
   headers. */
typedef struct {
	uint32_t major, minor;
} DLPackVersion;

typedef struct {
	int32_t device_type, device_id;
} DLDevice;

typedef struct {
	uint8_t code, bits;
	uint16_t lanes;
} DLDataType;

typedef struct {
	void *data;
	DLDevice device;
	int32_t ndim;
	DLDataType dtype;
	int64_t *shape, *strides;
	uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
	DLTensor dl_tensor;
	void *manager_ctx;
	void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
	DLPackVersion version;
	void *manager_ctx;
	void (*deleter)(struct DLManagedTensorVersioned *self);
	uint64_t flags;
	DLTensor dl_tensor;
} DLManagedTensorVersioned;

#include "tests/array/dlpack_test.h"

#define SAME(theirs, field, ours, member)                      \
	_Static_assert(sizeof(theirs) == sizeof(ours) &&       \
			       offsetof(theirs, field) ==      \
				       offsetof(ours, member), \
		       #theirs "." #field)
SAME(DLPackVersion, minor, dpr_dl_version, minor);
SAME(DLDevice, device_id, dpr_dl_device, id);
SAME(DLDataType, lanes, dpr_dl_dtype, lanes);
SAME(DLTensor, data, dpr_dl_tensor, data);
SAME(DLTensor, device, dpr_dl_tensor, device);
SAME(DLTensor, ndim, dpr_dl_tensor, ndim);
SAME(DLTensor, dtype, dpr_dl_tensor, dtype);
SAME(DLTensor, shape, dpr_dl_tensor, shape);
SAME(DLTensor, strides, dpr_dl_tensor, strides);
SAME(DLTensor, byte_offset, dpr_dl_tensor, byte_offset);
SAME(DLManagedTensor, dl_tensor, dpr_dl_legacy, tensor);
SAME(DLManagedTensor, manager_ctx, dpr_dl_legacy, manager);
SAME(DLManagedTensor, deleter, dpr_dl_legacy, deleter);
SAME(DLManagedTensorVersioned, version, dpr_dl_versioned, version);
SAME(DLManagedTensorVersioned, manager_ctx, dpr_dl_versioned, manager);
SAME(DLManagedTensorVersioned, deleter, dpr_dl_versioned, deleter);
SAME(DLManagedTensorVersioned, flags, dpr_dl_versioned, flags);
SAME(DLManagedTensorVersioned, dl_tensor, dpr_dl_versioned, tensor);

/* --- Both ways -------------------------------------------------------------
 */

START_TEST(all_dtypes_go_both_ways)
{
	static const struct {
		dpr_dtype dtype;
		dpr_dl_dtype type;
	} all[] = {
		{ DPR_BOOL, { 6, 8, 1 } },
		{ DPR_INT8, { 0, 8, 1 } },
		{ DPR_INT16, { 0, 16, 1 } },
		{ DPR_INT32, { 0, 32, 1 } },
		{ DPR_INT64, { 0, 64, 1 } },
		{ DPR_UINT8, { 1, 8, 1 } },
		{ DPR_UINT16, { 1, 16, 1 } },
		{ DPR_UINT32, { 1, 32, 1 } },
		{ DPR_UINT64, { 1, 64, 1 } },
		{ DPR_FLOAT16, { 2, 16, 1 } },
		{ DPR_BFLOAT16, { 4, 16, 1 } },
		{ DPR_FLOAT32, { 2, 32, 1 } },
		{ DPR_FLOAT64, { 2, 64, 1 } },
		{ DPR_COMPLEX64, { 5, 64, 1 } },
		{ DPR_COMPLEX128, { 5, 128, 1 } },
	};
	unsigned char bytes[N * 16], have[N * 16];
	struct foreign f;
	dpr_dlpack managed;
	dpr_array *x, *y;
	size_t i;

	if (!queue_at(_i))
		return;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i & 1);
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		size_t size = N * dpr_dtype_size(all[i].dtype);

		CHECK_OK(dpr_array_from_memory(bytes, DPR_SHAPE(N), NULL,
					       all[i].dtype, queue_at(_i), &x));
		managed = relay(&f, x);
		ck_assert_mem_eq(&managed.versioned->tensor.dtype, &all[i].type,
				 sizeof(all[i].type));
		CHECK_OK(dpr_array_from_dlpack(&managed, queue_at(_i),
					       DPR_COPY_NEVER, &y));
		ck_assert_int_eq(dpr_array_dtype(y), all[i].dtype);
		CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
		ck_assert_mem_eq(have, bytes, size);
		dpr_array_release(x);
		dpr_array_release(y);
		look();
		ck_assert_int_eq(atomic_load(&f.deleted), 1);
	}
	/* The list has all dtypes: the next value is none. */
	ck_assert_uint_eq(dpr_dtype_size((dpr_dtype)(i + 1)), 0);
}
END_TEST

/* --- Views -----------------------------------------------------------------
 */

/* View number @i of numbers(), or NULL if there are no more. */
static dpr_array *view(dpr_queue *queue, int i)
{
	dpr_array *x = numbers(queue), *y = NULL, *z;

	switch (i) {
	case 0: CHECK_OK(dpr_array_view(x, &y, DPR_ALL)); break;
	case 1: CHECK_OK(dpr_matrix_transpose(x, &y)); break;
	case 2:
		CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(3, DPR_OPEN, -2),
					DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
		break;
	case 3:
		CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(1, 3, 1),
					DPR_SLICE(2, 5, 2)));
		break;
	case 4: CHECK_OK(dpr_array_view(x, &y, DPR_AT(2), DPR_AT(5))); break;
	case 5:
		CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(2, 2, 1), DPR_ALL));
		break;
	case 6:
		CHECK_OK(dpr_array_view(x, &z, DPR_AT(1), DPR_NEW_AXIS));
		CHECK_OK(dpr_broadcast_to(z, DPR_SHAPE(5, 3, 6), &y));
		dpr_array_release(z);
		break;
	default: break;
	}
	dpr_array_release(x);
	return y;
}

static void check_same(const dpr_array *x, const dpr_array *y)
{
	int32_t one[5 * 3 * 6] = { 0 }, two[5 * 3 * 6] = { 0 };

	ck_assert_int_eq(dpr_array_rank(x), dpr_array_rank(y));
	for (int k = 0; k < dpr_array_rank(x); k++) {
		ck_assert_int_eq(dpr_array_shape(x)[k], dpr_array_shape(y)[k]);
		ck_assert_int_eq(dpr_array_strides(x)[k],
				 dpr_array_strides(y)[k]);
	}
	CHECK_OK(dpr_array_to_memory(x, one, sizeof(one), NULL));
	CHECK_OK(dpr_array_to_memory(y, two, dpr_array_nbytes(y), NULL));
	ck_assert_mem_eq(one, two, sizeof(one));
}

START_TEST(all_views_go_both_ways)
{
	struct foreign f, g, h;
	dpr_dlpack managed, legacy;
	dpr_array *x, *y, *z;

	if (!queue_at(_i))
		return;
	for (int i = 0; (x = view(queue_at(_i), i)); i++) {
		managed = relay(&f, x);
		/* A consumer may move bytes from data to byte_offset. */
		if (dpr_array_size(x)) {
			managed.versioned->tensor.data =
				(char *)managed.versioned->tensor.data - 40;
			managed.versioned->tensor.byte_offset = 40;
		}
		(void)relay(&h, x);
		legacy = foreign_legacy(&g, &h.versioned.tensor);
		g.inner.versioned = &h.versioned;
		CHECK_OK(dpr_array_from_dlpack(&managed, queue_at(_i),
					       DPR_COPY_NEVER, &y));
		check_same(x, y);
		CHECK_OK(dpr_array_from_dlpack(&legacy, NULL, DPR_COPY_NEVER,
					       &z));
		ck_assert_ptr_eq(dpr_array_queue(z), queue_at(_i));
		check_same(x, z);
		dpr_array_release(z);
		dpr_array_release(y);
		dpr_array_release(x);
		look();
		ck_assert_int_eq(atomic_load(&f.deleted), 1);
		ck_assert_int_eq(atomic_load(&g.deleted), 1);
	}
}
END_TEST

START_TEST(writes_reach_the_other_side)
{
	int32_t data[6] = { 0, 1, 2, 3, 4, 5 };
	int64_t n = 3, step = -2;
	dpr_dl_tensor tensor = ints_at(data + 5, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed;
	dpr_array *x;

	/* NULL strides mean C-contiguous. */
	tensor.data = data + 3;
	managed = foreign_over(&f, &tensor);
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &x));
	CHECK_OK(dpr_copy_into(x, 7));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(data[2], 2);
	ck_assert_int_eq(data[3], 7);
	ck_assert_int_eq(data[5], 7);
	dpr_array_release(x);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	tensor.data = data + 5;
	tensor.strides = &step;
	managed = foreign_over(&f, &tensor);
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &x));
	CHECK_OK(dpr_copy_into(x, 9));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(data[5], 9);
	ck_assert_int_eq(data[4], 7);
	ck_assert_int_eq(data[3], 9);
	ck_assert_int_eq(data[1], 9);
	dpr_array_release(x);
	look();
}
END_TEST

START_TEST(the_consumers_version_counts)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options) };
	dpr_array *x = numbers(q1);
	dpr_dlpack managed;

	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	ck_assert_ptr_null(managed.versioned);
	ck_assert_ptr_nonnull(managed.legacy);
	ck_assert_int_eq(managed.legacy->tensor.device.type, TYPE);
	dpr_dlpack_release(&managed);
	ck_assert_ptr_null(managed.legacy);
	options.version.major = 1;
	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	ck_assert_uint_eq(managed.versioned->version.major, 1);
	ck_assert_uint_eq(managed.versioned->version.minor, 0);
	dpr_dlpack_release(&managed);
	options.version = (dpr_dl_version){ 3, 0 };
	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	ck_assert_uint_eq(managed.versioned->version.major, 1);
	ck_assert_uint_eq(managed.versioned->version.minor, 1);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Ownership -------------------------------------------------------------
 */

START_TEST(the_consumer_keeps_the_memory)
{
	dpr_array *x = numbers(q1);
	int64_t before = (int64_t)mock->live(MOCK_MEM);
	dpr_dlpack managed;

	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	ck_assert_int_eq((int64_t)mock->live(MOCK_MEM), before);
	ck_assert_int_eq(((int32_t *)managed.versioned->tensor.data)[23], 23);
	dpr_dlpack_release(&managed);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(the_producer_keeps_it_until_work_is_done)
{
	int32_t data[N] = { 0 };
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_array *x, *y;

	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &x));
	CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(4, 8, 1)));
	dpr_array_release(x);
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, dpr_array_usm(y), 0, "\1", 1, sizeof(data),
			      NULL, NULL));
	dpr_array_release(y);
	CHECK_OK(dpr_pool_trim(dpr_queue_device(q1), UINT64_MAX, NULL));
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
	mock->hold(0);
	look();
	ck_assert_int_eq(data[N - 1], 0x01010101);
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	CHECK_OK(dpr_finalize());
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
}
END_TEST

static dpr_array *shared;
static dpr_dlpack tensors[8];

static void *release_one(void *index)
{
	dpr_dlpack_release(&tensors[(size_t)(uintptr_t)index]);
	dpr_array_release(shared);
	return NULL;
}

START_TEST(threads_release_at_once)
{
	int32_t data[N] = { 0 };
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	pthread_t threads[8];

	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &shared));
	for (size_t i = 0; i < 8; i++) {
		(void)dpr_array_retain(shared);
		CHECK_OK(dpr_array_to_dlpack(shared, NULL, &tensors[i]));
	}
	dpr_array_release(shared);
	for (size_t i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, release_one,
						(void *)(uintptr_t)i),
				 0);
	for (size_t i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(a_deleter_may_be_missing)
{
	int32_t data[N] = { 0 };
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_array *x;

	f.versioned.deleter = NULL;
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &x));
	dpr_array_release(x);
	look();
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(an_array_comes_home)
{
	dpr_array *x = numbers(q1), *y, *z;
	dpr_dlpack managed;

	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &y));
	ck_assert_ptr_eq(dpr_array_usm(x), dpr_array_usm(y));
	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	CHECK_OK(dpr_array_from_dlpack(&managed, NULL, DPR_COPY_ALWAYS, &z));
	ck_assert_ptr_ne(dpr_array_usm(x), dpr_array_usm(z));
	check_same(x, z);
	dpr_array_release(z);
	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, q2, DPR_COPY_NEVER, &z));
	CHECK_OK(dpr_array_from_dlpack(&managed, q2, DPR_COPY_IF_NEEDED, &z));
	ck_assert_ptr_eq(dpr_array_queue(z), q2);
	check_same(x, z);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Refusals --------------------------------------------------------------
 */

#define REFUSED(status, text)                                                 \
	do {                                                                  \
		dpr_array *none_ = (dpr_array *)&f;                           \
		CHECK_FAILS(status, dpr_array_from_dlpack(&managed, q1,       \
							  DPR_COPY_IF_NEEDED, \
							  &none_));           \
		ck_assert_ptr_null(none_);                                    \
		CHECK_TEXT(text);                                             \
		ck_assert_int_eq(atomic_load(&f.deleted), 0);                 \
		*t = tensor;                                                  \
	} while (0)

START_TEST(what_cannot_come_in_stays_the_callers)
{
	int32_t data[N] = { 0 };
	int64_t n = N, negative = -1, huge = INT64_MAX;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE), *t;
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_array *x;

	t = &f.versioned.tensor;
	t->dtype.lanes = 4;
	REFUSED(DPR_ERROR_DTYPE, "elements have 4 lanes");
	t->dtype.bits = 4;
	REFUSED(DPR_ERROR_DTYPE, "not whole bytes");
	t->dtype.code = 10;
	t->dtype.bits = 8;
	REFUSED(DPR_ERROR_DTYPE, "type code 10 and 8 bits");
	t->dtype.code = 3;
	REFUSED(DPR_ERROR_DTYPE, "no such dtype");
	t->device.type = 99;
	REFUSED(DPR_ERROR_UNSUPPORTED,
		"dpr has no device that is DLPack device 99:0");
	t->device.id = 7;
	REFUSED(DPR_ERROR_UNSUPPORTED, "12:7");
	t->ndim = -1;
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "-1 axes");
	t->ndim = 33;
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "33 axes");
	t->shape = NULL;
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "the list of extents is NULL");
	t->shape = &negative;
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "negative extent");
	t->strides = &huge;
	REFUSED(DPR_ERROR_OVERFLOW, "does not fit in 64 bits");
	t->byte_offset = UINT64_MAX;
	REFUSED(DPR_ERROR_OVERFLOW, "does not fit in 64 bits");
	t->data = NULL;
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "data is NULL");
	f.versioned.version.major = 2;
	REFUSED(DPR_ERROR_UNSUPPORTED, "version 2.0");
	f.versioned.version.major = 1;
	mock->fail(MOCK_native_wrap, 1, 1, DPR_RC_INVALID, -5);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "usm borrow");
	mock->fail(MOCK_queue_barrier, 1, 1, DPR_RC_NATIVE, -5);
	REFUSED(DPR_ERROR_DRIVER, "usm barrier");
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &x));
	dpr_array_release(x);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(arguments_are_checked)
{
	int32_t data[N] = { 0 };
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor), both;
	dpr_array *x;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, q1, (dpr_copy_mode)3, &x));
	both = (dpr_dlpack){ &f.versioned, &f.legacy };
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&both, q1, DPR_COPY_NEVER, &x));
	both = (dpr_dlpack){ NULL, NULL };
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&both, q1, DPR_COPY_NEVER, &x));
	CHECK_TEXT("no tensors");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(NULL, q1, DPR_COPY_NEVER, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(NULL, NULL, &managed));
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
}
END_TEST

START_TEST(what_cannot_go_out_is_refused)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options) };
	dpr_array *x = numbers(q1), *y = numbers(q2);
	dpr_dlpack managed;
	dpr_dl_device at;

	CHECK_OK(dpr_array_dlpack_device(x, &at));
	ck_assert_int_eq(at.type, TYPE);
	ck_assert_int_eq(at.id, 0);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_array_dlpack_device(y, &at));
	ck_assert_int_eq(at.type, 0);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_array_to_dlpack(y, NULL, &managed));
	CHECK_TEXT("ask for a copy on another device");
	options.struct_size = 8;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(x, &options, &managed));
	CHECK_TEXT("struct_size");
	options.struct_size = sizeof(options);
	options.copy = 3;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(x, &options, &managed));
	options.copy = DPR_COPY_NEVER;
	options.order = 3;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(x, &options, &managed));
	options.order = DPR_DLPACK_STREAM;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(x, &options, &managed));
	CHECK_TEXT("the handle is 0");
	options.order = DPR_DLPACK_WAIT;
	options.device = (dpr_dl_device){ DPR_DL_CPU, 0 };
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(x, &options, &managed));
	CHECK_TEXT("it was requested on another device, but "
		   "options.copy is DPR_COPY_NEVER");
	options.copy = DPR_COPY_IF_NEEDED;
	options.device.type = 99;
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_array_to_dlpack(x, &options, &managed));
	CHECK_TEXT("DLPack device 99:0");
	ck_assert_ptr_null(managed.versioned);
	ck_assert_ptr_null(managed.legacy);
	CHECK_OK(dpr_usm_invalidate(dpr_array_usm(x), DPR_ERROR_DRIVER,
				    "lost on purpose"));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_array_to_dlpack(x, NULL, &managed));
	CHECK_TEXT("lost on purpose");
	dpr_array_release(x);
	dpr_array_release(y);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(memory_that_is_not_there)
{
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at((int32_t *)64, &n, DPR_DL_CPU);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_array *x;

	if (!host)
		return;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, host, DPR_COPY_NEVER, &x));
	CHECK_TEXT("not all memory of this process");
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
}
END_TEST

/* --- Read-only -------------------------------------------------------------
 */

START_TEST(read_only_is_not_written)
{
	dpr_dlpack_options legacy = { .struct_size = sizeof(legacy),
				      .copy = DPR_COPY_NEVER };
	int32_t data[N] = { 5 }, value;
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_usm *usm, *from = new_ints(q1, N, 3), *far = new_ints(q2, N, 3);
	dpr_array *x, *y;

	f.versioned.flags = DPR_DL_READ_ONLY;
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_NEVER, &x));
	usm = dpr_array_usm(x);
	ck_assert_int_eq(dpr_usm_is_read_only(usm), 1);
	ck_assert_int_eq(dpr_usm_is_read_only(from), 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_copy_into(x, 7));
	CHECK_TEXT("the output is read-only");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_add_into(x, 1, x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_fill(q1, usm, 0, "\1", 1, 4, NULL, NULL));
	CHECK_TEXT("is read-only");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_write(q1, usm, 0, data, sizeof(data), NULL, NULL));
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_usm_copy(q1, usm, 0, from, 0, sizeof(data), NULL, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_copy(q1, usm, 0, far, 0, sizeof(data), NULL, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch(q1, kernel, DPR_RANGE1(1), NULL, NULL,
				      DPR_USM_AT(usm, 0),
				      DPR_ARG((uint64_t)1)));
	CHECK_TEXT("DPR_USM_READ()");
	/* Reading is still allowed. */
	CHECK_OK(dpr_usm_read(q1, &value, usm, 0, sizeof(value), NULL, NULL));
	ck_assert_int_eq(value, 5);
	CHECK_OK(dpr_add(x, 1, &y));
	CHECK_OK(dpr_copy_into(y, 7));
	dpr_array_release(y);
	/* The array can be exported: as read-only, or as a copy. */
	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	ck_assert_uint_eq(managed.versioned->flags, DPR_DL_READ_ONLY);
	dpr_dlpack_release(&managed);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_dlpack(x, &legacy, &managed));
	CHECK_TEXT("read-only, which the legacy struct cannot express");
	legacy.copy = DPR_COPY_IF_NEEDED;
	CHECK_OK(dpr_array_to_dlpack(x, &legacy, &managed));
	ck_assert_ptr_ne(managed.legacy->tensor.data, data);
	ck_assert_int_eq(((int32_t *)managed.legacy->tensor.data)[0], 5);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	dpr_usm_release(from);
	dpr_usm_release(far);
	dpr_kernel_release(kernel);
	look();
	ck_assert_int_eq(data[0], 5);
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
}
END_TEST

/* --- Copies ----------------------------------------------------------------
 */

START_TEST(copies_on_other_devices)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 0 } };
	dpr_dl_device wanted[3] = { { DPR_DL_CPU, 0 },
				    { TYPE, 1 },
				    { TYPE, 0 } };
	dpr_array *x = numbers(q1), *transposed;
	dpr_dlpack managed;
	int32_t *data;

	CHECK_OK(dpr_matrix_transpose(x, &transposed));
	for (int i = 0; i < 3; i++) {
		options.device = wanted[i];
		options.copy = i == 2 ? DPR_COPY_ALWAYS : DPR_COPY_IF_NEEDED;
		CHECK_OK(dpr_array_to_dlpack(transposed, &options, &managed));
		ck_assert_uint_eq(managed.versioned->flags, DPR_DL_COPIED);
		ck_assert_mem_eq(&managed.versioned->tensor.device, &wanted[i],
				 sizeof(wanted[i]));
		ck_assert_int_eq(managed.versioned->tensor.strides[0], 4);
		data = managed.versioned->tensor.data;
		for (int k = 0; k < N; k++)
			ck_assert_int_eq(data[k], 100 * i + k / 4 + k % 4 * 6);
		dpr_dlpack_release(&managed);
		CHECK_OK(dpr_add_into(x, 100, x));
	}
	/* A copy from a backend that has no DLPack device. */
	dpr_array_release(x);
	x = numbers(q2);
	options.device = wanted[0];
	options.copy = DPR_COPY_IF_NEEDED;
	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	ck_assert_int_eq(((int32_t *)managed.versioned->tensor.data)[N - 1],
			 N - 1);
	ck_assert_uint_eq((uintptr_t)managed.versioned->tensor.data % 64, 0);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	dpr_array_release(transposed);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(imports_of_other_devices)
{
	int32_t data[N], have[N];
	int64_t n = N;
	dpr_dl_tensor cpu = ints_at(data, &n, DPR_DL_CPU);
	dpr_dl_tensor second = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &cpu);
	dpr_array *x;

	second.device.id = 1;
	for (int i = 0; i < N; i++)
		data[i] = i;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, q2, DPR_COPY_NEVER, &x));
	CHECK_TEXT("pass a queue of the tensor's device");
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
	CHECK_OK(dpr_array_from_dlpack(&managed, q2, DPR_COPY_IF_NEEDED, &x));
	/* The elements have been copied: the foreign tensor is not needed any
	   more. */
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	data[0] = -1;
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_int_eq(have[0], 0);
	ck_assert_int_eq(have[N - 1], N - 1);
	dpr_array_release(x);
	managed = foreign_over(&f, &second);
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_IF_NEEDED, &x));
	ck_assert_ptr_eq(dpr_array_queue(x), q1);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, data, sizeof(have));
	dpr_array_release(x);
	look();
	EVENTUALLY(dpr_pool_trim(dpr_queue_device(q1), UINT64_MAX, NULL) ==
			   DPR_OK &&
		   atomic_load(&f.deleted) == 1);
	managed = foreign_over(&f, &second);
	second.device.id = 0;
	f.versioned.tensor.device.id = 0;
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_ALWAYS, &x));
	ck_assert_ptr_ne(dpr_usm_address(dpr_array_usm(x)), data);
	CHECK_OK(dpr_queue_wait(q1));
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dlpack");
	TCase *tcase = tcase_create("dlpack");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, all_dtypes_go_both_ways, 0, 2);
	tcase_add_loop_test(tcase, all_views_go_both_ways, 0, 2);
	tcase_add_test(tcase, writes_reach_the_other_side);
	tcase_add_test(tcase, the_consumers_version_counts);
	tcase_add_test(tcase, the_consumer_keeps_the_memory);
	tcase_add_test(tcase, the_producer_keeps_it_until_work_is_done);
	tcase_add_test(tcase, threads_release_at_once);
	tcase_add_test(tcase, a_deleter_may_be_missing);
	tcase_add_test(tcase, an_array_comes_home);
	tcase_add_test(tcase, what_cannot_come_in_stays_the_callers);
	tcase_add_test(tcase, arguments_are_checked);
	tcase_add_test(tcase, what_cannot_go_out_is_refused);
	tcase_add_test(tcase, memory_that_is_not_there);
	tcase_add_test(tcase, read_only_is_not_written);
	tcase_add_test(tcase, copies_on_other_devices);
	tcase_add_test(tcase, imports_of_other_devices);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
