/* SPDX-License-Identifier: Apache-2.0 */
/* The environment: what the library reads and when, and what dpr_variables()
   reports. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/suggest.h"

/* All variables that hold a number of bytes are written the same way. */
static const struct {
	const char *text;
	int good;
	uint64_t bytes;
} sizes[] = {
	{ "0", 1, 0 },
	{ "00", 1, 0 },
	{ "0K", 1, 0 },
	{ "7", 1, 7 },
	{ "18446744073709551615", 1, UINT64_MAX },
	{ "3k", 1, 3 << 10 },
	{ "3K", 1, 3 << 10 },
	{ "3KB", 1, 3 << 10 },
	{ "3MiB", 1, 3 << 20 },
	{ "3Mi", 1, 3 << 20 },
	{ "4G", 1, UINT64_C(4) << 30 },
	{ "4g", 1, UINT64_C(4) << 30 },
	{ "2T", 1, UINT64_C(2) << 40 },
	{ "2TiB", 1, UINT64_C(2) << 40 },
	{ "", 0, 0 },
	{ "K", 0, 0 },
	{ "-1", 0, 0 },
	{ "+1", 0, 0 },
	{ " 1", 0, 0 },
	{ "1 ", 0, 0 },
	{ "1 G", 0, 0 },
	{ "1B", 0, 0 },
	{ "1GG", 0, 0 },
	{ "1GBs", 0, 0 },
	{ "1Q", 0, 0 },
	{ "1.5G", 0, 0 },
	{ "0x10", 0, 0 },
	{ "1%", 0, 0 },
	{ "18446744073709551616", 0, 0 },
	{ "16777216T", 0, 0 },
};

