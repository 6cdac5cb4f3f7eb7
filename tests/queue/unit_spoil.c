/* SPDX-License-Identifier: Apache-2.0 */
/* unit_spoil.c - the record of spoiled submissions alone: its answers when it
   has run out of notes, and against a model. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/queue/spoil.h"
#include "tests/support/random.h"

static struct spoil spoil;
static bool in_order;

static void set_up(void)
{
	spoil = (struct spoil){ .count = 0 };
	in_order = true;
}

static void tear_down(void)
{
	spoil_fini(&spoil);
}

static bool is_spoiled(uint64_t first, uint64_t last)
{
	return spoil_cause(&spoil, first, last) != NULL;
}

/* Record that @ticket uses the contents that @from wrote.  @from 0: it uses
   nothing. */
static void enter(uint64_t ticket, uint64_t from)
{
	struct use use = { .first = from, .last = from };

	if (from)
		spoil_enter(&spoil, ticket, &use);
}

/* Do the same as enter(), for a use by a plain pointer. */
static void enter_raw(uint64_t ticket, uint64_t from)
{
	struct use use = { .access = USE_RAW, .first = from, .last = from };

	spoil_enter(&spoil, ticket, &use);
}

static void fail_ticket(uint64_t ticket)
{
	struct failure *cause = failure_new(DPR_ERROR_DRIVER, "it failed");

	spoil_ticket(&spoil, in_order, ticket, cause);
	failure_release(cause);
}

static void fail_unproved(uint64_t last)
{
	struct failure *cause = failure_new(DPR_ERROR_DRIVER, "some failed");

	spoil_unproved(&spoil, last, cause);
	failure_release(cause);
}

START_TEST(only_what_used_it)
{
	enter(2, 1);
	enter(3, 0);
	enter(4, 2);
	enter(5, 3);
	ck_assert(!is_spoiled(1, 5));
	fail_ticket(1);
	ck_assert(is_spoiled(1, 1) && is_spoiled(2, 2) && is_spoiled(4, 4));
	ck_assert(!is_spoiled(3, 3) && !is_spoiled(5, 5));
	ck_assert(is_spoiled(3, 4));
	/* These submissions were made before the failure became known. */
	enter(6, 4);
	enter(7, 5);
	ck_assert(is_spoiled(6, 6) && !is_spoiled(7, 7));
}
END_TEST

START_TEST(what_an_event_has_proved)
{
	spoil_sound(&spoil, 10);
	enter(12, 11);
	enter(13, 9);
	spoil_proved(&spoil, 12);
	spoil_proved(&spoil, 13);
	spoil_proved(&spoil, 14);
	fail_unproved(15);
	ck_assert(!is_spoiled(1, 10));
	ck_assert(is_spoiled(11, 11) && is_spoiled(12, 12));
	ck_assert(!is_spoiled(13, 13) && !is_spoiled(14, 14));
	ck_assert(is_spoiled(15, 15) && !is_spoiled(16, 16));
	/* Notes of later tickets stay. */
	spoil_proved(&spoil, 17);
	spoil_sound(&spoil, 16);
	fail_unproved(18);
	ck_assert(!is_spoiled(16, 17));
	ck_assert(is_spoiled(18, 18));
}
END_TEST

/* If the notes of earlier uses are lost, those tickets count as users. */
START_TEST(lost_notes)
{
	uint64_t i;

	for (i = 1; i <= 2 * SPOIL_EDGES; i++)
		enter(2 * i, 1);
	fail_ticket(3);
	ck_assert(!is_spoiled(1, 2));
	ck_assert(is_spoiled(5, 5));
	ck_assert(!is_spoiled(4 * SPOIL_EDGES - 1, 4 * SPOIL_EDGES - 1));
	/* On an out-of-order queue, users fail themselves, so only the failed
	   ticket is recorded. */
	tear_down();
	set_up();
	in_order = false;
	for (i = 1; i <= 2 * SPOIL_EDGES; i++)
		enter(2 * i, 1);
	fail_ticket(3);
	ck_assert(is_spoiled(3, 3) && !is_spoiled(4, UINT64_MAX));
	/* With uses by plain pointers, users need not fail, so lost notes count
	   again. */
	tear_down();
	set_up();
	in_order = false;
	enter_raw(4, 3);
	for (i = 3; i <= 2 * SPOIL_EDGES; i++)
		enter(2 * i, 1);
	fail_ticket(3);
	ck_assert(is_spoiled(4, 4));
}
END_TEST

