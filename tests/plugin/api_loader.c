/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding, loading and opening good and hostile plugins, as a program sees it.
 * Each test runs in a process of its own, since a process loads plugins only
 * once.
 */
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

/* --- Files -----------------------------------------------------------------
 */

START_TEST(good_plugin)
{
	const dpr_plugin_report *line;

	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	line = files_line(0, BAD);
	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(line->stage, DPR_PLUGIN_LOADED);
	ck_assert_uint_eq(count_devices(NULL), 2);
	line = files_line(0, BAD);
	ck_assert_int_eq(line->stage, DPR_PLUGIN_READY);
	ck_assert_uint_eq(line->devices, 2);
	ck_assert_str_eq(line->name, "bad");
	ck_assert_str_eq(line->version, "0.9");
	ck_assert_str_eq(line->origin, "DPR_PLUGIN_PATH");
	ck_assert_str_eq(line->text, "");
	ck_assert_uint_gt(line->nanoseconds, 0);
}
END_TEST

/* If a backend leaves out a part of itself, the report says so, although the
   rest works. */
START_TEST(backend_that_leaves_things_out)
{
	const dpr_plugin_report *line;

	setenv("DPR_TEST_BAD", "open_warns", 1);
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_uint_eq(count_devices(NULL), 2);
	line = files_line(0, BAD);
	ck_assert_int_eq(line->stage, DPR_PLUGIN_READY);
	ck_assert_str_eq(line->text, "half of it is left out: too old; "
				     "a third is left out: no device");
	/* A search for something that is missing reports this, too. */
	ck_assert_int_eq(
		dpr_device_enumerate("bad:gpu+fp64", NULL, 0, &(size_t){ 0 }),
		DPR_OK);
	ck_assert_int_eq(
		dpr_device_select("bad:gpu+fp64", &(dpr_device *){ NULL }),
		DPR_ERROR_NOT_FOUND);
	files_assert_error("bad: ready: half of it is left out: too old");
}
END_TEST

START_TEST(files_that_are_no_plugins)
{
	char *path = files_path("libdpr-folder.so");
	char *fifo = files_path("libdpr-fifo.so");
	static const char text[1000] = "this is no ELF file";

	files_write("libdpr-empty.so", "", 0, 0755);
	files_write("libdpr-text.so", text, sizeof(text), 0755);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	files_copy("bad_plain.so", "libdpr-plain.so", 0755);
	files_copy(BAD_FILE, "libdpr-open.so", 0757);
	files_copy(BAD_FILE, "libother-bad.so", 0755);
	files_copy(BAD_FILE, "libdpr-bad.so.1", 0755);
	files_search();
	files_assert(1, "/libdpr-empty.so", DPR_PLUGIN_BROKEN, "too short");
	files_assert(1, "/libdpr-text.so", DPR_PLUGIN_BROKEN, "ELF");
	files_assert(1, "/libdpr-folder.so", DPR_PLUGIN_REFUSED, "a directory");
	files_assert(1, "/libdpr-fifo.so", DPR_PLUGIN_REFUSED,
		     "not a regular file");
	files_assert(1, "/libdpr-plain.so", DPR_PLUGIN_REJECTED,
		     "no symbol dpr_plugin_abi1");
	files_assert(1, "/libdpr-open.so", DPR_PLUGIN_REFUSED,
		     "everyone may write");
	ck_assert_ptr_nonnull(strstr(files_line(1, "/libdpr-open.so")->advice,
				     "chmod o-w /"));
	ck_assert_ptr_null(files_line(1, "/libother-bad.so"));
	ck_assert_ptr_null(files_line(1, "/libdpr-bad.so.1"));
	/* None of these files is an error. */
	ck_assert_uint_eq(count_devices(NULL), 0);
	free(path);
	free(fifo);
}
END_TEST