START_TEST(sizes_of_memory)
{
	uint64_t bytes = 0;

	ck_assert_int_eq(env_bytes(sizes[_i].text, &bytes), sizes[_i].good);
	if (sizes[_i].good)
		ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

static void setup(void)
{
	unsetenv("DPR_BACKEND");
	unsetenv("DPR_DEVICE");
	unsetenv("DPR_PLUGIN_PATH");
	unsetenv("DPR_PLUGINS");
	unsetenv("DPR_LOG");
	env_test_secure(0);
	env_test_again();
}

static const dpr_variable *variable(const char *name)
{
	static dpr_variable *list;
	size_t n, i;

	dpr_free(list);
	list = NULL;
	ck_assert_int_eq(dpr_variables(&list, &n), DPR_OK);
	for (i = 0; i < n; i++) {
		if (!strcmp(list[i].name, name))
			return &list[i];
	}
	return NULL;
}

START_TEST(values)
{
	setenv("DPR_BACKEND", "opencl", 1);
	setenv("DPR_DEVICE", "", 1);
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_str_eq(env_get("DPR_BACKEND"), "opencl");
	ck_assert_ptr_null(env_get("DPR_DEVICE"));
	ck_assert_ptr_null(env_get("DPR_LOG"));
	/* The environment is read only once. */
	setenv("DPR_BACKEND", "host", 1);
	setenv("DPR_LOG", "debug", 1);
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_str_eq(env_get("DPR_BACKEND"), "opencl");
	ck_assert_ptr_null(env_get("DPR_LOG"));
}
END_TEST

START_TEST(options)
{
	setenv("DPR_OPTION_OPENCL_MEMORY", "usm", 1);
	setenv("DPR_OPTION_LEVEL_ZERO_X", "1", 1);
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_str_eq(env_option("opencl", "MEMORY"), "usm");
	ck_assert_str_eq(env_option("opencl", "memory"), "usm");
	ck_assert_str_eq(env_option("level_zero", "x"), "1");
	ck_assert_ptr_null(env_option("opencl", "MEM"));
	ck_assert_ptr_null(env_option("cuda", "MEMORY"));
}
END_TEST

START_TEST(listing)
{
	const dpr_variable *v;

	setenv("DPR_BACKNED", "host", 1);
	setenv("DPR_SPEED", "x", 1);
	setenv("DPR_SOMETHING_ELSE_ALTOGETHER", "x", 1);
	setenv("DPR_OPTION_OPENCL_MEMORY", "usm", 1);
	setenv("DPR_OPTION_", "x", 1);
	setenv("DPR_DEVICE", "gpu", 1);
	v = variable("DPR_DEVICE");
	ck_assert_ptr_nonnull(v);
	ck_assert_str_eq(v->value, "gpu");
	ck_assert_int_eq(v->known, 1);
	ck_assert_int_eq(v->ignored, 0);
	ck_assert_ptr_null(v->nearest);
	v = variable("DPR_LOG");
	ck_assert_ptr_nonnull(v);
	ck_assert_ptr_null(v->value);
	ck_assert_int_eq(v->known, 1);
	ck_assert_int_gt((int)strlen(v->effect), 20);
	v = variable("DPR_BACKNED");
	ck_assert_ptr_nonnull(v);
	ck_assert_int_eq(v->known, 0);
	ck_assert_str_eq(v->nearest, "DPR_BACKEND");
	/* DPR_SPEED has no effect, so it is not a known variable. */
	v = variable("DPR_SPEED");
	ck_assert_ptr_nonnull(v);
	ck_assert_int_eq(v->known, 0);
	v = variable("DPR_SOMETHING_ELSE_ALTOGETHER");
	ck_assert_ptr_nonnull(v);
	ck_assert_ptr_null(v->nearest);
	v = variable("DPR_OPTION_OPENCL_MEMORY");
	ck_assert_ptr_nonnull(v);
	ck_assert_int_eq(v->known, 1);
	ck_assert_int_eq(variable("DPR_OPTION_")->known, 0);
}
END_TEST

START_TEST(notes)
{
	setenv("DPR_DEVICE", "gpu", 1);
	ck_assert_int_eq(env_start(), DPR_OK);
	env_note("DPR_DEVICE", "is wrong");
	env_note("DPR_DEVICE", "is very wrong");
	env_note("DPR_LOG", "is not set, so nobody sees this");
	ck_assert_str_eq(variable("DPR_DEVICE")->effect, "is very wrong");
	ck_assert_ptr_null(strstr(variable("DPR_LOG")->effect, "nobody"));
}
END_TEST

START_TEST(setuid_program)
{
	setenv("DPR_DEVICE", "gpu", 1);
	setenv("DPR_OPTION_OPENCL_MEMORY", "usm", 1);
	env_test_secure(1);
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_ptr_null(env_get("DPR_DEVICE"));
	ck_assert_ptr_null(env_option("opencl", "MEMORY"));
	ck_assert_int_eq(variable("DPR_DEVICE")->ignored, 1);
	ck_assert_str_eq(variable("DPR_DEVICE")->value, "gpu");
	ck_assert_int_eq(variable("DPR_LOG")->ignored, 0);
}
END_TEST

static const struct {
	const char *word, *best;
} words[] = {
	{ "gpuu", "gpu" },
	{ "GPU", "gpu" },
	{ "opencl", "opencl" },
	{ "opnecl", "opencl" },
	{ "opencll", "opencl" },
	{ "xyz", NULL },
	{ "", NULL },
	{ "cpy", "cpu" },
	{ "q", NULL },
	{ "this is much longer than any word that anybody would ever mistype",
	  NULL },
};

START_TEST(nearest_word)
{
	static const char *const known[] = { "cpu", "gpu", "opencl" };
	struct suggestion suggestion =
		suggest_start(words[_i].word, strlen(words[_i].word));
	struct text list = { 0 };
	size_t i;

	suggest_list(&suggestion, &list);
	for (i = 0; i < 6; i++)
		suggest_offer(&suggestion, known[i % 3]);
	if (words[_i].best)
		ck_assert_str_eq(suggestion.best, words[_i].best);
	else
		ck_assert_ptr_null(suggestion.best);
	suggest_list(&suggestion, &list);
	ck_assert_str_eq(text_get(&list), "nonecpu, gpu, opencl");
	text_fini(&list);
	suggest_end(&suggestion);
}
END_TEST

/* --- The log ---------------------------------------------------------------
 */

static char seen[4096];
static int posting;

static void sink(void *user, enum dpr_log_level level, const char *message)
{
	size_t n = strlen(seen);

	ck_assert_ptr_eq(user, &posting);
	snprintf(seen + n, sizeof(seen) - n, "%d:%s;", (int)level, message);
	/* A message posted while messages are delivered comes after them. */
	if (posting) {
		posting = 0;
		log_post(DPR_LOG_ERROR, "later");
		log_flush();
	}
}

START_TEST(log_levels)
{
	seen[0] = '\0';
	log_post(DPR_LOG_ERROR, "to nobody");
	dpr_log_set(DPR_LOG_WARN, sink, &posting);
	log_post(DPR_LOG_INFO, "too detailed");
	ck_assert(!log_wants(DPR_LOG_INFO));
	ck_assert(log_wants(DPR_LOG_WARN));
	posting = 1;
	log_post(DPR_LOG_WARN, "a %d", 1);
	log_post(DPR_LOG_ERROR, "b");
	ck_assert_str_eq(seen, "");
	log_flush();
	ck_assert_str_eq(seen, "2:a 1;1:b;1:later;");
	dpr_log_set(DPR_LOG_TRACE, NULL, NULL);
	ck_assert(!log_wants(DPR_LOG_ERROR));
	ck_assert_int_eq(log_level_of("TRACE", 5), DPR_LOG_TRACE);
	ck_assert_int_eq(log_level_of("trac", 4), 0);
	ck_assert_int_eq(log_level_of("", 0), 0);
}
END_TEST

/* DPR_LOG without a file can only raise the level of the program's sink. */
START_TEST(log_variable)
{
	dpr_log_set(DPR_LOG_WARN, sink, &posting);
	setenv("DPR_LOG", _i ? "error" : "debug", 1);
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_int_eq(log_start(), DPR_OK);
	ck_assert_int_eq(log_wants(DPR_LOG_DEBUG), !_i);
	ck_assert_int_eq(log_wants(DPR_LOG_WARN), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("environment and log");
	TCase *env = tcase_create("env"), *log = tcase_create("log");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(env, setup, NULL);
	tcase_add_test(env, values);
	tcase_add_test(env, options);
	tcase_add_test(env, listing);
	tcase_add_test(env, notes);
	tcase_add_test(env, setuid_program);
	tcase_add_loop_test(env, sizes_of_memory, 0,
			    sizeof(sizes) / sizeof(*sizes));
	tcase_add_loop_test(env, nearest_word, 0,
			    (int)(sizeof(words) / sizeof(*words)));
	tcase_add_checked_fixture(log, setup, NULL);
	tcase_add_test(log, log_levels);
	tcase_add_loop_test(log, log_variable, 0, 2);
	suite_add_tcase(suite, env);
	suite_add_tcase(suite, log);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
