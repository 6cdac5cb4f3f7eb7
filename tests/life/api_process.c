/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_process.c - loading plugins and opening backends: in several threads,
 * before and after fork(), and at the end of the process; and the log of all
 * this.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "tests/support/loader_files.h"

/* The plugin that breaks rules on demand: its file, and the name that dpr
   finds. */
#define BAD_FILE "bad.so"
#define BAD "libdpr-bad.so"

static size_t count_devices(const char *selector)
{
	size_t n = 0;

	ck_assert_msg(!dpr_device_enumerate(selector, NULL, 0, &n), "%s",
		      dpr_last_error());
	return n;
}

/* --- Threads, fork, exit ---------------------------------------------------
 */

static pthread_barrier_t barrier;

static void *enumerate(void *out)
{
	dpr_device **devices = out;
	size_t n = 0;

	pthread_barrier_wait(&barrier);
	if (dpr_device_enumerate(NULL, devices, 3, &n) || n != 3)
		devices[0] = NULL;
	return NULL;
}

START_TEST(many_threads_load_at_once)
{
	dpr_device *devices[8][3] = { { 0 } };
	pthread_t threads[8];
	size_t i;

	setenv("DPR_TEST_BAD", "open_slow", 1);
	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, enumerate,
						devices[i]),
				 0);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_ptr_nonnull(devices[0][0]);
	for (i = 1; i < 8; i++)
		ck_assert_int_eq(
			memcmp(devices[i], devices[0], sizeof(devices[0])), 0);
}
END_TEST

/* While one backend is opening, another one that is open can still be used. */
static void *open_slowly(void *unused)
{
	size_t n;

	(void)unused;
	if (dpr_device_enumerate("bad", NULL, 0, &n))
		return (void *)"failed";
	return NULL;
}

START_TEST(enumerate_while_another_opens)
{
	pthread_t thread;
	void *result;
	int i;

	setenv("DPR_TEST_BAD", "open_slow", 1);
	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	ck_assert_uint_eq(count_devices("mock"), 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_slowly, NULL), 0);
	for (i = 0; i < 1000; i++) {
		ck_assert_uint_eq(count_devices("mock"), 1);
		ck_assert_ptr_nonnull(files_line(0, "/" BAD));
	}
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_null(result);
	ck_assert_uint_eq(count_devices(NULL), 3);
}
END_TEST

/* Run @run in a child.  Returns its exit status. */
static int in_child(int (*run)(void))
{
	int how = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(run());
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert_msg(WIFEXITED(how), "killed by signal %d", WTERMSIG(how));
	return WEXITSTATUS(how);
}

static int child_enumerates(void)
{
	size_t n = 0;

	return dpr_device_enumerate(NULL, NULL, 0, &n) || n != 2;
}

static int child_is_refused(void)
{
	dpr_device *device;
	size_t n = 0;
	char *text;

	return dpr_device_enumerate(NULL, NULL, 0, &n) != DPR_ERROR_FORKED ||
	       dpr_device_select("bad", &device) != DPR_ERROR_FORKED ||
	       dpr_device_explain(NULL, &text) != DPR_ERROR_FORKED ||
	       !strstr(dpr_last_error(), "fork");
}

START_TEST(fork_before_first_use)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(in_child(child_enumerates), 0);
	ck_assert_int_eq(child_enumerates(), 0);
}
END_TEST

/* Loading plugin files without starting a driver does not count as opening. */
START_TEST(fork_after_loading)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(files_line(0, "/" BAD)->stage, DPR_PLUGIN_LOADED);
	ck_assert_int_eq(in_child(child_enumerates), 0);
	ck_assert_int_eq(child_enumerates(), 0);
}
END_TEST

START_TEST(fork_after_opening)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(child_enumerates(), 0);
	ck_assert_int_eq(in_child(child_is_refused), 0);
	ck_assert_int_eq(child_enumerates(), 0);
}
END_TEST

/* The child inherits memory that only the other thread knew.  Ending as another
   program keeps leak checkers from counting it. */
static int child_is_refused_beside(void)
{
	const char *end = child_is_refused() ? "false" : "true";

	execlp(end, end, (char *)NULL);
	return 99;
}