START_TEST(missing_file)
{
	char *path = files_path("libdpr-none.so");
	size_t n;

	setenv("DPR_PLUGINS", path, 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_PLUGIN);
	files_assert_error("libdpr-none.so");
	files_assert_error("No such file");
	/* The error stays, and is in the report. */
	ck_assert_int_eq(dpr_device_enumerate("cpu", NULL, 0, &n),
			 DPR_ERROR_PLUGIN);
	files_assert(1, "/libdpr-none.so", DPR_PLUGIN_REFUSED, "No such file");
	free(path);
}
END_TEST

START_TEST(folder_that_everyone_may_write)
{
	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_eq(chmod(files_folder, 0707), 0);
	files_search();
	ck_assert_uint_eq(count_devices(NULL), 0);
	files_assert(1, files_folder, DPR_PLUGIN_REFUSED, "everyone may write");
	ck_assert_ptr_null(files_line(1, BAD));
}
END_TEST

/* A file that the program names is refused, too, if it is in such a folder,
   even behind a link. */
START_TEST(file_in_such_a_folder)
{
	char *path = files_path(BAD), *folder = files_path("safe"),
	     *link = files_path("safe/" BAD);

	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_eq(mkdir(folder, 0755), 0);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(chmod(files_folder, 0707), 0);
	setenv("DPR_PLUGIN_PATH", folder, 1);
	ck_assert_uint_eq(count_devices(NULL), 0);
	files_assert(1, "safe/" BAD, DPR_PLUGIN_REFUSED, "its directory");
	free(path);
	free(folder);
	free(link);
}
END_TEST

START_TEST(entry_of_a_dependency)
{
	files_search();
	files_copy("bad_dependent.so", "libdpr-bad_dependent.so", 0755);
	files_copy(BAD_FILE, BAD_FILE, 0755);
	files_assert(1, "/libdpr-bad_dependent.so", DPR_PLUGIN_REJECTED,
		     "another library");
	ck_assert_uint_eq(count_devices(NULL), 0);
}
END_TEST

START_TEST(replaced_while_loading)
{
	char *path = files_path(BAD), *other = files_path("other.so");

	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "other.so", 0755);
	setenv("DPR_TEST_BAD", "load_replace", 1);
	setenv("DPR_TEST_BAD_FILE", path, 1);
	setenv("DPR_TEST_BAD_FROM", other, 1);
	files_search();
	files_assert(1, "/" BAD, DPR_PLUGIN_REFUSED, "replaced");
	ck_assert_uint_eq(count_devices(NULL), 0);
	free(path);
	free(other);
}
END_TEST

START_TEST(nothing_from_the_current_directory)
{
	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_eq(chdir(files_folder), 0);
	ck_assert_uint_eq(count_devices(NULL), 0);
	ck_assert_ptr_null(files_line(1, BAD));
}
END_TEST

START_TEST(known_without_a_file)
{
	size_t n;

	/* A selector may name a backend that dpr includes, even if its file is
	   missing. Any other unknown name is an error. */
	files_search();
	ck_assert_uint_eq(count_devices("cuda:gpu,level_zero"), 0);
	ck_assert_int_eq(dpr_device_enumerate("bad", NULL, 0, &n),
			 DPR_ERROR_SELECTOR);
}
END_TEST

START_TEST(same_file_twice)
{
	char *link = files_path("libdpr-zlink.so"), *path = files_path(BAD);

	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_eq(symlink(path, link), 0);
	files_search();
	files_assert(1, "/libdpr-zlink.so", DPR_PLUGIN_SHADOWED, "same file");
	ck_assert_uint_eq(count_devices(NULL), 2);
	free(link);
	free(path);
}
END_TEST

