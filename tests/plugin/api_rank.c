/* SPDX-License-Identifier: Apache-2.0 */
/* The rank and the advice in a plugin's descriptor. */
#include "tests/plugins/mock.h"
#include "tests/support/loader_files.h"

/* bad.c's name for its rank, and the order of all backends that follows from
   it. */
static const struct {
	const char *what;
	const char *order[3];
} ranks[] = {
	{ "rank_native", { "bad", "mock", "mock_bare" } },
	{ "rank_portable", { "mock", "bad", "mock_bare" } },
	{ "rank_host", { "mock", "mock_bare", "bad" } },
};
#define N_RANKS (int)(sizeof(ranks) / sizeof(*ranks))

/* Devices of one type are ordered by their backends' ranks, then by name. */
START_TEST(rank_of_a_plugin)
{
	dpr_device *devices[8];
	size_t n, i, at = 0;

	setenv("DPR_TEST_BAD", ranks[_i].what, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "accelerator", 1);
	setenv("DPR_OPTION_MOCK_BARE_TYPE", "accelerator", 1);
	files_copy("bad.so", "libdpr-bad.so", 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_copy("libdpr-mock_bare.so", "libdpr-mock_bare.so", 0755);
	files_search();
	ck_assert_int_eq(dpr_device_enumerate(NULL, devices, 8, &n), DPR_OK);
	ck_assert_uint_eq(n, 4);
	for (i = 0; i < n; i++) {
		const char *name = dpr_device_backend(devices[i]);

		at += strcmp(name, ranks[_i].order[at]) != 0;
		ck_assert_uint_lt(at, 3);
		ck_assert_str_eq(name, ranks[_i].order[at]);
	}
	ck_assert_uint_eq(at, 2);
}
END_TEST

static const struct {
	const char *file, *option, *advice;
} advices[] = {
	{ "libdpr-mock.so", "DPR_OPTION_MOCK_DRIVER", MOCK_NO_DRIVER },
	{ "libdpr-mock.so", "DPR_OPTION_MOCK_DEVICES", MOCK_NO_DEVICE },
	{ "libdpr-mock_bare.so", "DPR_OPTION_MOCK_BARE_DRIVER", "" },
	{ "libdpr-mock_bare.so", "DPR_OPTION_MOCK_BARE_DEVICES", "" },
};
#define N_ADVICES (int)(sizeof(advices) / sizeof(*advices))

START_TEST(advice_of_a_plugin)
{
	const dpr_plugin_report *line;
	char name[64];

	snprintf(name, sizeof(name), "/%s", advices[_i].file);
	setenv(advices[_i].option, "0", 1);
	files_copy(advices[_i].file, advices[_i].file, 0755);
	files_search();
	files_assert(1, name, DPR_PLUGIN_ABSENT, "=0: no d");
	line = files_line(1, name);
	ck_assert_str_eq(line->advice, advices[_i].advice);
	ck_assert_int_eq(dpr_device_select("gpu", &(dpr_device *){ NULL }),
			 DPR_ERROR_NOT_FOUND);
	if (*advices[_i].advice)
		files_assert_error(advices[_i].advice);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rank and advice");
	TCase *tcase = tcase_create("rank and advice");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, files_setup, files_teardown);
	tcase_add_loop_test(tcase, rank_of_a_plugin, 0, N_RANKS);
	tcase_add_loop_test(tcase, advice_of_a_plugin, 0, N_ADVICES);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
