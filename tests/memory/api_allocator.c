/* SPDX-License-Identifier: Apache-2.0 */
/* api_allocator.c - a program's own allocators, in their three uses: in front
   of the pool, for memory of the program's own, and straight to the driver. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/runtime_test.h"

#define MOST 16

static dpr_device *device;

static void start(void)
{
	start_mocks();
	device = dpr_queue_device(q1);
}

static void finish(void)
{
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}

/* An allocator that records its allocations. */
struct counter {
	int made, gone;
	size_t bytes, most; /* most: its limit */
	size_t sizes[MOST];
	unsigned char *memory[MOST]; /* memory of its own */
	atomic_int returned;         /* number of `memory` entries given back */
};

static void set(struct counter *counter,
		dpr_status (*allocate)(void *, dpr_queue *, dpr_usm_kind,
				       size_t, size_t, dpr_usm **, void **),
		void (*freed)(void *, void *, size_t))
{
	dpr_allocator table = { .struct_size = sizeof(table),
				.user = counter,
				.allocate = allocate,
				.freed = freed };

	CHECK_OK(dpr_device_set_allocator(device, &table));
}

/* --- Before the pool --------------------------------------------------------
 */

static dpr_status count(void *user, dpr_queue *queue, dpr_usm_kind kind,
			size_t size, size_t alignment, dpr_usm **out,
			void **token)
{
	struct counter *c = user;
	dpr_status status;

	if (c->bytes + size > c->most)
		return DPR_ERROR_OUT_OF_DEVICE_MEMORY;
	/* Inside the allocator, this call goes to the pool, too. */
	if (c->made % 2)
		status = dpr_usm_alloc_aligned(queue, kind, size, alignment,
					       out);
	else
		status = dpr_pool_alloc(queue, kind, size, alignment, out);
	if (status)
		return status;
	c->sizes[c->made] = size;
	*token = &c->sizes[c->made++];
	c->bytes += size;
	return DPR_OK;
}

static void uncount(void *user, void *token, size_t size)
{
	struct counter *c = user;

	ck_assert_uint_eq(*(size_t *)token, size);
	*(size_t *)token = 0;
	c->bytes -= size;
	c->gone++;
}

START_TEST(before_the_pool)
{
	struct counter c = { .most = 10000 };
	dpr_usm *a, *b, *x;
	dpr_array *array;

	set(&c, count, uncount);
	a = new_ints(q1, 1000, 5);
	b = new_usm(q1, DPR_USM_HOST, 5000);
	ck_assert_uint_eq(c.bytes, 9000);
	x = (dpr_usm *)&x;
	ck_assert_int_eq(dpr_usm_alloc(q1, DPR_USM_DEVICE, 2000, &x),
			 DPR_ERROR_OUT_OF_DEVICE_MEMORY);
	ck_assert_ptr_null(x);
	ck_assert_int_eq(first_int(q1, a), 5);
	dpr_usm_release(b);
	ck_assert_uint_eq(c.bytes, 4000);
	/* Arrays use the allocator, too. */
	CHECK_OK(dpr_empty(DPR_SHAPE(100), DPR_INT32, q1, &array));
	ck_assert_uint_eq(c.bytes, 4400);
	dpr_array_release(array);
	/* The memory is the pool's, so it is used again at once. */
	dpr_usm_release(a);
	ck_assert_int_eq(c.gone, 3);
	a = new_usm(q1, DPR_USM_DEVICE, 4000);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 2);
	/* After the allocator was removed, it is still told of releases of its
	   memory. */
	CHECK_OK(dpr_device_set_allocator(device, NULL));
	b = new_usm(q1, DPR_USM_DEVICE, 1 << 20);
	dpr_usm_release(b);
	ck_assert_int_eq(c.made, 4);
	ck_assert_int_eq(c.gone, 3);
	dpr_usm_release(a);
	ck_assert_int_eq(c.gone, 4);
	finish();
}
END_TEST

/* --- Memory of one's own ----------------------------------------------------
 */

static dpr_status wrap(void *user, dpr_queue *queue, dpr_usm_kind kind,
		       size_t size, size_t alignment, dpr_usm **out,
		       void **token)
{
	struct counter *c = user;
	unsigned char *memory = malloc(size);
	dpr_status status;

	(void)kind;
	(void)alignment;
	ck_assert_ptr_nonnull(memory);
	status = dpr_usm_from_native(queue, (uintptr_t)memory, size, 0, out);
	if (status) {
		free(memory);
		return status;
	}
	c->memory[c->made++] = memory;
	*token = memory;
	return DPR_OK;
}