START_TEST(first_of_a_name_counts)
{
	char *first = files_path("first"), *path = files_path("first/" BAD),
	     *both;

	ck_assert_int_eq(mkdir(first, 0755), 0);
	files_copy(BAD_FILE, "first/" BAD, 0755);
	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_ge(asprintf(&both, "%s:%s", first, files_folder), 0);
	setenv("DPR_PLUGIN_PATH", both, 1);
	ck_assert_uint_eq(count_devices(NULL), 2);
	ck_assert_int_eq(files_line(1, "first/" BAD)->stage, DPR_PLUGIN_READY);
	free(path);
	ck_assert_int_ge(asprintf(&path, "%s/%s", files_folder, BAD), 0);
	files_assert(1, path, DPR_PLUGIN_SHADOWED, "first/" BAD);
	free(first);
	free(path);
	free(both);
}
END_TEST

/* A folder searched under two names gives each file only once.  This is common:
   the folder beside the library is often also the one of the installation. */
START_TEST(same_folder_twice)
{
	char *link = files_path("link"), *both;
	dpr_plugin_report *list;
	size_t n;

	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_eq(symlink(files_folder, link), 0);
	ck_assert_int_ge(asprintf(&both, "%s:%s/:%s", link, files_folder, link),
			 0);
	setenv("DPR_PLUGIN_PATH", both, 1);
	ck_assert_uint_eq(count_devices(NULL), 2);
	ck_assert_int_eq(files_line(1, "link/" BAD)->stage, DPR_PLUGIN_READY);
	ck_assert_int_eq(dpr_plugins(1, &list, &n), DPR_OK);
	while (n-- > 0)
		ck_assert_int_ne(list[n].stage, DPR_PLUGIN_SHADOWED);
	dpr_free(list);
	free(link);
	free(both);
}
END_TEST

/* A broken file does not hide a good file of the same name in a later
   folder. */
START_TEST(broken_shadows_nothing)
{
	char *first = files_path("first"), *both;

	ck_assert_int_eq(mkdir(first, 0755), 0);
	files_write("first/" BAD, "junk", 4, 0755);
	files_copy(BAD_FILE, BAD, 0755);
	ck_assert_int_ge(asprintf(&both, "%s:%s", first, files_folder), 0);
	setenv("DPR_PLUGIN_PATH", both, 1);
	ck_assert_uint_eq(count_devices(NULL), 2);
	files_assert(1, "first/" BAD, DPR_PLUGIN_BROKEN, "");
	free(first);
	free(both);
}
END_TEST

START_TEST(name_and_file_disagree)
{
	files_copy(BAD_FILE, "libdpr-opencl.so", 0755);
	files_search();
	files_assert(0, "/libdpr-opencl.so", DPR_PLUGIN_REJECTED,
		     "calls itself \"bad\"");
}
END_TEST

/* --- Descriptors -----------------------------------------------------------
 */

static const struct {
	const char *what, *words;
} spoilt[] = {
	{ "null", "returned NULL" },
	{ "wild", "descriptor lies outside" },
	{ "heap", "descriptor lies outside" },
	{ "text", "magic" },
	{ "magic", "magic" },
	{ "major", "version 2" },
	{ "minor", "needs version 1.9" },
	{ "flags", "flags 0x4, which this dpr does not know" },
	{ "size_small", "struct_size of 64" },
	{ "size_huge", "struct_size" },
	{ "name_null", "\"name\" of its descriptor lies outside" },
	{ "name_wild", "\"name\" of its descriptor lies outside" },
	{ "name_heap", "\"name\" of its descriptor lies outside" },
	{ "name_form", "\"Bad-Name\" is not allowed" },
	{ "name_short", "\"b\" is not allowed" },
	{ "version_long", "\"version\" of its descriptor is not terminated" },
	{ "open_missing", "required entries are missing: open" },
	{ "native_heap", "native_get points outside" },
	{ "table_null", "the required table \"queue\" is missing" },
	{ "table_wild", "the table \"mem\" lies outside" },
	{ "table_odd", "the table \"mem\" lies outside" },
	{ "table_heap", "the table \"event\" lies outside" },
	{ "table_short", "the table \"device\" has a struct_size of 24" },
	{ "table_huge", "the table \"device\" has a struct_size of 1048576" },
	{ "table_beyond", "the table \"device\" reaches beyond" },
	{ "entries_missing",
	  "required entries are missing: queue.finish, queue.copy" },
	{ "entry_data", "mem.alloc points outside the plugin's code" },
	{ "entry_foreign", "mem.free points outside the plugin's code" },
	{ "module_no_launch", "queue.launch" },
	{ "rank_none", "has the rank 0, but this dpr knows only 1 to 3" },
	{ "rank_new", "has the rank 9" },
	{ "advice_wild",
	  "\"advice_no_driver\" of its descriptor lies outside" },
	{ "advice_long",
	  "\"advice_no_device\" of its descriptor is not terminated" },
};
#define N_SPOILT (int)(sizeof(spoilt) / sizeof(*spoilt))

