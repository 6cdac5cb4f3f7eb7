/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_dlpack_order.c - the order of work between dpr and another library when
 * both use the same memory by DLPack.  It runs on the mock backend, which
 * delays work on demand.
 */
#include "tests/array/dlpack_test.h"

/* --- Order -----------------------------------------------------------------
 */

/* Wrap the tensor's memory once more, as the consumer would: dpr does not know
   that both are the same memory. */
static dpr_usm *consumer_memory(dpr_queue *queue, const dpr_dlpack *managed)
{
	dpr_usm *usm;

	CHECK_OK(dpr_usm_from_native(queue,
				     (uintptr_t)managed->versioned->tensor.data,
				     N * sizeof(int32_t), 0, &usm));
	return usm;
}

static const uint64_t slow = 30 * MS;

START_TEST(the_consumers_stream_waits)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 0 },
				       .order = DPR_DLPACK_STREAM };
	dpr_array *x = numbers(q1);
	dpr_event *done;
	dpr_queue *stream;
	dpr_dlpack managed;
	dpr_usm *usm;
	int32_t value = -1;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &stream));
	CHECK_OK(dpr_queue_native(stream, &options.stream));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	mock->delay(slow);
	CHECK_OK(dpr_copy_into(x, 7));
	mock->delay(0);
	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	/* The export did not wait. */
	ck_assert_uint_ge(mock->pending(), 2);
	usm = consumer_memory(stream, &managed);
	CHECK_OK(dpr_usm_read(stream, &value, usm, 0, sizeof(value), NULL,
			      &done));
	mock->hold(0);
	CHECK_OK(dpr_event_wait(done));
	ck_assert_int_eq(value, 7);
	dpr_event_release(done);
	dpr_usm_release(usm);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	dpr_queue_release(stream);
	look();
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Work of another backend makes the elements.  The driver's queue cannot wait
   for that work, so the export does. */
START_TEST(what_the_stream_cannot_wait_for)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 0 },
				       .order = DPR_DLPACK_STREAM };
	dpr_array *x = numbers(q1);
	dpr_event *late;
	dpr_queue *stream;
	dpr_dlpack managed;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &stream));
	CHECK_OK(dpr_queue_native(stream, &options.stream));
	mock2->delay(slow);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &late));
	mock2->delay(0);
	CHECK_OK(dpr_usm_fill(q1, dpr_array_usm(x), 0, "\1", 1,
			      N * sizeof(int32_t), DPR_AFTER(late), NULL));
	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	ck_assert_int_eq(*(int32_t *)managed.versioned->tensor.data,
			 0x01010101);
	dpr_event_release(late);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	dpr_queue_release(stream);
	look();
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Without a stream the export waits for all work that writes or reads the
   array. */
START_TEST(the_export_waits)
{
	dpr_array *x = numbers(q1);
	dpr_event *done;
	dpr_dlpack managed;
	int32_t value = -1;

	mock->delay(slow);
	CHECK_OK(dpr_copy_into(x, 7));
	CHECK_OK(dpr_usm_read(q1, &value, dpr_array_usm(x), 0, sizeof(value),
			      NULL, &done));
	mock->delay(0);
	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	ck_assert_int_eq(*(int32_t *)managed.versioned->tensor.data, 7);
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
	dpr_event_release(done);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* With UNORDERED the consumer waits for the array's own queue: that includes
   work from other queues. */
START_TEST(unordered_means_the_arrays_queue)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 0 },
				       .order = DPR_DLPACK_UNORDERED };
	dpr_array *x = numbers(q1);
	dpr_queue *writer;
	dpr_dlpack managed;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &writer));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	mock->delay(slow);
	CHECK_OK(dpr_usm_fill(writer, dpr_array_usm(x), 0, "\1", 1,
			      N * sizeof(int32_t), NULL, NULL));
	mock->delay(0);
	CHECK_OK(dpr_array_to_dlpack(x, &options, &managed));
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(*(int32_t *)managed.versioned->tensor.data,
			 0x01010101);
	dpr_dlpack_release(&managed);
	dpr_array_release(x);
	dpr_queue_release(writer);
	look();
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The producer has enqueued work on the queue that the import names.  Uses of
   the array on other queues wait for that work. */
