/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_help_team.c - <dpr/help-team.h>: every piece is done once, whoever
 * works; several callers; floating-point state; threads that cannot be started.
 */
#include <check.h>
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>

/* The n-th thread of a test cannot be started; 0: all can. */
static int fail_at;
static int start_or_fail(pthread_t *thread, const pthread_attr_t *attr,
			 void *(*run)(void *), void *arg)
{
	if (fail_at && --fail_at == 0)
		return 11;
	return pthread_create(thread, attr, run, arg);
}
#define pthread_create start_or_fail
#include <dpr/help-team.h>
#undef pthread_create

#include "tests/support/backend_host_table.h"

enum { MOST = 5, PIECES = 1000, CALLERS = 3, ROUNDS = 200 };

static struct host_table *table;
static const dprp_host *host;
static struct dprh_cpus cpus;

static void setup(void)
{
	table = host_table_new();
	host = host_table_host(table);
	host_table_clear();
	ck_assert_int_eq(dprh_cpus_allowed(host, &cpus), DPR_RC_OK);
}

static void teardown(void)
{
	dprh_free(host, cpus.ids);
	host_table_free(table); /* aborts if something was not freed */
}

/* A test is run for teams of 1 to MOST members, with and without the caller. */
static struct dprh_team *team_of(int i)
{
	struct dprh_team *team = NULL;

	ck_assert_int_eq(dprh_team_create(host, &cpus, (uint32_t)(i / 2 + 1),
					  i % 2, "", &team),
			 DPR_RC_OK);
	return team;
}

struct work {
	unsigned times[PIECES];
	unsigned wrong; /* members that do not exist */
	uint32_t members;
	pthread_t caller;
	bool caller_works;
	int rounding; /* of the caller */
};

/* 1 / 25 is rounded down to the nearest float. */
static volatile float dividend = 1, divisor = 25;
static float nearest;

static void count(void *context, uint32_t member, uint64_t piece)
{
	struct work *work = context;
	unsigned wrong = member >= work->members;

	wrong += !work->caller_works &&
		 pthread_equal(work->caller, pthread_self());
	wrong +=
		(dividend / divisor > nearest) != (work->rounding == FE_UPWARD);
	__atomic_fetch_add(&work->wrong, wrong, __ATOMIC_RELAXED);
	__atomic_fetch_add(&work->times[piece], 1, __ATOMIC_RELAXED);
}

/* Run @pieces.  Returns how many were not done once, and what else was wrong.
 */
static unsigned wrong_of(struct dprh_team *team, uint64_t pieces)
{
	struct work work = { .members = team->n,
			     .caller = pthread_self(),
			     .caller_works = team->caller_works,
			     .rounding = fegetround() };
	unsigned wrong;

	dprh_team_run(team, pieces, count, &work);
	wrong = work.wrong;
	for (uint64_t i = 0; i < PIECES; i++)
		wrong += work.times[i] != (i < pieces);
	return wrong;
}

START_TEST(all_pieces)
{
	static const uint64_t counts[] = { 0, 1, 2, 3, 7, 64, PIECES };
	struct dprh_team *team = team_of(_i);
	unsigned wrong = 0;

	nearest = dividend / divisor;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		wrong += wrong_of(team, counts[i]);
		fesetround(FE_UPWARD);
		wrong += wrong_of(team, counts[i]);
		fesetround(FE_TONEAREST);
	}
	ck_assert_uint_eq(wrong, 0);
	dprh_team_destroy(team);
}
END_TEST

static unsigned wrong_of_callers;

static void *call_often(void *team)
{
	unsigned wrong = 0;

	for (uint64_t i = 0; i < ROUNDS; i++)
		wrong += wrong_of(team, i % 9);
	__atomic_fetch_add(&wrong_of_callers, wrong, __ATOMIC_RELAXED);
	return NULL;
}

START_TEST(several_callers)
{
	struct dprh_team *team = team_of(_i);
	pthread_t callers[CALLERS];

	nearest = dividend / divisor;
	wrong_of_callers = 0;
	for (int i = 0; i < CALLERS; i++)
		ck_assert_int_eq(
			pthread_create(&callers[i], NULL, call_often, team), 0);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	ck_assert_uint_eq(wrong_of_callers, 0);
	dprh_team_destroy(team);
}
END_TEST

START_TEST(no_thread)
{
	struct dprh_team *team;
	int nth;

	for (nth = 1; nth <= MOST - _i; nth++) {
		fail_at = nth;
		host_table_clear();
		ck_assert_int_eq(dprh_team_create(host, &cpus, MOST, _i,
						  "; ask for fewer", &team),
				 DPR_RC_OOM_HOST);
		ck_assert_ptr_null(team);
		ck_assert_ptr_nonnull(
			strstr(host_table_error(), "cannot be started"));
		ck_assert_ptr_nonnull(
			strstr(host_table_error(), "; ask for fewer"));
	}
	fail_at = 0;
}
END_TEST

START_TEST(no_memory)
{
	struct dprh_team *team;
	dprp_rc rc = DPR_RC_INTERNAL;
	unsigned long nth;

	/* A thread is not bound without memory, which is no failure. */
	for (nth = 1; nth < 4; nth++) {
		host_table_fail_alloc(table, nth);
		rc = dprh_team_create(host, &cpus, MOST, true, "", &team);
		host_table_fail_alloc(table, 0);
		ck_assert_int_eq(rc, DPR_RC_OOM_HOST);
		ck_assert_ptr_null(team);
	}
	host_table_fail_alloc(table, 4);
	ck_assert_int_eq(dprh_team_create(host, &cpus, MOST, true, "", &team),
			 DPR_RC_OK);
	host_table_fail_alloc(table, 0);
	dprh_team_destroy(team);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("help-team");
	TCase *t = tcase_create("team");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, all_pieces, 0, 2 * MOST);
	tcase_add_loop_test(t, several_callers, 0, 2 * MOST);
	tcase_add_loop_test(t, no_thread, 0, 2);
	tcase_add_test(t, no_memory);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