START_TEST(spoilt_descriptor)
{
	setenv("DPR_TEST_BAD", spoilt[_i].what, 1);
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	files_assert(1, "/" BAD, DPR_PLUGIN_REJECTED, spoilt[_i].words);
	ck_assert_uint_eq(count_devices(NULL), 0);
}
END_TEST

/* --- Opening ---------------------------------------------------------------
 */

static const struct {
	const char *what, *words;
	enum dpr_plugin_stage stage;
} openings[] = {
	{ "open_no_driver",
	  "no driver here; libdpr_no_such_driver.so.7: cannot",
	  DPR_PLUGIN_ABSENT },
	{ "open_names", "libc.so: a name without a version",
	  DPR_PLUGIN_ABSENT },
	{ "open_names", "./libc.so.6: a relative path", DPR_PLUGIN_ABSENT },
	{ "open_no_device", "no device here", DPR_PLUGIN_ABSENT },
	{ "count_zero", "no device", DPR_PLUGIN_ABSENT },
	{ "open_native", "badInit: BAD_MOOD (driver code -77)",
	  DPR_PLUGIN_FAILED },
	{ "open_silent", "the driver refused", DPR_PLUGIN_FAILED },
	{ "open_code", "a code that does not exist", DPR_PLUGIN_FAILED },
	{ "open_null", "open answered DPR_RC_OK but gave no handle",
	  DPR_PLUGIN_FAILED },
	{ "open_reenter", "called dpr while dpr was opening it",
	  DPR_PLUGIN_FAILED },
	{ "count_fails", "cannot count (driver code 5)", DPR_PLUGIN_FAILED },
	{ "count_many", "1000000 devices", DPR_PLUGIN_FAILED },
	{ "get_fails", "lost it (driver code 6)", DPR_PLUGIN_FAILED },
	{ "get_null", "device->get answered DPR_RC_OK but gave no handle",
	  DPR_PLUGIN_FAILED },
};
#define N_OPENINGS (int)(sizeof(openings) / sizeof(*openings))

/* None of these failures is an error, and other backends work. */
START_TEST(opening)
{
	dpr_device *device;

	setenv("DPR_TEST_BAD", openings[_i].what, 1);
	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	ck_assert_uint_eq(count_devices(NULL), 1);
	files_assert(1, "/" BAD, openings[_i].stage, openings[_i].words);
	ck_assert_int_eq(dpr_device_select("bad", &device),
			 DPR_ERROR_NOT_FOUND);
	ck_assert_ptr_null(device);
	files_assert_error("mock:gpu:0");
	files_assert_error("\n  bad: ");
	files_assert_error(openings[_i].words);
}
END_TEST

START_TEST(opened_only_when_wanted)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	ck_assert_uint_eq(count_devices("mock"), 1);
	ck_assert_int_eq(files_line(0, "/" BAD)->stage, DPR_PLUGIN_LOADED);
	ck_assert_uint_eq(count_devices("!bad"), 1);
	ck_assert_int_eq(files_line(0, "/" BAD)->stage, DPR_PLUGIN_LOADED);
	ck_assert_uint_eq(count_devices("gpu:0"), 1);
	ck_assert_int_eq(files_line(0, "/" BAD)->stage, DPR_PLUGIN_READY);
}
END_TEST

