/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader from inside: manifests, trust in files, setuid programs, the order
 * of backends, and allocations that fail on the way to a device.
 */
#include <pwd.h>
#include <sys/auxv.h>
#include <sys/wait.h>

#include "tests/support/loader_files.h"

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/runtime/device/pci.h"
#include "core/runtime/plugin/backends.h"
#include "core/runtime/plugin/candidate.h"
#include "core/runtime/plugin/discover.h"
#include "core/runtime/plugin/options.h"
#include "core/runtime/plugin/plugin.h"

#define NOBODY 65534

static void setup(void)
{
	files_setup();
	env_test_secure(0);
	env_test_again();
	ck_assert_int_eq(env_start(), DPR_OK);
}

/* --- Manifests -------------------------------------------------------------
 */

static const struct {
	const char *text;
	size_t size;             /* 0: the length of text */
	const char *file, *name; /* of the library; NULL: refused */
	const char *words;
} manifests[] = {
	{ "abi=1\nname=x\nlibrary=libx.so\n", 0, "/libx.so", "x", "" },
	{ "abi=1\nname=x\nlibrary=libx.so", 0, "/libx.so", "x", "" },
	{ "abi=1\r\nname=x\r\nlibrary=/opt/v/libx.so\r\n", 0, "/opt/v/libx.so",
	  "x", "" },
	{ "# a comment\n\n abi = 1 \n\tname=my_x\nlibrary = a/libx.so\nurl=y\n",
	  0, "/a/libx.so", "my_x", "" },
	{ "", 0, NULL, NULL, "must have the lines" },
	{ "abi=1\nname=x\n", 0, NULL, NULL, "must have the lines" },
	{ "abi=1\nname=\nlibrary=l\n", 0, NULL, NULL, "must have the lines" },
	{ "abi=2\nname=x\nlibrary=l\n", 0, NULL, NULL, "another version" },
	{ "abi=1\nnonsense\n", 0, NULL, NULL, "no \"=\"" },
	{ "abi=1\nname=x\0\nlibrary=l\n", 24, NULL, NULL, "zero byte" },
};
#define N_MANIFESTS (int)(sizeof(manifests) / sizeof(*manifests))

START_TEST(manifest)
{
	struct candidates found = { 0 };
	size_t size = manifests[_i].size;
	const struct candidate *c;

	files_write("x.dpr", manifests[_i].text,
		    size ? size : strlen(manifests[_i].text), 0644);
	files_write("README", "no manifest", 11, 0644);
	ck_assert_int_eq(discover_manifests(&found, files_folder), DPR_OK);
	ck_assert_uint_eq(found.n, 1);
	c = found.list[0];
	ck_assert_str_eq(c->origin, "manifest");
	if (manifests[_i].file) {
		size_t n = strlen(c->file), m = strlen(manifests[_i].file);

		ck_assert_int_eq(c->stage, DPR_PLUGIN_FOUND);
		ck_assert_uint_ge(n, m);
		ck_assert_str_eq(c->file + n - m, manifests[_i].file);
		ck_assert_str_eq(c->name, manifests[_i].name);
		ck_assert_int_eq(c->file[0], '/');
	} else {
		ck_assert_int_eq(c->stage, DPR_PLUGIN_REFUSED);
		ck_assert_msg(strstr(c->text, manifests[_i].words) != NULL,
			      "%s", c->text);
	}
	candidate_drop_all(&found);
}
END_TEST

