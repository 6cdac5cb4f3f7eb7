/* SPDX-License-Identifier: Apache-2.0 */
/* api_pool_driver.c - pools and the driver: badly aligned memory, memory that
   several devices share, and driver calls that take long. */
#include <pthread.h>

#include "tests/support/pool_test.h"

static _Thread_local bool hurried;
static int naps; /* calls of hurried threads */

/* Replaces the C library's function: hurried threads do not sleep, so they make
   thousands of attempts at once. */
__attribute__((visibility("default"))) int nanosleep(
	const struct timespec *time, struct timespec *left)
{
	if (!hurried)
		return clock_nanosleep(CLOCK_REALTIME, 0, time, left);
	__atomic_fetch_add(&naps, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Memory that the driver has aligned badly is given back, and the error names
   the alignment. */
static void start_misaligned(void)
{
	setenv("DPR_OPTION_MOCK_MISALIGN", "64", 1);
	start();
}

START_TEST(misaligned)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };
	dpr_usm *a = NULL;

	/* A slab of 2 MiB holds no address with this alignment. */
	CHECK_FAILS(
		DPR_ERROR_INTERNAL,
		dpr_usm_alloc_aligned(q1, DPR_USM_DEVICE, 1000, 2 * MIB, &a));
	CHECK_TEXT("is not aligned to 2097152 bytes");
	ck_assert_uint_eq(mock->bytes(), 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL,
		    dpr_driver_alloc(q1, DPR_USM_HOST, 1000, 4096, &a));
	CHECK_TEXT("is not aligned to 4096 bytes");
	EVENTUALLY(mock->bytes() == 0);
	ck_assert_ptr_null(a);
	CHECK_OK(dpr_pool_get_stats(device, DPR_USM_DEVICE, &stats));
	ck_assert_uint_eq(stats.held, 0);
	ck_assert_uint_eq(stats.device_held, 0);
	/* With room for it, a block is aligned inside the slab. */
	CHECK_OK(dpr_usm_alloc_aligned(q1, DPR_USM_DEVICE, 1000, 4096, &a));
	ck_assert_uint_eq((uintptr_t)dpr_usm_address(a) % 4096, 0);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* Idle memory of another device is given up only if it is host memory, which
   both devices share. */
static void start_two(void)
{
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	start();
}

static void keep_idle(dpr_queue *queue)
{
	dpr_usm *device_memory = new_usm(queue, DPR_USM_DEVICE, 100);
	dpr_usm *host_memory = new_usm(queue, DPR_USM_HOST, 3 * MIB);

	dpr_usm_release(device_memory);
	dpr_usm_release(host_memory);
}

START_TEST(idle_memory_of_others)
{
	dpr_queue *other;
	dpr_usm *a = NULL;
	uint64_t all;

	CHECK_OK(dpr_canonical_queue("mock:1", &other));
	ck_assert_ptr_ne(other, q1);
	keep_idle(other);
	all = mock->bytes();
	mock->fail(MOCK_mem_alloc, 1, 1000, DPR_RC_OOM_DEVICE, -4);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, MIB, &a));
	ck_assert_uint_eq(mock->bytes(), all);
	/* The limit belongs to one device: the other device gives up
	   nothing. */
	mock->fail(MOCK_mem_alloc, 1, 0, DPR_RC_OK, 0);
	CHECK_OK(dpr_pool_set_limit(device, MIB));
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_HOST, 2 * MIB, &a));
	ck_assert_uint_eq(mock->bytes(), all);
	CHECK_OK(dpr_pool_set_limit(device, 0));
	mock->fail(MOCK_mem_alloc, 1, 1000, DPR_RC_OOM_HOST, -6);
	CHECK_FAILS(DPR_ERROR_OUT_OF_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_HOST, MIB, &a));
	CHECK_TEXT("this process holds");
	/* The other device's slab for small requests of DEVICE memory has
	   stayed. */
	ck_assert_uint_eq(mock->bytes(), 2 * MIB);
	finish();
}
END_TEST

/* A device of another backend that is the same hardware gives up all its idle
   memory. */
static void start_twins(void)
{
	static const char uuid[] = "00112233445566778899aabbccddeeff";

	setenv("DPR_OPTION_MOCK_UUID", uuid, 1);
	setenv("DPR_OPTION_MOCK2_UUID", uuid, 1);
	start();
}

START_TEST(idle_memory_of_a_twin)
{
	dpr_usm *a = NULL;

	ck_assert_ptr_eq(dpr_device_twin(device), dpr_queue_device(q2));
	keep_idle(q2);
	mock->fail(MOCK_mem_alloc, 1, 1000, DPR_RC_OOM_DEVICE, -4);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_driver_alloc(q1, DPR_USM_DEVICE, MIB, 0, &a));
	ck_assert_uint_eq(mock2->bytes(), 0);
	finish();
}
END_TEST

/* This thread gets cancelled: no check here, as it would leak if cancelled. */
static void *trim(void *freed)
{
	(void)!dpr_pool_trim(device, 0, freed);
	return NULL;
}

static void *alloc_hurried(void *out)
{
	hurried = true;
	CHECK_OK(dpr_usm_alloc(q1, DPR_USM_DEVICE, 16 * MIB, out));
	return out;
}

/* While another thread gives memory back to the driver, an allocation waits for
   it, however long the driver takes: it may wait for all work of the device. */
START_TEST(a_trim_that_takes_long)
{
	dpr_usm *usm = new_usm(q1, DPR_USM_DEVICE, 16 * MIB);
	pthread_t trimming, allocating;
	uint64_t freed = 0;
	void *ended = NULL;

	CHECK_OK(dpr_pool_set_limit(device, 16 * MIB));
	dpr_usm_release(usm);
	usm = NULL;
	mock->block(MOCK_mem_free, 1);
	ck_assert_int_eq(pthread_create(&trimming, NULL, trim, &freed), 0);
	EVENTUALLY(mock->blocked() == 1);
	ck_assert_int_eq(pthread_create(&allocating, NULL, alloc_hurried, &usm),
			 0);
	/* With sleeps of 5 ms each, these would take 20 s. */
	EVENTUALLY(__atomic_load_n(&naps, __ATOMIC_RELAXED) > 4000);
	/* Cancelling the trimming thread does not stop it in the middle of the
	   call. */
	pthread_cancel(trimming);
	mock->block(MOCK_mem_free, 0);
	pthread_join(allocating, &ended);
	pthread_join(trimming, NULL);
	ck_assert_ptr_eq(ended, &usm);
	ck_assert_ptr_nonnull(usm);
	dpr_usm_release(usm);
	finish();
}
END_TEST

static void add_case(Suite *suite, const char *name, void (*before)(void),
		     const TTest *test)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, before, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	Suite *suite = suite_create("pool driver");
	SRunner *runner = srunner_create(suite);
	int failed;

	add_case(suite, "misaligned", start_misaligned, misaligned);
	add_case(suite, "two devices", start_two, idle_memory_of_others);
	add_case(suite, "twins", start_twins, idle_memory_of_a_twin);
	add_case(suite, "long trim", start, a_trim_that_takes_long);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