/* --- Variables and dpr_plugin_add ------------------------------------------
 */

START_TEST(backend_order)
{
	dpr_device *devices[3];
	size_t n;

	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	setenv("DPR_OPTION_MOCK_TYPE", "accelerator", 1);
	setenv("DPR_BACKEND", _i ? " Mock,bad" : "bad , MOCK", 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, devices, 3, &n), DPR_OK);
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(dpr_device_backend(devices[0]), _i ? "mock" : "bad");
	ck_assert_str_eq(dpr_device_backend(devices[2]), _i ? "bad" : "mock");
}
END_TEST

static const struct {
	const char *name, *value, *words;
} wrong[] = {
	{ "DPR_BACKEND", "mok", "did you mean \"mock\"?" },
	{ "DPR_BACKEND", "mok", "found: bad, mock" },
	{ "DPR_BACKEND", "mok", "searched: /" },
	{ "DPR_BACKEND", "mock,,bad", "\"\" is not the name" },
	{ "DPR_BACKEND", "mock,", "\"\" is not the name" },
	{ "DPR_BACKEND", "-1", "\"-1\" is not the name" },
	{ "DPR_BACKEND", "mock:gpu", "accepted: names of backends" },
	{ "DPR_BACKEND", "^", "\"\" is not the name" },
	{ "DPR_DEVICE", "gpuu",
	  "column 1: unknown word \"gpuu\"; did you mean "
	  "\"gpu\"?" },
	{ "DPR_DEVICE", "gpu:-1",
	  "column 5: expected a backend, a type or an "
	  "index" },
	{ "DPR_DEVICE", "-1", "column 2: unknown aspect \"1\"" },
	{ "DPR_DEVICE", " ",
	  "column 2: expected a backend, a type or an index, found the end" },
	{ "DPR_DEVICE", "\t", "column 2: expected a backend" },
	{ "DPR_DEVICE", "gpu,", "column 5: expected a backend" },
	{ "DPR_LAYERS", "sync,", "accepted: sync, trace" },
	{ "DPR_LAYERS", ",sync", "accepted: sync, trace" },
	{ "DPR_LAYERS", "sync,,sync", "accepted: sync, trace" },
	{ "DPR_LAYERS", " ", "accepted: sync, trace" },
	{ "DPR_BACKEND", " ", "\"\" is not the name" },
	{ "DPR_LOG", " ", "the level is unknown" },
	{ "DPR_POOL_LIMIT", " ", "a percentage of the device's memory" },
	{ "DPR_CACHE_DIR", " ", "an absolute directory" },
	{ "DPR_CACHE_LIMIT", " ", "a number of bytes" },
	{ "DPR_PLUGIN_PATH", " ", "\" \" is not absolute" },
	{ "DPR_PLUGINS", " ", "\" \" is not absolute" },
	{ "DPR_LOG", "loud", "accepted: error, warn, info, debug or trace" },
	{ "DPR_LOG", "debug:file", "not absolute" },
	{ "DPR_LOG", "debug:/nowhere/at/all", "cannot be written" },
	{ "DPR_LOG", "debug:", "not absolute" },
	{ "DPR_LOG", "-1", "the level is unknown" },
	{ "DPR_LOG", "debug:/", "cannot be written" },
	{ "DPR_PLUGIN_PATH", "plugins", "\"plugins\" is not absolute" },
	{ "DPR_PLUGINS", "libdpr-bad.so", "\"libdpr-bad.so\" is not absolute" },
};
#define N_WRONG (int)(sizeof(wrong) / sizeof(*wrong))

