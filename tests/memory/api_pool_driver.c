/* SPDX-License-Identifier: Apache-2.0 */
/* api_pool_driver.c - pools and what drivers give them: badly aligned memory,
   and memory that several devices share. */
#include "tests/support/pool_test.h"

/* Memory that is not aligned as it was asked for goes back at once, and the
   text says what is wrong. */
static void start_misaligned(void)
{
	setenv("DPR_OPTION_MOCK_MISALIGN", "64", 1);
	start();
}

START_TEST(misaligned)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };
	dpr_usm *a = NULL;

	/* In a slab of 2 MiB it cannot begin at such an address. */
	CHECK_FAILS(
		DPR_ERROR_INTERNAL,
		dpr_usm_alloc_aligned(q1, DPR_USM_DEVICE, 1000, 2 * MIB, &a));
	CHECK_TEXT("is not aligned to 2097152 bytes");
	ck_assert_uint_eq(mock->bytes(), 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL,
		    dpr_driver_alloc(q1, DPR_USM_HOST, 1000, 4096, &a));
	CHECK_TEXT("is not aligned to 4096 bytes");
	ck_assert_uint_eq(mock->bytes(), 0);
	ck_assert_ptr_null(a);
	CHECK_OK(dpr_pool_get_stats(device, DPR_USM_DEVICE, &stats));
	ck_assert_uint_eq(stats.held, 0);
	ck_assert_uint_eq(stats.device_held, 0);
	/* Where there is room it does. */
	CHECK_OK(dpr_usm_alloc_aligned(q1, DPR_USM_DEVICE, 1000, 4096, &a));
	ck_assert_uint_eq((uintptr_t)dpr_usm_address(a) % 4096, 0);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* Idle memory of another device goes back only where it is the same memory: the
   host's.  */
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
	/* The limit is the device's own. */
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
	/* The slab for small requests of DEVICE memory has stayed. */
	ck_assert_uint_eq(mock->bytes(), 2 * MIB);
	finish();
}
END_TEST

/* Of the same device in another backend all of it. */
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
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
