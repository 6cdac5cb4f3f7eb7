/* SPDX-License-Identifier: Apache-2.0 */
/* api_cache.c - programs are kept on disk for the next process.  If anything is
   wrong with the files, programs are built as without them. */
#include "tests/support/cache_files.h"
#include "tests/support/runtime_test.h"

#include <signal.h>
#include <sys/resource.h>

#define MANY 20 /* sources used by one process */

static void numbered(char *text, size_t size, int i)
{
	snprintf(text, size, "/* %d */ kernel void add_one(int *x, ulong n);",
		 i);
}

/* Build @text for the first mock, and check that its kernel works. */
static void use_text(const char *text, const char *options)
{
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_usm *x;

	CHECK_OK(dpr_program_from_source(q1, text, options, &program));
	CHECK_OK(dpr_kernel_create(program, "add_one", &kernel));
	x = new_ints(q1, 4, 41);
	add_one(q1, kernel, x, 4, NULL, NULL);
	ck_assert_int_eq(first_int(q1, x), 42);
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
}

static void use_source(int i)
{
	char text[128];

	numbered(text, sizeof(text), i);
	use_text(text, NULL);
}

/* --- What processes do -----------------------------------------------------
 */

static void store_one(void)
{
	start_mocks();
	use_source(1);
	CHECK_CACHE(0, 1, 1, 0, 1);
}

static void find_one(void)
{
	start_mocks();
	use_source(1);
	/* Once more: it is found again. */
	use_source(1);
	CHECK_CACHE(2, 0, 0, 0, 0);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 2);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
}

static void build_one(void)
{
	start_mocks();
	use_source(1);
	CHECK_CACHE(0, 0, 0, 0, 1);
}

/* The cache is enabled, but cannot be written. */
static void miss_one(void)
{
	start_mocks();
	use_source(1);
	CHECK_CACHE(0, 1, 0, 0, 1);
}

static void damaged_one(void)
{
	start_mocks();
	use_source(1);
	CHECK_CACHE(0, 1, 1, 1, 1);
}

START_TEST(second_process_builds_nothing)
{
	in_process(store_one);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
	in_process(find_one);
	in_process(find_one);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
	ck_assert_int_eq(cache_dir_files("draft"), 0);
}
END_TEST

static void other_keys(void)
{
	start_mocks();
	use_text("kernel void add_one(int *x, ulong n);", NULL);
	use_text("kernel void add_one(int *x, ulong n);", "-DA=1");
	use_text("kernel void add_one(int *x, ulong n);", "-DA=2");
	use_text("kernel void add_one(int *x, ulong n); ", NULL);
	CHECK_CACHE(0, 4, 4, 0, 4);
}

START_TEST(options_and_source_are_in_the_key)
{
	in_process(other_keys);
	ck_assert_int_eq(cache_dir_files(".bin"), 4);
}
END_TEST

/* Build the same source for both devices of mock. */
static void use_two_devices(const char *targets)
{
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_UUID", "00112233445566778899aabbccddee00", 1);
	if (targets)
		setenv("DPR_OPTION_MOCK_TARGETS", targets, 1);
	start_mocks();
	use_source(1);
	CHECK_OK(dpr_canonical_queue("mock:1", &q1));
	use_source(1);
}

static void same_target(void)
{
	use_two_devices("m1,m1");
	CHECK_CACHE(1, 1, 1, 0, 1);
}

static void same_target_again(void)
{
	use_two_devices("m1,m1");
	CHECK_CACHE(2, 0, 0, 0, 0);
}

static void other_target(void)
{
	use_two_devices("m2,m3");
	CHECK_CACHE(0, 2, 2, 0, 2);
}

static void no_target(void)
{
	use_two_devices(NULL);
	CHECK_CACHE(0, 2, 2, 0, 2);
}

START_TEST(equal_devices_build_once)
{
	in_process(same_target);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
	in_process(same_target_again);
	in_process(other_target);
	ck_assert_int_eq(cache_dir_files(".bin"), 3);
	in_process(no_target);
	ck_assert_int_eq(cache_dir_files(".bin"), 5);
}
END_TEST