START_TEST(wrong_value)
{
	dpr_variable *list;
	dpr_device *device;
	char form[300];
	size_t n, i;

	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	setenv(wrong[_i].name, wrong[_i].value, 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_ENVIRONMENT);
	snprintf(form, sizeof(form), "%s=\"%s\": ", wrong[_i].name,
		 wrong[_i].value);
	files_assert_error(form);
	files_assert_error(wrong[_i].words);
	/* The error stays, even after the variable has been corrected. */
	unsetenv(wrong[_i].name);
	ck_assert_int_eq(dpr_device_select("gpu", &device),
			 DPR_ERROR_ENVIRONMENT);
	files_assert_error(wrong[_i].words);
	/* dpr doctor gets it with the variable. */
	ck_assert_int_eq(dpr_variables(&list, &n), DPR_OK);
	for (i = 0; strcmp(list[i].name, wrong[_i].name); i++)
		ck_assert_uint_lt(i, n);
	ck_assert_str_eq(list[i].value, wrong[_i].value);
	ck_assert_msg(strstr(list[i].effect, wrong[_i].words) != NULL, "%s",
		      list[i].effect);
	dpr_free(list);
}
END_TEST

/* Opening a pipe for the log does not wait, and fails if nothing reads the
   pipe. */
START_TEST(log_into_a_pipe)
{
	char *pipe = files_path("pipe"), *value, text[64];
	int reader = -1;
	size_t n;

	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	ck_assert_int_eq(mkfifo(pipe, 0600), 0);
	ck_assert_int_ge(asprintf(&value, "debug:%s", pipe), 0);
	setenv("DPR_LOG", value, 1);
	if (_i)
		reader = open(pipe, O_RDONLY | O_NONBLOCK);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 _i ? DPR_OK : DPR_ERROR_ENVIRONMENT);
	if (_i)
		ck_assert_int_gt(read(reader, text, sizeof(text)), 0);
	else
		files_assert_error("a pipe without a reader");
	free(value);
	free(pipe);
}
END_TEST

/* Errors that a backend reports about its options when it is opened. */
static const struct {
	const char *name, *value, *words;
	int known;
} options[] = {
	{ "DPR_OPTION_OPENCL_MEMORY", "bufer", "svm-coarse or buffer", 1 },
	{ "DPR_OPTION_OPENCL_BINARIES", "1", "never, first or second", 1 },
	{ "DPR_OPTION_OPENCL_NATIVE", "2", "yes or no", 1 },
	{ "DPR_OPTION_HOST_THREADS", "no", "a number from 1 to", 1 },
	{ "DPR_OPTION_HOST_NOSUCH", "1",
	  "no such option; it has: BLAS, LAPACK, SYSTEM_ROOT, THREADS", 0 },
	{ "DPR_OPTION_HOST_THREAD", "1",
	  "did you mean DPR_OPTION_HOST_THREADS?", 0 },
	{ "DPR_OPTION_HOST_threads", "1",
	  "did you mean DPR_OPTION_HOST_THREADS?", 0 },
	{ "DPR_OPTION_MOCK_DEVICE", "2",
	  "did you mean DPR_OPTION_MOCK_DEVICES?", 0 },
};
#define N_OPTIONS (int)(sizeof(options) / sizeof(*options))

/* Search only the folder of this build's backends.  Returns 0 if it was built
   without @name. */
static int use_bundled(const char *name)
{
	const char *top = getenv("top_builddir");
	char *folder, *file;
	int there;

	ck_assert_int_ge(
		asprintf(&folder, "%s/backends/.libs", top ? top : "."), 0);
	ck_assert_int_ge(asprintf(&file, "%s/libdpr-%s.so", folder, name), 0);
	there = !access(file, R_OK);
	if (there)
		setenv("DPR_PLUGIN_PATH", folder, 1);
	free(file);
	free(folder);
	return there;
}