START_TEST(odd_manifests)
{
	struct candidates found = { 0 };
	char *huge = calloc(1, 70000), *folder = files_path("d.dpr");

	memset(huge, '#', 70000);
	files_write("a.dpr", huge, 65536, 0644);
	files_write("b.dpr", huge, 65537, 0644);
	files_write("c.dpr", "abi=1\nname=x\nlibrary=x.so\n", 26, 0646);
	ck_assert_int_eq(mkdir(folder, 0755), 0);
	files_write("e.dpr", "abi=1\nname=x\nlibrary=x.so\n", 26, 0644);
	files_write(".f.dpr", "abi=1\nname=x\nlibrary=x.so\n", 26, 0644);
	ck_assert_int_eq(discover_manifests(&found, files_folder), DPR_OK);
	ck_assert_uint_eq(found.n, 5);
	ck_assert_ptr_nonnull(strstr(found.list[0]->text, "must have"));
	ck_assert_ptr_nonnull(strstr(found.list[1]->text, "64 KiB"));
	ck_assert_ptr_nonnull(strstr(found.list[2]->text, "everyone"));
	ck_assert_ptr_nonnull(strstr(found.list[3]->text, "not a file"));
	ck_assert_ptr_null(found.list[4]->text);
	candidate_drop_all(&found);
	ck_assert_int_eq(discover_manifests(&found, "/no/such/place"), DPR_OK);
	ck_assert_uint_eq(found.n, 0);
	candidate_drop_all(&found);
	free(huge);
	free(folder);
}
END_TEST

START_TEST(order_of_files)
{
	static const char *const names[] = { "libdpr-B.so", "libdpr-a.so",
					     "libdpr-a_b.so", "libdpr-ab.so" };
	struct candidates found = { 0 };
	char *path;
	size_t i;

	for (i = 4; i-- > 0;)
		files_write(names[i], "", 0, 0644);
	files_write("libdpr-.so", "", 0, 0644);
	files_write("libdpr-x.so.1", "", 0, 0644);
	ck_assert_int_eq(discover_directory(&found, files_folder, "here"),
			 DPR_OK);
	ck_assert_uint_eq(found.n, 4);
	for (i = 0; i < 4; i++) {
		path = files_path(names[i]);
		ck_assert_str_eq(found.list[i]->file, path);
		free(path);
	}
	ck_assert_str_eq(found.list[2]->name, "a_b");
	candidate_drop_all(&found);
}
END_TEST

/* --- Trust -----------------------------------------------------------------
 */

START_TEST(trust)
{
	const char *advice = NULL;
	struct stat st = { .st_mode = S_IFREG | 0664, .st_uid = 1000 };

	ck_assert_ptr_null(candidate_distrust(&st, 0, &advice));
	ck_assert_ptr_nonnull(
		strstr(candidate_distrust(&st, 1, &advice), "group"));
	st.st_mode = S_IFREG | 0644;
	ck_assert_ptr_nonnull(strstr(candidate_distrust(&st, 1, &advice),
				     "owner is not root"));
	st.st_uid = 0;
	ck_assert_ptr_null(candidate_distrust(&st, 1, &advice));
	st.st_mode = S_IFREG | 0646;
	ck_assert_ptr_nonnull(
		strstr(candidate_distrust(&st, 0, &advice), "everyone"));
	ck_assert_ptr_nonnull(strstr(advice, "chmod o-w"));
}
END_TEST

/* Runs in a setuid copy of this program.  Exits with 0 if nothing came from the
   environment. */
static int probe(void)
{
	dpr_plugin_report *plugins;
	dpr_variable *variables;
	size_t n, i;
	int bad = 0;

	if (!getauxval(AT_SECURE))
		return 77;
	if (dpr_plugins(1, &plugins, &n))
		return 2;
	for (i = 0; i < n; i++)
		bad |= strstr(plugins[i].file, "dpr-test") != NULL;
	dpr_free(plugins);
	if (dpr_variables(&variables, &n))
		return 3;
	for (i = 0; i < n; i++)
		bad |= variables[i].value && !variables[i].ignored;
	dpr_free(variables);
	return bad ? 1 : 0;
}

START_TEST(setuid_program)
{
	char *copy = files_path("probe"), *log = files_path("log"), *value;
	char *command;
	int how = 0;
	pid_t pid;

	if (geteuid()) {
		puts("setuid test skipped: only root can make such a file");
		return;
	}
	ck_assert_int_eq(chmod(files_folder, 0755), 0);
	ck_assert_int_ge(asprintf(&command, "cp /proc/%ld/exe '%s'",
				  (long)getpid(), copy),
			 0);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(chmod(copy, 04755), 0);
	files_copy("bad.so", "libdpr-bad.so", 0755);
	files_search();
	ck_assert_int_ge(asprintf(&value, "trace:%s", log), 0);
	setenv("DPR_LOG", value, 1);
	/* If anything read this variable, it would cause an error. */
	setenv("DPR_BACKEND", "no_such_backend", 1);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(77);
		execl(copy, copy, "probe", (char *)NULL);
		_exit(77);
	}
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert(WIFEXITED(how));
	if (WEXITSTATUS(how) == 77)
		puts("setuid test skipped: setuid does not work here");
	else
		ck_assert_int_eq(WEXITSTATUS(how), 0);
	ck_assert_int_ne(access(log, F_OK), 0);
	free(copy);
	free(log);
	free(value);
	free(command);
}
END_TEST

