/* SPDX-License-Identifier: Apache-2.0 */
/* unit_uses.c - the record of uses alone: conflicts between uses. */
#include <check.h>
#include <stdlib.h>

#include <dpr/launch.h>

#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/uses.h"

/* Queues and allocations without a driver. */
static dpr_queue in1, in2, out1;
static dpr_usm x, y;

static void make_queue(dpr_queue *queue, int in_order)
{
	*queue = (dpr_queue){ .in_order = in_order, .canonical = 1 };
	pthread_mutex_init(&queue->submit, NULL);
	pthread_mutex_init(&queue->lock, NULL);
}

static void set_up(void)
{
	make_queue(&in1, 1);
	make_queue(&in2, 1);
	make_queue(&out1, 0);
	x = (dpr_usm){ .queue = &in1 };
	y = (dpr_usm){ .queue = &in1 };
	pthread_mutex_init(&x.lock, NULL);
	pthread_mutex_init(&y.lock, NULL);
}

static void tear_down(void)
{
	uses_fini(&x);
	uses_fini(&y);
}

/* Record a use.  Returns the number of conflicts.  Checks that the first one is
   @queue's @ticket, unless @queue is NULL. */
static size_t enter(dpr_queue *by, uint64_t number, dpr_usm *usm,
		    uint32_t access, const struct conflict_list *covered,
		    dpr_queue *queue, uint64_t ticket)
{
	struct conflict_list none = { .count = 0 }, found = { .count = 0 };
	struct use use = { .usm = usm, .access = access };
	size_t n;

	ck_assert_int_eq(uses_enter(by, number, "test", &use, 1,
				    covered ? covered : &none, &found),
			 DPR_OK);
	n = found.count;
	if (queue) {
		ck_assert_uint_ge(n, 1);
		ck_assert_ptr_eq(found.list[0].queue, queue);
		ck_assert_uint_eq(found.list[0].ticket, ticket);
	}
	conflicts_fini(&found);
	return n;
}

START_TEST(one_queue_never_conflicts)
{
	int i;

	for (i = 1; i < 20; i++)
		ck_assert_uint_eq(enter(&in1, (uint64_t)i, &x,
					i % 3 ? DPR_READ : DPR_READ_WRITE, NULL,
					NULL, 0),
				  0);
	ck_assert_uint_eq(x.n_uses, 1);
	ck_assert_uint_eq(x.first[0].written, 18);
	ck_assert_uint_eq(x.first[0].read, 19);
}
END_TEST

START_TEST(reads_do_not_conflict)
{
	ck_assert_uint_eq(enter(&in1, 1, &x, DPR_READ, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&in2, 1, &x, DPR_READ, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&out1, 1, &x, DPR_READ, NULL, NULL, 0), 0);
	ck_assert_uint_eq(x.n_uses, 3);
	/* A write conflicts with the reads of the other queues. */
	ck_assert_uint_eq(enter(&in1, 2, &x, DPR_READ_WRITE, NULL, NULL, 0), 2);
}
END_TEST

/* However many reads there are, their counter does not wrap to 0. */
START_TEST(reads_do_not_wrap)
{
	ck_assert_uint_eq(enter(&out1, 1, &x, DPR_READ, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&out1, 2, &x, DPR_READ, NULL, NULL, 0), 0);
	x.first[0].reads = UINT32_MAX;
	ck_assert_uint_eq(enter(&out1, 3, &x, DPR_READ, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&in1, 1, &x, DPR_READ_WRITE, NULL, &out1, 3),
			  1);
}
END_TEST

START_TEST(write_conflicts)
{
	ck_assert_uint_eq(enter(&in1, 7, &x, DPR_READ_WRITE, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&in2, 1, &x, DPR_READ, NULL, &in1, 7), 1);
	/* A use with a conflict was not recorded. */
	ck_assert_uint_eq(x.n_uses, 1);
	/* A pinned use has no order, so it does not conflict. */
	ck_assert_uint_eq(enter(&in2, 1, &x, DPR_NONE, NULL, NULL, 0), 0);
	ck_assert_uint_eq(x.n_uses, 2);
	ck_assert_uint_eq(x.first[1].pinned, 1);
	/* A use that is known to be done does not conflict. */
	in1.done = 6;
	ck_assert_uint_eq(enter(&in2, 2, &x, DPR_READ, NULL, &in1, 7), 1);
	in1.done = 7;
	ck_assert_uint_eq(enter(&in2, 2, &x, DPR_READ, NULL, NULL, 0), 0);
	/* Its entry is removed. */
	ck_assert_uint_eq(x.n_uses, 1);
	ck_assert_ptr_eq(x.first[0].queue, &in2);
}
END_TEST