static void unwrap(void *user, void *token, size_t size)
{
	struct counter *c = user;

	/* If work still used the memory, tools would see it, or these bytes
	   would change. */
	memset(token, 0xdd, size);
	free(token);
	atomic_fetch_add(&c->returned, 1);
}

START_TEST(memory_of_its_own)
{
	struct counter c = { .most = SIZE_MAX };
	dpr_queue *other;
	dpr_usm *a;
	int i;

	CHECK_OK(dpr_queue_create(device, 0, &other));
	set(&c, wrap, unwrap);
	a = new_ints(q1, 1000, 3);
	ck_assert_ptr_eq(dpr_usm_address(a), c.memory[0]);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 0);
	ck_assert_int_eq(first_int(q1, a), 3);
	ck_assert_int_eq(*(int *)c.memory[0], 3);
	/* The memory is given back only after its work, and the pool does not
	   reuse it. */
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &i, 4, 4000, NULL, NULL));
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, 4000);
	ck_assert_ptr_ne(dpr_usm_address(a), c.memory[0]);
	CHECK_OK(dpr_usm_fill(other, a, 0, &i, 4, 4000, NULL, NULL));
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_trim(device, 0, NULL));
	ck_assert_int_eq(atomic_load(&c.returned), 0);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(other));
	/* The progress thread may still be giving it back. */
	EVENTUALLY(atomic_load(&c.returned) == 2);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* --- Straight to the driver -------------------------------------------------
 */

static dpr_status direct(void *user, dpr_queue *queue, dpr_usm_kind kind,
			 size_t size, size_t alignment, dpr_usm **out,
			 void **token)
{
	struct counter *c = user;

	(void)token;
	c->made++;
	return dpr_driver_alloc(queue, kind, size, alignment, out);
}

START_TEST(without_a_pool)
{
	struct counter c = { .most = SIZE_MAX };
	dpr_usm *a, *b, *found;
	int i;

	set(&c, direct, NULL);
	for (i = 0; i < 3; i++) {
		a = new_ints(q1, 1000, i);
		b = new_usm(q1, DPR_USM_SHARED, 1000);
		ck_assert_uint_eq(mock->bytes(), 5000);
		CHECK_OK(dpr_usm_find((char *)dpr_usm_address(b) + 7, &found,
				      NULL));
		ck_assert_ptr_eq(found, b);
		dpr_usm_release(found);
		dpr_usm_release(b);
		EVENTUALLY(mock->bytes() == 4000);
		ck_assert_int_eq(first_int(q1, a), i);
		dpr_usm_release(a);
		CHECK_OK(dpr_queue_wait(q1));
		EVENTUALLY(mock->bytes() == 0);
	}
	ck_assert_int_eq(c.made, 6);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 6);
	/* Idle memory of the pool is given up to make room. */
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_HOST, 100, 0, &a));
	dpr_usm_release(a);
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_OOM_DEVICE, -4);
	a = new_usm(q1, DPR_USM_DEVICE, 100);
	ck_assert_uint_eq(mock->bytes(), 100);
	dpr_usm_release(a);
	/* A failure that retrying cannot cure is passed on. */
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_NATIVE, -4);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &a));
	finish();
}
END_TEST

/* A device of 10 MiB; memory comes straight from the driver. */
static void start_small(void)
{
	setenv("DPR_OPTION_MOCK_MEMORY", "10485760", 1);
	setenv("DPR_OPTION_MOCK_MAX_ALLOC", "10485760", 1);
	start();
}

static dpr_usm *own(dpr_usm_kind kind, size_t mib)
{
	dpr_usm *usm = NULL;

	CHECK_OK(dpr_driver_alloc(q1, kind, mib << 20, 0, &usm));
	return usm;
}

/* How often the pressure callback was called, and what it can release. */
static struct {
	dpr_usm *usm;
	int calls;
} relief;

static int relieve(dpr_device *of, size_t size, void *user)
{
	dpr_usm *usm = relief.usm;

	(void)user;
	ck_assert_ptr_eq(of, device);
	ck_assert_uint_eq(size, 6 << 20);
	relief.calls++;
	relief.usm = NULL;
	dpr_usm_release(usm);
	return usm != NULL;
}