START_TEST(wrong_option)
{
	char *backend = strdup(options[_i].name + strlen("DPR_OPTION_")), *c;
	dpr_plugin_report *plugins;
	dpr_variable *list;
	dpr_device *device;
	size_t n, i, untried = 0;

	for (c = backend; *c && *c != '_'; c++)
		*c = (char)(*c | 0x20);
	*c = '\0';
	if (!strcmp(backend, "mock")) {
		files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
		files_copy("libdpr-mock_bare.so", "libdpr-mock_bare.so", 0755);
		files_search();
	} else if (!use_bundled(backend)) {
		free(backend);
		return;
	}
	/* An option of another backend, whose name begins in the same way. */
	setenv("DPR_OPTION_MOCK_BARE_DEVICES", "1", 1);
	setenv(options[_i].name, options[_i].value, 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_ENVIRONMENT);
	files_assert_error(options[_i].name);
	files_assert_error(options[_i].words);
	unsetenv(options[_i].name);
	ck_assert_int_eq(dpr_device_select("level_zero", &device),
			 DPR_ERROR_ENVIRONMENT);
	files_assert_error(options[_i].words);
	ck_assert_int_eq(dpr_variables(&list, &n), DPR_OK);
	for (i = 0; strcmp(list[i].name, options[_i].name); i++)
		ck_assert_uint_lt(i, n);
	ck_assert_int_eq(list[i].known, options[_i].known);
	ck_assert_msg(strstr(list[i].effect, options[_i].words) != NULL, "%s",
		      list[i].effect);
	dpr_free(list);
	/* The other backends were opened nevertheless, and are in the
	   report. */
	ck_assert_int_eq(dpr_plugins(1, &plugins, &n), DPR_OK);
	for (i = 0; i < n; i++)
		untried += plugins[i].stage == DPR_PLUGIN_LOADED;
	ck_assert_uint_eq(untried, 0);
	dpr_free(plugins);
	free(backend);
}
END_TEST

static const struct {
	const char *name, *value;
	size_t devices;
} right[] = {
	{ "DPR_BACKEND", "", 3 },
	{ "DPR_BACKEND", "MOCK", 1 },
	{ "DPR_BACKEND", "^mock", 2 },
	{ "DPR_BACKEND", "^unknown", 3 },
	{ "DPR_BACKEND", "bad,mock,^mock", 2 },
	{ "DPR_BACKEND", "^bad,^mock", 0 },
	{ "DPR_DEVICE", "", 3 },
	{ "DPR_DEVICE", "GPU,CPU", 3 },
	{ "DPR_LOG", "", 3 },
	{ "DPR_LOG", "Debug", 3 },
	{ "DPR_LOG", "trace:/dev/null", 3 },
	{ "DPR_OPTION_MOCK_DEVICES", "2", 4 },
	{ "DPR_OPTION_NONE_X", "1", 3 },
	{ "DPR_PLUGINS", "", 3 },
};
#define N_RIGHT (int)(sizeof(right) / sizeof(*right))

START_TEST(right_value)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_search();
	setenv(right[_i].name, right[_i].value, 1);
	ck_assert_uint_eq(count_devices(NULL), right[_i].devices);
}
END_TEST

/* A file that DPR_BACKEND excludes is not even opened: loading it might
   crash. */
START_TEST(excluded_is_not_loaded)
{
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	setenv("DPR_TEST_BAD", "load_crash", 1);
	setenv("DPR_BACKEND", "^bad", 1);
	files_assert(1, "/" BAD, DPR_PLUGIN_EXCLUDED, "DPR_BACKEND=\"^bad\"");
}
END_TEST

START_TEST(plugins_variable_replaces_the_search)
{
	char *path = files_plugin("libdpr-mock.so");

	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	setenv("DPR_PLUGINS", path, 1);
	ck_assert_uint_eq(count_devices(NULL), 1);
	ck_assert_str_eq(files_line(1, "/libdpr-mock.so")->origin,
			 "DPR_PLUGINS");
	ck_assert_ptr_null(files_line(1, "/" BAD));
	free(path);
}
END_TEST

