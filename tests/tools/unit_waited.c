/* SPDX-License-Identifier: Apache-2.0 */
/* unit_waited.c - dpr check-plugin tells a call that waits from a thread that
   was preempted. */
#include <check.h>
#include <stdlib.h>
#include <time.h>

#include "tools/kit/waited.h"

START_TEST(sleeps)
{
	const struct timespec pause = { 0, 5000000 };
	struct waited before = waited_now(), after;

	nanosleep(&pause, NULL);
	after = waited_now();
	ck_assert(waited_between(&before, &after));
}
END_TEST

/* A call that computes while it waits has the processor at least a part of the
   time. */
START_TEST(computes)
{
	struct waited before = waited_now(), after = before;

	while (after.cpu - before.cpu < 0.005)
		after = waited_now();
	/* The time of the thread itself, without the time of others. */
	after.slept = before.slept;
	after.wall = before.wall + (after.cpu - before.cpu);
	ck_assert(waited_between(&before, &after));
}
END_TEST

/* 30 ms went by, of which the thread had 1 ms. */
START_TEST(preempted)
{
	const struct waited before = { 10, 1, 7 };
	const struct waited after = { 10.030, 1.001, 7 };
	const struct waited slept = { 10.030, 1.001, 8 };
	const struct waited computed = { 10.030, 1.020, 7 };
	const struct waited brief = { 10.0001, 1.0001, 8 };

	ck_assert(!waited_between(&before, &after));
	ck_assert(!waited_between(&before, &brief));
	ck_assert(waited_between(&before, &slept));
	ck_assert(waited_between(&before, &computed));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("waited");
	TCase *tcase = tcase_create("waited");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, sleeps);
	tcase_add_test(tcase, computes);
	tcase_add_test(tcase, preempted);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