/* Allocations straight from the driver take the same steps as those of the
   pool: they wait for work that uses released memory, the driver's or the
   pool's, and call the pressure callback. */
START_TEST(without_memory)
{
	dpr_usm *a = own(DPR_USM_SHARED, 3), *b, *c;
	int value = 1;

	CHECK_OK(dpr_pool_set_pressure(device, relieve, NULL));
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_DEVICE, 3 << 20, 0, &b));
	mock->delay(20 * MS);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, NULL));
	CHECK_OK(dpr_usm_fill(q1, b, 0, &value, 4, 4, NULL, NULL));
	dpr_usm_release(a);
	dpr_usm_release(b);
	a = own(DPR_USM_DEVICE, 10);
	ck_assert_uint_eq(mock->bytes(), 10 << 20);
	ck_assert_int_eq(relief.calls, 0);
	dpr_usm_release(a);
	/* The pool, too, waits for released memory of the driver. */
	a = own(DPR_USM_DEVICE, 8);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, NULL));
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_DEVICE, 4 << 20, 0, &a));
	mock->delay(0);
	b = own(DPR_USM_HOST, 1);
	relief.usm = own(DPR_USM_DEVICE, 2);
	c = own(DPR_USM_DEVICE, 3);
	dpr_usm_release(a);
	a = own(DPR_USM_DEVICE, 6);
	ck_assert_int_eq(relief.calls, 1);
	dpr_usm_release(a);
	/* The final error has the same text. */
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_DEVICE, 2 << 20, 0, &a));
	CHECK_FAILS(
		DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		dpr_driver_alloc(q1, DPR_USM_DEVICE, 6 << 20, 0, &relief.usm));
	ck_assert_int_eq(relief.calls, 2);
	CHECK_TEXT("6291456 bytes of kind DEVICE on mock:gpu:0 (canonical)");
	CHECK_TEXT("the device is full");
	CHECK_TEXT(
		"the pools of mock:gpu:0 hold 2097152 bytes: 2097152 in use");
	CHECK_TEXT(
		"6291456 bytes on this device in 3 allocations, the largest: "
		"3145728 bytes on mock:gpu:0 (canonical), 2097152 bytes");
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	finish();
}
END_TEST

/* Another thread is freeing memory: it is not in use any more, but the driver
   does not have it back yet. */
static void *collect(void *user)
{
	(void)user;
	while (!mock->calls(MOCK_mem_free))
		CHECK_OK(dpr_pool_trim(device, 0, NULL));
	return NULL;
}

START_TEST(waits_for_others)
{
	dpr_usm *a = own(DPR_USM_DEVICE, 8);
	pthread_t thread;
	int value = 1;

	mock->slow(MOCK_mem_free, 200 * MS);
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, NULL));
	dpr_usm_release(a);
	ck_assert_int_eq(pthread_create(&thread, NULL, collect, NULL), 0);
	mock->hold(0);
	EVENTUALLY(mock->calls(MOCK_mem_free));
	a = own(DPR_USM_DEVICE, 9);
	pthread_join(thread, NULL);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* --- Wrong allocators -------------------------------------------------------
 */

static dpr_usm *to_give;

static dpr_status give(void *user, dpr_queue *queue, dpr_usm_kind kind,
		       size_t size, size_t alignment, dpr_usm **out,
		       void **token)
{
	(void)user;
	(void)queue;
	(void)kind;
	(void)size;
	(void)alignment;
	(void)token;
	*out = dpr_usm_retain(to_give);
	return DPR_OK;
}

/* Ignore the requested alignment: return the second block of a slab. */
static dpr_status give_misfit(void *user, dpr_queue *queue, dpr_usm_kind kind,
			      size_t size, size_t alignment, dpr_usm **out,
			      void **token)
{
	dpr_usm *before = new_usm(queue, DPR_USM_DEVICE, 100);
	dpr_status status;

	(void)user;
	(void)kind;
	(void)alignment;
	(void)token;
	status = dpr_pool_try_alloc(queue, DPR_USM_DEVICE, size, out);
	dpr_usm_release(before);
	return status;
}