/* A file named in DPR_PLUGINS may have any file name. */
START_TEST(named_file_of_another_name)
{
	char *path = files_path("x.so");

	files_copy(BAD_FILE, "x.so", 0755);
	setenv("DPR_PLUGINS", path, 1);
	ck_assert_uint_eq(count_devices("bad"), 2);
	free(path);
}
END_TEST

START_TEST(broken_named_file_is_an_error)
{
	char *path = files_path("x.so");
	size_t n;

	setenv("DPR_TEST_BAD", "magic", 1);
	files_copy(BAD_FILE, "x.so", 0755);
	ck_assert_int_eq(dpr_plugin_add(path), DPR_OK);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_PLUGIN);
	files_assert_error("dpr_plugin_add");
	files_assert_error("magic");
	free(path);
}
END_TEST

START_TEST(plugin_add)
{
	char *path = files_path("x.so");

	files_copy(BAD_FILE, "x.so", 0755);
	files_copy(BAD_FILE, BAD, 0755);
	files_search();
	ck_assert_int_eq(dpr_plugin_add("x.so"), DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_plugin_add(NULL), DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_plugin_add(path), DPR_OK);
	ck_assert_uint_eq(count_devices(NULL), 2);
	ck_assert_int_eq(files_line(0, "/x.so")->stage, DPR_PLUGIN_READY);
	ck_assert_int_eq(files_line(0, "/" BAD)->stage, DPR_PLUGIN_SHADOWED);
	ck_assert_int_eq(dpr_plugin_add(path), DPR_ERROR_BUSY);
	free(path);
}
END_TEST

/* --- Wrong arguments -------------------------------------------------------
 */

START_TEST(wrong_arguments)
{
	dpr_plugin_report *list;
	dpr_variable *variables;
	size_t n;

	ck_assert_int_eq(dpr_plugins(0, NULL, &n), DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_plugins(0, &list, NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_variables(NULL, &n), DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_variables(&variables, NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_str_eq(dpr_plugin_stage_name((enum dpr_plugin_stage)77),
			 "unknown");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("loader");
	TCase *tcase = tcase_create("loader");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, files_setup, files_teardown);
	tcase_add_test(tcase, good_plugin);
	tcase_add_test(tcase, backend_that_leaves_things_out);
	tcase_add_test(tcase, files_that_are_no_plugins);
	tcase_add_test(tcase, missing_file);
	tcase_add_test(tcase, folder_that_everyone_may_write);
	tcase_add_test(tcase, file_in_such_a_folder);
	tcase_add_test(tcase, entry_of_a_dependency);
	tcase_add_test(tcase, replaced_while_loading);
	tcase_add_test(tcase, nothing_from_the_current_directory);
	tcase_add_test(tcase, known_without_a_file);
	tcase_add_test(tcase, same_file_twice);
	tcase_add_test(tcase, first_of_a_name_counts);
	tcase_add_test(tcase, same_folder_twice);
	tcase_add_test(tcase, broken_shadows_nothing);
	tcase_add_test(tcase, name_and_file_disagree);
	tcase_add_loop_test(tcase, spoilt_descriptor, 0, N_SPOILT);
	tcase_add_loop_test(tcase, opening, 0, N_OPENINGS);
	tcase_add_test(tcase, opened_only_when_wanted);
	tcase_add_loop_test(tcase, backend_order, 0, 2);
	tcase_add_loop_test(tcase, wrong_value, 0, N_WRONG);
	tcase_add_loop_test(tcase, log_into_a_pipe, 0, 2);
	tcase_add_loop_test(tcase, wrong_option, 0, N_OPTIONS);
	tcase_add_loop_test(tcase, right_value, 0, N_RIGHT);
	tcase_add_test(tcase, excluded_is_not_loaded);
	tcase_add_test(tcase, plugins_variable_replaces_the_search);
	tcase_add_test(tcase, named_file_of_another_name);
	tcase_add_test(tcase, broken_named_file_is_an_error);
	tcase_add_test(tcase, plugin_add);
	tcase_add_test(tcase, wrong_arguments);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