/* Like the setuid test, but with a hook instead of a real setuid program. */
START_TEST(setuid_by_hook)
{
	struct candidates found = { 0 };

	files_copy("bad.so", "libdpr-bad.so", 0755);
	setenv("DPR_PLUGIN_PATH", files_folder, 1);
	env_test_secure(1);
	env_test_again();
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_int_eq(discover(&found, NULL, 0), DPR_OK);
	ck_assert_ptr_null(strstr(text_get(&found.places), files_folder));
	candidate_drop_all(&found);
}
END_TEST

/* A directory of DPR_PLUGIN_PATH from which nothing comes is in the list, once,
   with the reason. */
START_TEST(directories_without_plugins)
{
	char *none = files_path("none"), *empty = files_path("empty"), *path;
	struct candidates found = { 0 };

	files_copy("bad.so", "libdpr-bad.so", 0755);
	ck_assert_int_eq(mkdir(empty, 0755), 0);
	ck_assert_int_ge(asprintf(&path, "%s:%s:%s:%s", none, empty,
				  files_folder, empty),
			 0);
	setenv("DPR_PLUGIN_PATH", path, 1);
	env_test_again();
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_int_eq(discover(&found, NULL, 0), DPR_OK);
	ck_assert_uint_ge(found.n, 3);
	ck_assert_str_eq(found.list[0]->file, none);
	ck_assert_str_eq(found.list[0]->text, "No such file or directory");
	ck_assert_str_eq(found.list[0]->origin, "DPR_PLUGIN_PATH");
	ck_assert_int_eq(found.list[0]->stage, DPR_PLUGIN_REFUSED);
	ck_assert_str_eq(found.list[1]->file, empty);
	ck_assert_str_eq(found.list[1]->text,
			 "it has no plugin, a file libdpr-NAME.so");
	ck_assert_ptr_nonnull(
		strstr(found.list[1]->advice, "DPR_PLUGIN_PATH"));
	ck_assert_ptr_nonnull(strstr(found.list[2]->file, "libdpr-bad.so"));
	for (size_t i = 3; i < found.n; i++)
		ck_assert_str_ne(found.list[i]->file, empty);
	candidate_drop_all(&found);
	free(none);
	free(empty);
	free(path);
}
END_TEST

/* --- The order of backends -------------------------------------------------
 */

START_TEST(rank)
{
	static const char *const names[] = { "host", "opencl", "zeta", "cuda" };
	struct candidate candidates[4] = { { 0 } }, *list[4];
	struct candidates found = { .list = list, .n = 4 };
	struct backend_choice choice = { 0 };
	static const dprp_plugin descriptors[] = {
		{ .rank = DPRP_RANK_HOST },
		{ .rank = DPRP_RANK_PORTABLE },
		{ .rank = DPRP_RANK_NATIVE },
		{ .rank = DPRP_RANK_NATIVE },
	};
	struct plugin plugins[4] = { { 0 } };
	size_t i;

	for (i = 0; i < 4; i++) {
		list[i] = &candidates[i];
		plugins[i].desc = &descriptors[i];
		plugins[i].name = names[i];
		candidates[i].name = (char *)names[i];
		candidates[i].plugin = &plugins[i];
	}
	backends_rank(&choice, &found);
	/* Ordered by rank, then by name. */
	ck_assert_uint_eq(plugins[3].rank, 0);
	ck_assert_uint_eq(plugins[2].rank, 1);
	ck_assert_uint_eq(plugins[1].rank, 2);
	ck_assert_uint_eq(plugins[0].rank, 3);
	setenv("DPR_BACKEND", "host,zeta,^cuda", 1);
	env_test_again();
	ck_assert_int_eq(env_start(), DPR_OK);
	ck_assert_int_eq(backends_read(&choice), DPR_OK);
	ck_assert_int_eq(backends_check(&choice, &found), DPR_OK);
	backends_rank(&choice, &found);
	ck_assert_uint_lt(plugins[0].rank, plugins[2].rank);
	ck_assert_int_eq(backends_allow(&choice, "host"), 1);
	ck_assert_int_eq(backends_allow(&choice, "opencl"), 0);
	ck_assert_int_eq(backends_allow(&choice, "cuda"), 0);
	backends_drop(&choice);
}
END_TEST