/* Return host memory of the allocator, whatever kind was requested. */
static dpr_status wrap_host(void *user, dpr_queue *queue, dpr_usm_kind kind,
			    size_t size, size_t alignment, dpr_usm **out,
			    void **token)
{
	static long long memory[128];

	(void)user;
	(void)kind;
	(void)alignment;
	*token = memory;
	return dpr_usm_from_native(queue, (uintptr_t)memory, size, 0, out);
}

static void told(void *user, void *token, size_t size)
{
	struct counter *c = user;

	ck_assert_ptr_nonnull(token);
	c->gone++;
	c->bytes = size;
}

/* The kind that the backend reports for the memory counts.  If it reports none,
   the requested kind counts. */
START_TEST(kinds)
{
	struct counter c = { .most = SIZE_MAX };
	dpr_usm *a;

	set(&c, wrap_host, told);
	a = new_usm(q1, DPR_USM_HOST, 100);
	ck_assert_int_eq(dpr_usm_get_kind(a), DPR_USM_HOST);
	dpr_usm_release(a);
	ck_assert_int_eq(c.gone, 1);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_SHARED, 100, &a));
	CHECK_TEXT("the allocator of mock:gpu:0 gave an allocation that is of "
		   "another kind of memory");
	ck_assert_ptr_null(a);
	ck_assert_int_eq(c.gone, 2);
	ck_assert_uint_eq(c.bytes, 100);
	/* Memory of any kind is accepted for DEVICE. */
	a = new_usm(q1, DPR_USM_DEVICE, 100);
	ck_assert_int_eq(dpr_usm_get_kind(a), DPR_USM_HOST);
	dpr_usm_release(a);
	mock->fail(MOCK_mem_info, 1, 1, DPR_RC_UNSUPPORTED, 0);
	a = new_usm(q1, DPR_USM_SHARED, 100);
	ck_assert_int_eq(dpr_usm_get_kind(a), DPR_USM_SHARED);
	dpr_usm_release(a);
	/* Memory of the pool is checked as well. */
	set(&c, give, NULL);
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_DEVICE, 100, 0, &to_give));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_HOST, 10, &a));
	dpr_usm_release(to_give);
	finish();
}
END_TEST

START_TEST(bad_allocators)
{
	struct counter c = { .most = SIZE_MAX };
	dpr_allocator table = { .allocate = give };
	dpr_queue *other;
	dpr_usm *a;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_device_set_allocator(device, &table));
	table.struct_size = sizeof(table);
	table.allocate = NULL;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_device_set_allocator(device, &table));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_device_set_allocator(NULL, NULL));
	set(&c, give, NULL);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &a));
	CHECK_TEXT("but no allocation");
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_DEVICE, 50, 0, &to_give));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &a));
	CHECK_TEXT("too small");
	ck_assert_ptr_null(a);
	/* The allocation belongs to another owner, too. */
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 10, &a));
	CHECK_TEXT("in use");
	dpr_usm_release(to_give);
	to_give = new_usm(q2, DPR_USM_DEVICE, 100);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 10, &a));
	CHECK_TEXT("another device");
	dpr_usm_release(to_give);
	/* Work on the new allocation would belong to the other queue. */
	CHECK_OK(dpr_queue_create(device, 0, &other));
	CHECK_OK(dpr_pool_alloc(other, DPR_USM_DEVICE, 100, 0, &to_give));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 10, &a));
	CHECK_TEXT("another queue");
	dpr_usm_release(to_give);
	dpr_queue_release(other);
	set(&c, give_misfit, NULL);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc_aligned(q1, DPR_USM_DEVICE, 10, 2 << 20, &a));
	CHECK_TEXT("not aligned");
	ck_assert_ptr_null(a);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_alloc(q1, DPR_USM_DEVICE, 0, 0, &a));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_try_alloc(q1, DPR_USM_DEVICE, 0, &a));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_driver_alloc(NULL, DPR_USM_DEVICE, 1, 0, &a));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_driver_alloc(q1, DPR_USM_DEVICE, 1, 3, &a));
	finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("allocator");
	TCase *tcase = tcase_create("allocator");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, before_the_pool);
	tcase_add_test(tcase, memory_of_its_own);
	tcase_add_test(tcase, without_a_pool);
	tcase_add_test(tcase, kinds);
	tcase_add_test(tcase, bad_allocators);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("memory");
	tcase_add_checked_fixture(tcase, start_small, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, without_memory);
	tcase_add_test(tcase, waits_for_others);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