START_TEST(fork_while_another_thread_opens)
{
	pthread_t thread;

	setenv("DPR_TEST_BAD", "open_slow", 1);
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(pthread_create(&thread, NULL, open_slowly, NULL), 0);
	usleep(50000);
	ck_assert_int_eq(in_child(child_is_refused_beside), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(child_enumerates(), 0);
}
END_TEST

static void *exits(void *unused)
{
	(void)unused;
	exit(child_enumerates() ? 1 : 7);
}

static int child_exits_from_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exits, NULL))
		return 1;
	pause();
	return 2;
}

START_TEST(exit_from_second_thread)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(in_child(child_exits_from_thread), 7);
}
END_TEST

static void at_exit(void)
{
	size_t n;

	/* Registered before dpr's handler, so this runs after it. */
	_exit(dpr_device_enumerate("bad", NULL, 0, &n) == DPR_ERROR_SHUTDOWN
		      ? 9
		      : 1);
}

static int child_calls_after_exit(void)
{
	if (atexit(at_exit) || child_enumerates())
		return 2;
	exit(0);
}

START_TEST(calls_after_exit)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(in_child(child_calls_after_exit), 9);
}
END_TEST

START_TEST(after_finalize)
{
	dpr_device *device;
	uint64_t value;
	size_t n;

	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(dpr_device_select("bad", &device), DPR_OK);
	ck_assert_int_eq(dpr_finalize(), DPR_OK);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_SHUTDOWN);
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &value),
		DPR_ERROR_SHUTDOWN);
	ck_assert_int_eq(dpr_device_has(device, "fp64"), 0);
	ck_assert_str_eq(dpr_device_name(device), "bad device 0");
	ck_assert_int_eq(dpr_plugin_add("/x.so"), DPR_ERROR_SHUTDOWN);
	ck_assert_int_eq(dpr_finalize(), DPR_ERROR_SHUTDOWN);
}
END_TEST

START_TEST(finalize_before_use)
{
	size_t n;

	ck_assert_int_eq(dpr_finalize(), DPR_OK);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_SHUTDOWN);
}
END_TEST

/* --- The log ---------------------------------------------------------------
 */

static char seen[65536];

static void sink(void *user, enum dpr_log_level level, const char *message)
{
	(void)user;
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%d %s\n",
		 (int)level, message);
}

START_TEST(log_has_breadcrumbs)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_write("libdpr-text.so", "text", 4, 0755);
	files_search();
	dpr_log_set(DPR_LOG_DEBUG, sink, NULL);
	ck_assert_uint_eq(count_devices(NULL), 2);
	ck_assert_ptr_nonnull(strstr(seen, "4 entering dlopen of /"));
	ck_assert_ptr_nonnull(strstr(seen, "4 entering open of /"));
	ck_assert_ptr_nonnull(strstr(seen, "2 plugin /"));
	ck_assert_ptr_nonnull(strstr(seen, "libdpr-text.so: broken: "));
}
END_TEST

START_TEST(log_file)
{
	char *path = files_path("log"), *value, text[4096];
	FILE *file;
	size_t n;

	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_ge(asprintf(&value, "info:%s", path), 0);
	setenv("DPR_LOG", value, 1);
	ck_assert_uint_eq(count_devices(NULL), 2);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, " info: backend bad: ready, 2"));
	ck_assert_ptr_null(strstr(text, " debug: "));
	free(path);
	free(value);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("process");
	TCase *tcase = tcase_create("process");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, files_setup, files_teardown);
	tcase_add_test(tcase, log_has_breadcrumbs);
	tcase_add_test(tcase, log_file);
	tcase_add_test(tcase, many_threads_load_at_once);
	tcase_add_test(tcase, enumerate_while_another_opens);
	tcase_add_test(tcase, fork_before_first_use);
	tcase_add_test(tcase, fork_after_loading);
	tcase_add_test(tcase, fork_after_opening);
	tcase_add_test(tcase, fork_while_another_thread_opens);
	tcase_add_test(tcase, exit_from_second_thread);
	tcase_add_test(tcase, calls_after_exit);
	tcase_add_test(tcase, after_finalize);
	tcase_add_test(tcase, finalize_before_use);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
