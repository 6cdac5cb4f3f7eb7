/* SPDX-License-Identifier: Apache-2.0 */
/* unit_point.c - the caret that is printed under a column of an expression. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tools/eval/point.h"

START_TEST(caret_stands_under_the_column)
{
	char text[200], *lines;

	lines = point_at("x + $", 4);
	ck_assert_str_eq(lines, "  x + $\n      ^");
	free(lines);
	lines = point_at("x\n+\t$", 4);
	ck_assert_str_eq(lines, "  x + $\n      ^");
	free(lines);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	text[120] = '$';
	lines = point_at(text, 120);
	ck_assert(strchr(lines, '\n') != NULL);
	ck_assert_int_eq(lines[strchr(lines, '^') - strchr(lines, '\n') - 1],
			 '$');
	free(lines);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("point");
	TCase *tcase = tcase_create("point");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, caret_stands_under_the_column);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
