/* SPDX-License-Identifier: Apache-2.0 */
/* api_allocator.c - allocators of a program's own, in their three uses: before
   the pool, over memory of its own, and straight to the driver. */
#include <stdatomic.h>

#include "tests/runtime_test.h"

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

/* One that remembers what it gave out. */
struct counter {
	int made, gone;
	size_t bytes, most; /* most: what it allows */
	size_t sizes[MOST];
	unsigned char *memory[MOST]; /* its own */
	atomic_int returned;         /* places of `memory` that came back */
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
	/* In here this is the pool's too. */
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
	/* Arrays too. */
	CHECK_OK(dpr_empty(DPR_SHAPE(100), DPR_INT32, q1, &array));
	ck_assert_uint_eq(c.bytes, 4400);
	dpr_array_release(array);
	/* The memory is the pool's: used again at once. */
	dpr_usm_release(a);
	ck_assert_int_eq(c.gone, 3);
	a = new_usm(q1, DPR_USM_DEVICE, 4000);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 2);
	/* After it was taken off, what it made is still told. */
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

	/* Work that still used it would be seen by tools, and by what it
	   writes. */
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
	/* Not before the work is over, and not used again by the pool. */
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, 4000, &i, 4, NULL, NULL));
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, 4000);
	ck_assert_ptr_ne(dpr_usm_address(a), c.memory[0]);
	CHECK_OK(dpr_usm_fill(other, a, 0, 4000, &i, 4, NULL, NULL));
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_trim(device, 0, NULL));
	ck_assert_int_eq(atomic_load(&c.returned), 0);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(other));
	/* The progress thread may be at it. */
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
		ck_assert_uint_eq(mock->bytes(), 4000);
		ck_assert_int_eq(first_int(q1, a), i);
		dpr_usm_release(a);
		CHECK_OK(dpr_queue_wait(q1));
		ck_assert_uint_eq(mock->bytes(), 0);
	}
	ck_assert_int_eq(c.made, 6);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 6);
	/* What the pool has and does not need makes room for it. */
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_HOST, 100, 0, &a));
	dpr_usm_release(a);
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_OOM_DEVICE, -4);
	a = new_usm(q1, DPR_USM_DEVICE, 100);
	ck_assert_uint_eq(mock->bytes(), 100);
	dpr_usm_release(a);
	/* The driver's refusal comes back as it is. */
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_OOM_DEVICE, -4);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &a));
	finish();
}
END_TEST

/* --- What is wrong ----------------------------------------------------------
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

/* Whatever alignment was asked for: the second block of a slab. */
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
	status = dpr_pool_alloc(queue, DPR_USM_DEVICE, size, 0, out);
	dpr_usm_release(before);
	return status;
}

START_TEST(bad_allocators)
{
	struct counter c = { .most = SIZE_MAX };
	dpr_allocator table = { .allocate = give };
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
	CHECK_TEXT("without an allocation");
	CHECK_OK(dpr_pool_alloc(q1, DPR_USM_DEVICE, 50, 0, &to_give));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &a));
	CHECK_TEXT("too small");
	ck_assert_ptr_null(a);
	/* Somebody else has it. */
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 10, &a));
	CHECK_TEXT("in use");
	dpr_usm_release(to_give);
	to_give = new_usm(q2, DPR_USM_DEVICE, 100);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 10, &a));
	CHECK_TEXT("another device");
	dpr_usm_release(to_give);
	set(&c, give_misfit, NULL);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc_aligned(q1, DPR_USM_DEVICE, 10, 2 << 20, &a));
	CHECK_TEXT("not aligned");
	ck_assert_ptr_null(a);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_alloc(q1, DPR_USM_DEVICE, 0, 0, &a));
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
	tcase_add_test(tcase, bad_allocators);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