START_TEST(covered_conflicts)
{
	struct conflict_list covered = { .count = 1, .room = 8 };

	covered.list = covered.few;
	covered.few[0] = (struct conflict){ &in1, 4, COVER_ONE };
	ck_assert_uint_eq(enter(&in1, 5, &x, DPR_READ_WRITE, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&in2, 1, &x, DPR_READ, &covered, &in1, 5), 1);
	/* On an in-order queue, covering a later ticket covers this one,
	   too. */
	covered.few[0].ticket = 6;
	ck_assert_uint_eq(enter(&in2, 1, &x, DPR_READ, &covered, NULL, 0), 0);
	/* On an out-of-order queue, only the same ticket covers it. */
	ck_assert_uint_eq(enter(&out1, 5, &y, DPR_READ_WRITE, NULL, NULL, 0),
			  0);
	covered.few[0] = (struct conflict){ &out1, 6, COVER_ONE };
	ck_assert_uint_eq(enter(&in2, 2, &y, DPR_READ, &covered, &out1, 5), 1);
	covered.few[0].ticket = 5;
	ck_assert_uint_eq(enter(&in2, 2, &y, DPR_READ, &covered, NULL, 0), 0);
}
END_TEST

START_TEST(out_of_order_conflicts_with_itself)
{
	struct conflict_list found = { .count = 0 }, none = { .count = 0 };
	struct use use = { .usm = &x, .access = DPR_READ_WRITE };

	ck_assert_uint_eq(enter(&out1, 1, &x, DPR_READ_WRITE, NULL, NULL, 0),
			  0);
	ck_assert_uint_eq(enter(&out1, 2, &x, DPR_READ, NULL, &out1, 1), 1);
	out1.done = 1;
	ck_assert_uint_eq(enter(&out1, 2, &x, DPR_READ, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&out1, 3, &x, DPR_READ, NULL, NULL, 0), 0);
	/* With two readers, everything up to the last one must be covered. */
	ck_assert_int_eq(uses_enter(&out1, 4, "test", &use, 1, &none, &found),
			 DPR_OK);
	ck_assert_uint_eq(found.count, 1);
	ck_assert_uint_eq(found.list[0].ticket, 3);
	ck_assert_int_eq(found.list[0].what, COVER_ALL);
	conflicts_fini(&found);
}
END_TEST

/* After a write on one queue, older uses on other queues cause no conflicts,
   but still keep the memory from being idle. */
START_TEST(a_write_supersedes)
{
	struct conflict_list covered = { .count = 1, .room = 8 };
	dpr_queue *queue;
	uint64_t ticket;

	covered.list = covered.few;
	covered.few[0] = (struct conflict){ &in1, 9, COVER_ONE };
	ck_assert_uint_eq(enter(&in1, 9, &x, DPR_READ_WRITE, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&in2, 1, &x, DPR_READ_WRITE, &covered, NULL, 0),
			  0);
	ck_assert_uint_eq(enter(&in2, 2, &x, DPR_READ_WRITE, NULL, NULL, 0), 0);
	ck_assert_uint_eq(enter(&out1, 1, &x, DPR_READ, NULL, &in2, 2), 1);
	in2.done = 2;
	ck_assert(!uses_idle(&x, &queue, &ticket));
	ck_assert_ptr_eq(queue, &in1);
	ck_assert_uint_eq(ticket, 9);
	in1.done = 9;
	ck_assert(uses_idle(&x, &queue, &ticket));
}
END_TEST

START_TEST(many_queues)
{
	static dpr_queue queues[40];
	int i;

	for (i = 0; i < 40; i++) {
		make_queue(&queues[i], 1);
		ck_assert_uint_eq(
			enter(&queues[i], 3, &x, DPR_READ, NULL, NULL, 0), 0);
	}
	ck_assert_uint_eq(x.n_uses, 40);
	ck_assert_uint_eq(enter(&in1, 1, &x, DPR_READ_WRITE, NULL, NULL, 0),
			  40);
	for (i = 0; i < 40; i += 2)
		queues[i].done = 3;
	ck_assert_uint_eq(enter(&in1, 1, &x, DPR_READ_WRITE, NULL, NULL, 0),
			  20);
	for (i = 1; i < 40; i += 2)
		queues[i].done = 3;
	ck_assert_uint_eq(enter(&in1, 1, &x, DPR_READ_WRITE, NULL, NULL, 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("access");
	TCase *tcase = tcase_create("access");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, one_queue_never_conflicts);
	tcase_add_test(tcase, reads_do_not_conflict);
	tcase_add_test(tcase, reads_do_not_wrap);
	tcase_add_test(tcase, write_conflicts);
	tcase_add_test(tcase, covered_conflicts);
	tcase_add_test(tcase, out_of_order_conflicts_with_itself);
	tcase_add_test(tcase, a_write_supersedes);
	tcase_add_test(tcase, many_queues);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