/* When there is no more room, the two spans with the smallest gap are
   joined. */
START_TEST(the_closest_join)
{
	uint64_t i;

	fail_ticket(1);
	for (i = 1; i <= 1022; i++)
		fail_ticket(1000 * i);
	fail_ticket(1000 * 500 + 4);
	ck_assert(!is_spoiled(1000 * 500 + 1, 1000 * 500 + 3));
	fail_ticket(1000 * 2000);
	ck_assert(is_spoiled(1000 * 500 + 1, 1000 * 500 + 3));
	ck_assert(!is_spoiled(2, 999));
	/* A ticket inside a span needs no span of its own. */
	fail_ticket(1000 * 500 + 2);
	ck_assert(is_spoiled(1000 * 2000, 1000 * 2000));
	for (i = 1; i <= 1022; i++)
		ck_assert(is_spoiled(1000 * i, 1000 * i));
}
END_TEST

/* An event reports a failure after finish() has already reported all of
   them. */
START_TEST(told_before)
{
	fail_unproved(5);
	ck_assert_ptr_null(spoil_told(&spoil, 5));
	spoil_sound(&spoil, 7);
	ck_assert_ptr_nonnull(spoil_told(&spoil, 5));
	ck_assert_ptr_null(spoil_told(&spoil, 6));
	ck_assert_ptr_null(spoil_told(&spoil, 8));
}
END_TEST

/* Any number of failures takes bounded memory, and none is lost. */
START_TEST(many_failures)
{
	uint64_t i;

	for (i = 1; i <= 5000; i++)
		fail_ticket(10 * i);
	ck_assert_uint_le(spoil.count, 1024);
	for (i = 1; i <= 5000; i++)
		ck_assert(is_spoiled(10 * i, 10 * i));
	ck_assert(!is_spoiled(10 * 4990 + 1, 10 * 4990 + 9));
	/* Failures between the others, and before all of them. */
	for (i = 1; i <= 5000; i++)
		fail_ticket(10 * i - 5);
	for (i = 1; i <= 10000; i++)
		ck_assert(is_spoiled(5 * i, 5 * i));
	ck_assert_uint_le(spoil.count, 1024);
}
END_TEST

/* Random work on a few allocations, some of which fails, compared with a model
   that keeps all notes. */
START_TEST(against_a_model)
{
	enum { MOST = 200, CELLS = 6 };
	struct random rng = { .state = (uint64_t)_i + 1 };
	uint64_t writer[CELLS] = { 0 }, from[MOST + 1], ticket, failed;
	int bad[MOST + 1];

	memset(bad, 0, sizeof(bad));
	for (ticket = 1; ticket <= MOST; ticket++) {
		int to = (int)random_between(&rng, 0, CELLS - 1);
		int of = (int)random_between(&rng, 0, CELLS - 1);

		from[ticket] = random_between(&rng, 0, 2) ? writer[of] : 0;
		writer[to] = ticket;
		enter(ticket, from[ticket]);
		bad[ticket] = bad[from[ticket]];
		if (random_between(&rng, 0, 19))
			continue;
		failed = (uint64_t)random_between(&rng, 1, (long)ticket);
		fail_ticket(failed);
		bad[failed] = 1;
		for (uint64_t i = failed + 1; i <= ticket; i++)
			bad[i] |= bad[from[i]];
	}
	for (ticket = 1; ticket <= MOST; ticket++)
		ck_assert_int_eq(is_spoiled(ticket, ticket), bad[ticket]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spoil");
	TCase *tcase = tcase_create("spoil");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, only_what_used_it);
	tcase_add_test(tcase, what_an_event_has_proved);
	tcase_add_test(tcase, lost_notes);
	tcase_add_test(tcase, the_closest_join);
	tcase_add_test(tcase, told_before);
	tcase_add_test(tcase, many_failures);
	tcase_add_loop_test(tcase, against_a_model, 0, 50);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