START_TEST(pci_addresses)
{
	uint32_t n[4];

	ck_assert_int_eq(pci_parse("0000:3b:00.0", 12, n), 1);
	ck_assert_uint_eq(n[1], 0x3b);
	ck_assert_int_eq(pci_parse("10000:FF:1f.7", 13, n), 1);
	ck_assert_uint_eq(n[0], 0x10000);
	ck_assert_uint_eq(n[3], 7);
	ck_assert_int_eq(pci_parse("3b:00.1", 7, n), 1);
	ck_assert_uint_eq(n[0], 0);
	ck_assert_uint_eq(n[3], 1);
	ck_assert_int_eq(pci_parse("", 0, n), 0);
	ck_assert_int_eq(pci_parse("3b:00", 5, n), 0);
	ck_assert_int_eq(pci_parse("3b.00.1", 7, n), 0);
	ck_assert_int_eq(pci_parse("0:3b:00.0x", 10, n), 0);
	ck_assert_int_eq(pci_parse("0:0:3b:00.0", 11, n), 0);
	ck_assert_int_eq(pci_parse("123456789:0:0.0", 15, n), 0);
}
END_TEST

/* --- Memory ----------------------------------------------------------------
 */

/* Make all calls that lead to a device. */
static dpr_status whole_way(dpr_device **part)
{
	const char *const aspects[] = { "fp64" };
	dpr_plugin_report *report;
	dpr_variable *variables;
	dpr_device *device;
	dpr_status status;
	char *text;
	size_t n;

	status = dpr_device_enumerate("mock,!cuda", NULL, 0, &n);
	if (!status)
		status = dpr_device_select("gpu:0/counts:1+2.1", part);
	if (!status)
		status = dpr_device_select(NULL, &device);
	if (!status)
		status = dpr_device_select_where(aspects, 1, NULL, 0, &device);
	if (!status)
		status = dpr_device_explain("gpu", &text);
	if (status)
		return status;
	dpr_free(text);
	status = dpr_plugins(1, &report, &n);
	if (status)
		return status;
	dpr_free(report);
	status = dpr_variables(&variables, &n);
	if (!status)
		dpr_free(variables);
	return status;
}

/* Runs in a child process.  Allocation number @n and all later ones fail; then
   there is memory again, and everything must work.  Returns 1 if no allocation
   failed. */
static int fail_from(uint64_t n)
{
	const dpr_plugin_report *line;
	dpr_device *part = NULL;
	dpr_status status;

	mem_fault_after(n);
	status = whole_way(&part);
	mem_fault_clear();
	if (!status)
		return 1;
	if (status != DPR_ERROR_OUT_OF_MEMORY) {
		printf("allocation %llu: %s: %s\n", (unsigned long long)n,
		       dpr_status_name(status), dpr_last_error());
		return 2;
	}
	if (whole_way(&part)) {
		printf("after allocation %llu: %s\n", (unsigned long long)n,
		       dpr_last_error());
		return 3;
	}
	line = files_line(1, "/libdpr-mock.so");
	if (strcmp(dpr_device_selector(part), "mock:gpu:0/counts:1+2.1") ||
	    strcmp(dpr_device_name(part), "mock device 0") || !line ||
	    line->stage != DPR_PLUGIN_READY)
		return 4;
	return 0;
}

