/* SPDX-License-Identifier: Apache-2.0 */
/* The version functions of libdpr. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include <dpr/version.h>

START_TEST(library_matches_headers)
{
	ck_assert_str_eq(dpr_version(), DPR_VERSION);
}
END_TEST

START_TEST(text_matches_numbers)
{
	char text[64];

	snprintf(text, sizeof(text), "%d.%d.%d", DPR_VERSION_MAJOR,
		 DPR_VERSION_MINOR, DPR_VERSION_PATCH);
	ck_assert_str_eq(text, DPR_VERSION);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("version");
	TCase *tcase = tcase_create("version");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, library_matches_headers);
	tcase_add_test(tcase, text_matches_numbers);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