START_TEST(the_producers_work_is_on_record)
{
	int32_t data[N] = { 0 }, value = -1;
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed = foreign_over(&f, &tensor);
	dpr_queue *stream;
	dpr_usm *usm;
	dpr_array *x;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &stream));
	usm = consumer_memory(stream, &managed);
	mock->delay(slow);
	CHECK_OK(dpr_usm_fill(stream, usm, 0, "\1", 1, sizeof(data), NULL,
			      NULL));
	mock->delay(0);
	CHECK_OK(dpr_array_from_dlpack(&managed, stream, DPR_COPY_NEVER, &x));
	CHECK_OK(dpr_usm_read(q1, &value, dpr_array_usm(x), 0, sizeof(value),
			      NULL, NULL));
	ck_assert_int_eq(value, 0x01010101);
	dpr_array_release(x);
	dpr_usm_release(usm);
	dpr_queue_release(stream);
	look();
	ck_assert_int_eq(atomic_load(&f.deleted), 1);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A copy that fails after it has begun must not use the memory afterwards. */
START_TEST(a_copy_that_fails_gives_the_memory_back)
{
	int32_t *data = malloc(N * sizeof(*data));
	int64_t n = N;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed;
	dpr_array *x;

	memset(data, 0, N * sizeof(*data));
	tensor.device.id = 1;
	for (int i = 0; i < 3; i++) {
		managed = foreign_over(&f, &tensor);
		mock->fail(i == 0   ? MOCK_mem_alloc
			   : i == 1 ? MOCK_queue_write
				    : MOCK_queue_read,
			   1, 9, DPR_RC_NATIVE, -5);
		if (!dpr_array_from_dlpack(&managed, q2, DPR_COPY_IF_NEEDED,
					   &x)) {
			dpr_array_release(x);
			EVENTUALLY(!dpr_queue_wait(q2) &&
				   atomic_load(&f.deleted) == 1);
		} else {
			ck_assert_ptr_null(x);
			ck_assert_int_eq(atomic_load(&f.deleted), 0);
			ck_assert_uint_eq(mock->pending(), 0);
		}
		mock->reset();
	}
	free(data);
}
END_TEST

/* The number of kernels that have run, leaving out all other commands. */
static int kernels_run(void)
{
	static const char *const others[] = { "barrier", "write", "read",
					      "copy",    "fill",  "prefetch" };
	struct mock_record records[64];
	uint64_t n = mock->history(records, 64);
	int found = 0;

	for (uint64_t i = 0; i < n && i < 64; i++) {
		found++;
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			if (!strcmp(records[i].what, others[k])) {
				found--;
				break;
			}
	}
	return found;
}

/* The kernel that packs the elements is under way when the copy fails. */
START_TEST(a_failed_import_leaves_no_work_behind)
{
	int32_t data[N] = { 0 };
	int64_t n = N / 2, step = 2;
	dpr_dl_tensor tensor = ints_at(data, &n, TYPE);
	struct foreign f;
	dpr_dlpack managed;
	dpr_array *x;

	tensor.strides = &step;
	tensor.device.id = 1;
	managed = foreign_over(&f, &tensor);
	/* A first import builds the kernel, and shows that it works. */
	CHECK_OK(dpr_array_from_dlpack(&managed, q1, DPR_COPY_IF_NEEDED, &x));
	dpr_array_release(x);
	look();
	managed = foreign_over(&f, &tensor);
	mock->fail(MOCK_queue_copy, 1, 9, DPR_RC_NATIVE, -5);
	mock->fail(MOCK_queue_read, 1, 9, DPR_RC_NATIVE, -5);
	mock->fail(MOCK_queue_write, 1, 9, DPR_RC_NATIVE, -5);
	mock->delay(slow);
	CHECK_FAILS(
		DPR_ERROR_DRIVER,
		dpr_array_from_dlpack(&managed, q1, DPR_COPY_IF_NEEDED, &x));
	/* Both imports have launched the kernel, and both kernels have run. */
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 2);
	ck_assert_uint_eq(kernels_run(), 2);
	ck_assert_int_eq(atomic_load(&f.deleted), 0);
}
END_TEST

/* --- What it builds on -----------------------------------------------------
 */

START_TEST(usm_barrier_refuses)
{
	dpr_usm *usm = new_ints(q1, N, 0);

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_barrier(q1, NULL, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_barrier(NULL, usm, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_usm_barrier(q2, usm, NULL, NULL));
	dpr_usm_release(usm);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_borrow(q1, 64, 8, 2, NULL, NULL, &usm));
	ck_assert_ptr_null(usm);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_borrow(q1, 64, 0, 0, NULL, NULL, &usm));
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dlpack order");
	TCase *tcase = tcase_create("order");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, the_consumers_stream_waits);
	tcase_add_test(tcase, what_the_stream_cannot_wait_for);
	tcase_add_test(tcase, the_export_waits);
	tcase_add_test(tcase, unordered_means_the_arrays_queue);
	tcase_add_test(tcase, the_producers_work_is_on_record);
	tcase_add_test(tcase, a_copy_that_fails_gives_the_memory_back);
	tcase_add_test(tcase, a_failed_import_leaves_no_work_behind);
	tcase_add_test(tcase, usm_barrier_refuses);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