/* No failed allocation may leave anything half made. */
START_TEST(every_allocation_fails)
{
	int how = 0, status = 0;
	uint64_t n;
	pid_t pid;

	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_write("libdpr-text.so", "text", 4, 0755);
	files_search();
	setenv("DPR_BACKEND", "mock,^host", 1);
	setenv("DPR_DEVICE", "gpu", 1);
	env_test_again();
	for (n = 0; !status && n < 10000; n++) {
		fflush(NULL);
		pid = fork();
		ck_assert_int_ge(pid, 0);
		if (!pid) {
			status = fail_from(n);
			fflush(NULL);
			_exit(status);
		}
		ck_assert_int_eq(waitpid(pid, &how, 0), pid);
		ck_assert_msg(WIFEXITED(how), "allocation %llu: signal %d",
			      (unsigned long long)n, WTERMSIG(how));
		status = WEXITSTATUS(how);
	}
	ck_assert_int_eq(status, 1);
	ck_assert_uint_gt(n, 100);
}
END_TEST

static void no_names(void (*visit)(void *user, const char *name), void *user)
{
	(void)visit;
	(void)user;
}

/* A plugin asks for an option in any case; its variable is in upper case. */
START_TEST(case_of_options)
{
	static const struct {
		const char *variable;
		dpr_status status;
	} cases[] = {
		{ "DPR_OPTION_ABACUS_WORKER", DPR_OK },
		{ "DPR_OPTION_ABACUS_WORKR", DPR_ERROR_ENVIRONMENT },
		{ "DPR_OPTION_ABACUS_worker", DPR_ERROR_ENVIRONMENT },
		{ "DPR_OPTION_abacus_WORKER", DPR_ERROR_ENVIRONMENT },
	};
	struct options options = { .plugin = NULL };
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv(cases[i].variable, "x", 1);
		env_test_again();
		ck_assert_int_eq(env_start(), DPR_OK);
		options_init(&options, "abacus");
		value = options_get(&options, "worker");
		ck_assert_int_eq(value != NULL, !cases[i].status);
		ck_assert_int_eq(options_check(&options, no_names),
				 cases[i].status);
		if (cases[i].status)
			files_assert_error("it has: WORKER; did you mean "
					   "DPR_OPTION_ABACUS_WORKER?");
		options_fini(&options);
		memset(&options, 0, sizeof(options));
		unsetenv(cases[i].variable);
	}
}
END_TEST

/* The driver's code is added where the plugin's words do not have it. */
START_TEST(codes_are_there_once)
{
	static const struct {
		const char *said;
		int64_t code;
		bool added;
	} cases[] = {
		{ NULL, 0, false },
		{ NULL, -46, true },
		{ "clX: CL_Y (-46)", -46, false },
		{ "zeX: ZE_Y (0x78000011)", 0x78000011, false },
		{ "clX: CL_Y (-461), -4", -46, true },
		{ "cuX: CUDA_Y (1500, what), 50", 500, true },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text text = { 0 };

		plugin_print_native(&text, cases[i].said, cases[i].code);
		ck_assert_msg(!text.size == !cases[i].added, "case %zu: %s", i,
			      text_get(&text));
		text_fini(&text);
	}
}
END_TEST

int main(int argc, char **argv)
{
	SRunner *runner;
	TCase *tcase;
	Suite *suite;
	int failed;

	if (argc == 2 && !strcmp(argv[1], "probe"))
		return probe();
	suite = suite_create("loader inside");
	tcase = tcase_create("loader");
	runner = srunner_create(suite);
	tcase_add_checked_fixture(tcase, setup, files_teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, manifest, 0, N_MANIFESTS);
	tcase_add_test(tcase, odd_manifests);
	tcase_add_test(tcase, order_of_files);
	tcase_add_test(tcase, trust);
	tcase_add_test(tcase, setuid_program);
	tcase_add_test(tcase, setuid_by_hook);
	tcase_add_test(tcase, directories_without_plugins);
	tcase_add_test(tcase, rank);
	tcase_add_test(tcase, codes_are_there_once);
	tcase_add_test(tcase, pci_addresses);
	tcase_add_test(tcase, case_of_options);
	tcase_add_test(tcase, every_allocation_fails);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