/* Sources that include files: the key does not cover the contents of these. */
static void includes(void)
{
	start_mocks();
	use_text("#include <a.h>\nkernel void add_one(int *x, ulong n);", NULL);
	use_text("# /* */ include <a.h>\nkernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("#\\\ninclude <a.h>\nkernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("#inc\\\nlude <a.h>\nkernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("#inc\\ \r\nlude <a.h>\n"
		 "kernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("?\?=include <a.h>\nkernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("#i?\?/\nnclude <a.h>\nkernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("%:\finclude <a.h>\nkernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("constant char c = '\"'; # /* */ /**/ include <a.h>\n"
		 "kernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("constant char *s = R\"(\" /* )\"; # /**/ include <a.h>\n"
		 "kernel void add_one(int *x, ulong n);",
		 NULL);
	use_text("kernel void add_one(int *x, ulong n);", "-include a.h");
	use_text("kernel void add_one(int *x, ulong n);", "-imacros a.h");
	CHECK_CACHE(0, 0, 0, 0, 12);
	use_text(
		"/* we include \\\n nothing, what?\?\?/ */ // import 'it\n"
		"/*#include*/ constant char s[] = \"\\\"#/*\"; // \"*/ include\n"
		"kernel void add_one(int *x, ulong n);",
		NULL);
	CHECK_CACHE(0, 1, 1, 0, 13);
}

START_TEST(includes_are_not_kept)
{
	in_process(includes);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
}
END_TEST

static void bare(void)
{
	dpr_queue *queue;

	start_mocks();
	CHECK_OK(dpr_canonical_queue("mock_bare", &queue));
	dpr_kernel_release(mock_kernel(queue, "add_one"));
	CHECK_CACHE(0, 0, 0, 0, 1);
}

START_TEST(backend_without_binaries)
{
	in_process(bare);
	ck_assert_int_eq(cache_dir_files(""), 0);
}
END_TEST

static void refused(void)
{
	start_mocks();
	mock->fail(MOCK_module_create, 1, 1, DPR_RC_BUILD, -42);
	use_source(1);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 2);
	CHECK_CACHE(0, 0, 1, 1, 1);
}

/* Running out of memory does not count as a bad binary. */
static void starved(void)
{
	start_mocks();
	mock->fail(MOCK_module_create, 1, 1, DPR_RC_OOM_HOST, -42);
	use_source(1);
	CHECK_CACHE(0, 0, 1, 0, 1);
}

static void no_binary(void)
{
	start_mocks();
	mock->fail(MOCK_module_binary, 1, 1, DPR_RC_NATIVE, -42);
	use_source(1);
	CHECK_CACHE(0, 1, 0, 0, 1);
}

START_TEST(driver_refuses)
{
	in_process(no_binary);
	in_process(store_one);
	in_process(refused);
	in_process(find_one);
	in_process(starved);
	in_process(find_one);
}
END_TEST

START_TEST(damaged_file)
{
	in_process(store_one);
	cut_files();
	in_process(damaged_one);
	in_process(find_one);
}
END_TEST

/* --- Many processes --------------------------------------------------------
 */

static void use_many(void)
{
	int i;

	start_mocks();
	for (i = 0; i < MANY; i++)
		use_source(i);
}

static void find_many(void)
{
	use_many();
	CHECK_CACHE(MANY, 0, 0, 0, 0);
}

START_TEST(many_at_once)
{
	pid_t child[8];
	int i, status;

	for (i = 0; i < 8; i++) {
		child[i] = fork();
		if (!child[i]) {
			use_many();
			_exit(0);
		}
	}
	for (i = 0; i < 8; i++) {
		ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(cache_dir_files(".bin"), MANY);
	ck_assert_int_eq(cache_dir_files("draft"), 0);
	in_process(find_many);
}
END_TEST

/* Make all drafts an hour old.  Returns their number. */
static int age_drafts(void)
{
	const struct timespec old[2] = { { time(NULL) - 3600, 0 },
					 { time(NULL) - 3600, 0 } };
	DIR *list = opendir(cache_path);
	struct dirent *entry;
	int n = 0;

	while (list && (entry = readdir(list)))
		if (strstr(entry->d_name, "draft")) {
			utimensat(dirfd(list), entry->d_name, old, 0);
			n++;
		}
	if (list)
		closedir(list);
	return n;
}

/* A process that gets killed may have sent half a message to Check, which could
   then understand nothing more.  So send Check's messages to /dev/null. */
static void tell_nobody(void)
{
	const int nobody = open("/dev/null", O_WRONLY);
	int file;

	for (file = 3; file < nobody + 16; file++)
		if (file != nobody && fcntl(file, F_GETFD) >= 0)
			dup2(nobody, file);
}

static void write_for_ever(void)
{
	int i;

	tell_nobody();
	start_mocks();
	for (i = 0;; i++) {
		use_source(i % MANY);
		if (i % MANY == MANY - 1)
			CHECK_OK(dpr_cache_clear(NULL));
	}
}

START_TEST(killed_while_writing)
{
	char draft[400];
	int i, status, file;
	pid_t child;

	for (i = 0; i < 15; i++) {
		child = fork();
		if (!child) {
			write_for_ever();
			_exit(1);
		}
		EVENTUALLY(cache_dir_files(".bin") > 0);
		pause_ns(MS * (uint64_t)(i % 5) + MS / 3 * (uint64_t)i);
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status));
		in_process(use_many);
		in_process(find_many);
	}
	/* A draft that is certainly left over. */
	snprintf(draft, sizeof(draft), "%s/draft-1-0-0", cache_path);
	file = open(draft, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(file, 0);
	close(file);
	ck_assert_int_gt(age_drafts(), 0);
	/* The next process that writes to the cache removes old drafts. */
	in_process(other_keys);
	ck_assert_int_eq(cache_dir_files("draft"), 0);
}
END_TEST

/* --- What is wrong with the folder ------------------------------------------
 */

/* Root may write anywhere, so become another user first. */
static void read_only(void)
{
	const uid_t nobody = 65534;

	start_mocks();
	if (!geteuid()) {
		ck_assert_int_eq(chown(cache_path, nobody, nobody), 0);
		ck_assert_int_eq(seteuid(nobody), 0);
	}
	use_source(2);
	CHECK_CACHE(0, 1, 0, 0, 1);
}

START_TEST(read_only_directory)
{
	in_process(store_one);
	ck_assert_int_eq(chmod(cache_path, 0500), 0);
	in_process(read_only);
}
END_TEST

/* Limit the size of files, as if the disk were full. */
static void full(void)
{
	const struct rlimit limit = { 100, 100 };

	start_mocks();
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	use_source(1);
	CHECK_CACHE(0, 1, 0, 0, 1);
}

START_TEST(full_disk)
{
	in_process(full);
	ck_assert_int_eq(cache_dir_files("draft"), 0);
	ck_assert_int_eq(cache_dir_files(".bin"), 0);
	in_process(store_one);
}
END_TEST

START_TEST(unsafe_directory)
{
	char target[300];

	in_process(store_one);
	ck_assert_int_eq(chmod(cache_path, 0770), 0);
	in_process(miss_one);
	ck_assert_int_eq(chmod(cache_path, 0700), 0);
	in_process(find_one);
	/* The folder is a link, even though to a safe one. */
	snprintf(target, sizeof(target), "%s/a/c", cache_base);
	ck_assert_int_eq(rename(cache_path, target), 0);
	ck_assert_int_eq(symlink("c", cache_path), 0);
	in_process(miss_one);
	/* A file is in place of the folder. */
	ck_assert_int_eq(unlink(cache_path), 0);
	ck_assert_int_eq(rename("/dev/null", cache_path), -1);
	close(open(cache_path, O_CREAT | O_WRONLY, 0600));
	in_process(miss_one);
}
END_TEST

/* Returns 1, with a message, if not root: only root can give a folder to
   another user. */
static int cannot_give(const char *what)
{
	if (!geteuid())
		return 0;
	printf("%s: left out, for it takes root to give a folder to another "
	       "user\n",
	       what);
	fflush(stdout);
	return 1;
}

START_TEST(foreign_directory)
{
	if (cannot_give("foreign_directory"))
		return;
	in_process(store_one);
	ck_assert_int_eq(chown(cache_path, 65534, 65534), 0);
	in_process(miss_one);
}
END_TEST

START_TEST(nowhere)
{
	unsetenv("DPR_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	setenv("DPR_CACHE_DIR", "", 1);
	in_process(build_one);
	setenv("HOME", "relative", 1);
	in_process(build_one);
	setenv("DPR_CACHE_DIR", "off", 1);
	in_process(build_one);
	setenv("DPR_CACHE_DIR", cache_path, 1);
	setenv("DPR_CACHE_LIMIT", "0", 1);
	in_process(build_one);
	ck_assert_int_eq(cache_dir_files(".bin"), 0);
}
END_TEST

/* A missing home is not created, and one of another user is left alone. */
START_TEST(homes_of_nobody)
{
	setenv("DPR_CACHE_DIR", "", 1);
	unsetenv("XDG_CACHE_HOME");
	snprintf(cache_path, sizeof(cache_path), "%s/home", cache_base);
	setenv("HOME", cache_path, 1);
	in_process(miss_one);
	ck_assert_int_ne(access(cache_path, F_OK), 0);
	if (cannot_give("homes_of_nobody, another user's home"))
		return;
	ck_assert_int_eq(mkdir(cache_path, 0755), 0);
	ck_assert_int_eq(chown(cache_path, 65534, 65534), 0);
	in_process(build_one);
	ck_assert_int_eq(cache_dir_files(".cache"), 0);
}
END_TEST

START_TEST(homes)
{
	char path[300];

	setenv("DPR_CACHE_DIR", "", 1);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", cache_base, 1);
	in_process(store_one);
	snprintf(cache_path, sizeof(cache_path), "%s/.cache/dpr", cache_base);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
	snprintf(path, sizeof(path), "%s/xdg", cache_base);
	setenv("XDG_CACHE_HOME", path, 1);
	in_process(store_one);
	snprintf(cache_path, sizeof(cache_path), "%s/xdg/dpr", cache_base);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
	in_process(find_one);
}
END_TEST

static void bad_variable(void)
{
	dpr_cache_report *report;
	dpr_queue *queue;

	CHECK_FAILS(DPR_ERROR_ENVIRONMENT, dpr_cache_stats(&report));
	ck_assert_ptr_null(report);
	CHECK_FAILS(DPR_ERROR_ENVIRONMENT, dpr_cache_clear(NULL));
	CHECK_FAILS(DPR_ERROR_ENVIRONMENT, dpr_canonical_queue("mock", &queue));
	CHECK_TEXT("accepted");
}

START_TEST(bad_variables)
{
	static const char *const limits[] = { "-1",   "x",
					      "1Q",   "1MBs",
					      "1.5G", "99999999999999999999",
					      "50%",  "99999999999G" };
	size_t i;

	setenv("DPR_CACHE_DIR", "relative/path", 1);
	in_process(bad_variable);
	setenv("DPR_CACHE_DIR", "0", 1);
	in_process(bad_variable);
	setenv("DPR_CACHE_DIR", cache_path, 1);
	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		setenv("DPR_CACHE_LIMIT", limits[i], 1);
		in_process(bad_variable);
	}
}
END_TEST

/* --- Limit, report, clearing -----------------------------------------------
 */

static void check_limit(void)
{
	dpr_cache_report *report;

	use_many();
	CHECK_OK(dpr_cache_stats(&report));
	ck_assert_uint_eq(report->limit, 40960);
	ck_assert_uint_le(report->bytes, 40960);
	ck_assert_uint_ge(report->files, 7);
	ck_assert_uint_eq(report->stores, MANY);
	dpr_free(report);
	/* The last two programs are still there. */
	use_source(MANY - 1);
	use_source(MANY - 2);
	CHECK_CACHE(2, MANY, MANY, 0, MANY);
}

START_TEST(limit)
{
	setenv("DPR_CACHE_LIMIT", "40K", 1);
	in_process(check_limit);
	ck_assert_int_le(cache_dir_files(".bin"), 10);
}
END_TEST

static void report_empty(void)
{
	dpr_cache_report *report;
	uint64_t removed = 7;

	CHECK_OK(dpr_cache_stats(&report));
	ck_assert_str_eq(report->directory, cache_path);
	ck_assert_str_eq(report->problem, "");
	ck_assert_uint_eq(report->files, 0);
	ck_assert_uint_eq(report->limit, 256 << 20);
	dpr_free(report);
	CHECK_OK(dpr_cache_clear(&removed));
	ck_assert_uint_eq(removed, 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_cache_stats(NULL));
}

static void report_and_clear(void)
{
	dpr_cache_report *report;
	uint64_t removed;
	char other[400];

	snprintf(other, sizeof(other), "%s/other.bin", cache_path);
	close(open(other, O_CREAT | O_WRONLY, 0600));
	CHECK_OK(dpr_cache_stats(&report));
	ck_assert_uint_eq(report->files, MANY);
	ck_assert_uint_ge(report->bytes, MANY * 300);
	dpr_free(report);
	CHECK_OK(dpr_cache_clear(&removed));
	ck_assert_uint_eq(removed, MANY);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
}

START_TEST(report_is_right)
{
	in_process(report_empty);
	in_process(use_many);
	in_process(report_and_clear);
}
END_TEST

static void report_problem(void)
{
	dpr_cache_report *report;

	CHECK_OK(dpr_cache_stats(&report));
	ck_assert_ptr_nonnull(strstr(report->problem, "chmod 700"));
	dpr_free(report);
}

START_TEST(problem_is_told)
{
	in_process(store_one);
	ck_assert_int_eq(chmod(cache_path, 0755), 0);
	in_process(report_problem);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache");
	TCase *t = tcase_create("cache");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, cache_dir_setup, cache_dir_teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, second_process_builds_nothing);
	tcase_add_test(t, options_and_source_are_in_the_key);
	tcase_add_test(t, equal_devices_build_once);
	tcase_add_test(t, includes_are_not_kept);
	tcase_add_test(t, backend_without_binaries);
	tcase_add_test(t, driver_refuses);
	tcase_add_test(t, damaged_file);
	tcase_add_test(t, many_at_once);
	tcase_add_test(t, killed_while_writing);
	tcase_add_test(t, read_only_directory);
	tcase_add_test(t, full_disk);
	tcase_add_test(t, unsafe_directory);
	tcase_add_test(t, foreign_directory);
	tcase_add_test(t, nowhere);
	tcase_add_test(t, homes);
	tcase_add_test(t, homes_of_nobody);
	tcase_add_test(t, bad_variables);
	tcase_add_test(t, limit);
	tcase_add_test(t, report_is_right);
	tcase_add_test(t, problem_is_told);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
