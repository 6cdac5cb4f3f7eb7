/* SPDX-License-Identifier: Apache-2.0 */
/* unit_note.c - what a check of dpr check-plugin reports, from several threads
   at the same time: nothing is lost or torn. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/note.h"

enum { THREADS = 6, TIMES = 5000 };

static struct note_report report;
static pthread_barrier_t start;
static atomic_uint torn;

/* Run @work in several threads, which begin together. */
static void run(void *(*work)(void *number))
{
	pthread_t threads[THREADS];
	size_t i;

	note_begin(&report, NULL);
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, work, (void *)i), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&start);
}

static void *find_same(void *number)
{
	int i;

	(void)number;
	pthread_barrier_wait(&start);
	for (i = 0; i < TIMES; i++) {
		note_step("entry", "%s", "");
		note_bad("Q1", "a text", "another");
	}
	return NULL;
}

static void *find_behind(void *number)
{
	int i;

	(void)number;
	pthread_barrier_wait(&start);
	for (i = 0; i < TIMES; i++)
		note_behind("Q1", "entry", "a text", "another");
	return NULL;
}

/* Each time counts that the same is found. */
START_TEST(same)
{
	run(_i ? find_behind : find_same);
	ck_assert_uint_eq(report.n_findings, 1);
	ck_assert_uint_eq(report.findings[0].times, THREADS * TIMES);
}
END_TEST

static void *find_others(void *number)
{
	int i;

	pthread_barrier_wait(&start);
	for (i = 0; i < TIMES; i++) {
		note_step("entry", "%s", "");
		note_bad("Q1", "a text", "%zu %d", (size_t)number, i);
		note_behind("Q1", "entry", "a text",
			    i % 2 ? "what the layer says" : "and says");
	}
	return NULL;
}

/* So does each new finding, also one without room. */
START_TEST(others)
{
	uint32_t i, alike = 0;

	run(find_others);
	for (i = 0; i < NOTE_FINDINGS; i++)
		alike += report.findings[i].times - 1;
	/* The layer's findings are two, or new each time without room. */
	ck_assert_uint_eq(report.n_findings + alike, THREADS * TIMES * 2);
}
END_TEST

static bool is_of_one_letter(const char *text)
{
	return strspn(text, (const char[2]){ *text, '\0' }) == strlen(text);
}

static void *tell(void *number)
{
	char text[200];

	memset(text, 'a' + (int)(size_t)number, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	pthread_barrier_wait(&start);
	note_tell("%s", text);
	return NULL;
}

/* Each text has a place of its own. */
START_TEST(told)
{
	bool seen[THREADS] = { false };
	int turn, i;

	for (turn = 0; turn < 300; turn++) {
		memset(&report, 0, sizeof(report));
		memset(seen, 0, sizeof(seen));
		run(tell);
		ck_assert_uint_eq(report.n_told, NOTE_TOLD);
		for (i = 0; i < NOTE_TOLD; i++) {
			ck_assert_uint_eq(strlen(report.told[i]), 199);
			ck_assert(is_of_one_letter(report.told[i]));
			ck_assert(!seen[report.told[i][0] - 'a']);
			seen[report.told[i][0] - 'a'] = true;
		}
	}
}
END_TEST

static void *change_context(void *number)
{
	const bool writes = (size_t)number % 2;
	char t[9] = "";
	int i;

	pthread_barrier_wait(&start);
	for (i = 0; i < 4 * TIMES; i++) {
		if (writes) {
			memset(t, 'a' + i % 20, sizeof(t) - 1);
			note_context("%s%s%s%s%s%s%s%s", t, t, t, t, t, t, t,
				     t);
		} else {
			note_step("entry", "%s", "");
			if (!is_of_one_letter(note_last().args))
				torn++;
		}
	}
	return NULL;
}

/* A context is added to the arguments as a whole. */
START_TEST(context)
{
	run(change_context);
	ck_assert_uint_eq(torn, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("note");
	TCase *tcase = tcase_create("threads");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, same, 0, 2);
	tcase_add_test(tcase, others);
	tcase_add_test(tcase, told);
	tcase_add_test(tcase, context);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
