/* SPDX-License-Identifier: Apache-2.0 */
/* unit_origin.c - the record of the work that wrote the contents of an
   allocation. */
#include <check.h>
#include <stdlib.h>

#include <dpr/launch.h>

#include "core/runtime/device/device.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/origin.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/queue/queue.h"

static char selector[] = "none:gpu:0";

static struct use use_of(dpr_usm *usm, uint32_t access)
{
	return (struct use){ .usm = usm, .access = access };
}

/* Collect the origins of @use and make room for them, as a submission does. */
static void collect(dpr_queue *queue, struct use *use, struct origin_list *from)
{
	ck_assert_int_eq(origin_collect(queue, "test", use, from), DPR_OK);
	ck_assert(origin_reserve(&use->usm->origins, from));
}

/*
 * The work that made the contents may succeed, and its released queue may be
 * closed, at any time: also after a submission has collected its origins, and
 * before it is entered.  The collected ones keep the queue's record.
 */
START_TEST(collected_origins_keep_their_queues)
{
	dpr_device device = { .selector = selector };
	dpr_queue *writer = queue_new(&device, false);
	dpr_queue *reader = queue_new(&device, true);
	dpr_usm x = { .queue = reader }, y = { .queue = reader };
	struct origin_list none = { .count = 0 }, from = { .count = 0 };
	struct use wrote = use_of(&x, DPR_WRITE);
	struct use reads = use_of(&x, DPR_READ_WRITE);
	struct use writes = use_of(&y, DPR_WRITE);

	ck_assert_ptr_nonnull(writer);
	ck_assert_ptr_nonnull(reader);
	origin_enter(writer, 1, &wrote, &none);
	ck_assert_uint_eq(refs_count(&writer->weak), 2);
	collect(reader, &reads, &from);
	collect(reader, &writes, &from);
	ck_assert_uint_eq(from.count, 1);
	ck_assert_uint_eq(refs_count(&writer->weak), 3);
	/* The work succeeds, and the queue is closed. */
	atomic_store(&writer->spoil.sound, 1);
	queue_weak_release(writer);
	/* This forgets what is valid: @x's own reference goes. */
	origin_enter(reader, 1, &reads, &from);
	origin_enter(reader, 1, &writes, &from);
	ck_assert_uint_eq(refs_count(&writer->weak), 3);
	ck_assert_uint_eq(x.origins.count, 2);
	ck_assert_uint_eq(y.origins.count, 2);
	origin_list_fini(&from);
	ck_assert_uint_eq(refs_count(&writer->weak), 2);
	origin_fini(&x.origins);
	origin_fini(&y.origins);
	queue_free(reader);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("origin");
	TCase *tcase = tcase_create("origin");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, collected_origins_keep_their_queues);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
