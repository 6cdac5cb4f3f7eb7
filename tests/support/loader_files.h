/* SPDX-License-Identifier: Apache-2.0 */
/* loader_files.h - a folder of plugin files for one test, and the load report.
 */
#ifndef TESTS_LOADER_FILES_H
#define TESTS_LOADER_FILES_H

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

static char files_folder[4096];

/* The path of a test plugin, such as "libdpr-mock.so", to be freed. */
static inline char *files_plugin(const char *name)
{
	const char *folder = getenv("DPR_TEST_PLUGIN_DIR");
	char *path;

	ck_assert_ptr_nonnull(folder);
	ck_assert_int_ge(asprintf(&path, "%s/%s", folder, name), 0);
	return path;
}

static inline char *files_path(const char *name)
{
	char *path;

	ck_assert_int_ge(asprintf(&path, "%s/%s", files_folder, name), 0);
	return path;
}

/* For the fixture: make an empty folder, and unset the caller's variables. */
static inline void files_setup(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(files_folder, sizeof(files_folder), "%s/dpr-test.XXXXXX",
		 base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(files_folder));
	unsetenv("DPR_PLUGIN_PATH");
	unsetenv("DPR_PLUGINS");
	unsetenv("DPR_BACKEND");
	unsetenv("DPR_DEVICE");
	unsetenv("DPR_LOG");
	unsetenv("DPR_TEST_BAD");
}

static inline void files_teardown(void)
{
	char *command;

	ck_assert_int_ge(asprintf(&command, "rm -rf '%s'", files_folder), 0);
	ck_assert_int_eq(system(command), 0);
	free(command);
}

static inline void files_write(const char *name, const void *bytes, size_t size,
			       mode_t mode)
{
	char *path = files_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	/* Set the mode again: open() applied the umask. */
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
	free(path);
}

/* Copy a test plugin into the folder under another name. */
static inline void files_copy(const char *plugin, const char *name, mode_t mode)
{
	char *path = files_plugin(plugin), *bytes;
	int fd = open(path, O_RDONLY);
	struct stat st;

	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	ck_assert_int_eq(fstat(fd, &st), 0);
	bytes = malloc((size_t)st.st_size);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(read(fd, bytes, (size_t)st.st_size), st.st_size);
	close(fd);
	files_write(name, bytes, (size_t)st.st_size, mode);
	free(bytes);
	free(path);
}

/* Have the library search the folder. */
static inline void files_search(void)
{
	setenv("DPR_PLUGIN_PATH", files_folder, 1);
}

/* The line of the load report whose file ends with @name, or NULL.  @open: open
   the plugins first. */
static inline const dpr_plugin_report *files_line(int open, const char *name)
{
	static dpr_plugin_report *list;
	size_t n, i, length = strlen(name);

	dpr_free(list);
	list = NULL;
	ck_assert_msg(!dpr_plugins(open, &list, &n), "%s", dpr_last_error());
	for (i = 0; i < n; i++) {
		size_t have = strlen(list[i].file);

		if (have >= length &&
		    !strcmp(list[i].file + have - length, name))
			return &list[i];
	}
	return NULL;
}

/* Assert that the file came as far as @stage and that its line in the report
   contains @words. */
static inline void files_assert(int open, const char *name,
				enum dpr_plugin_stage stage, const char *words)
{
	const dpr_plugin_report *line = files_line(open, name);

	const char *text = line ? line->text : "it is not in the report";
	int reached = line ? (int)line->stage : 0;

	ck_assert_msg(reached == (int)stage, "%s: %s: %s", name,
		      dpr_plugin_stage_name((enum dpr_plugin_stage)reached),
		      text);
	ck_assert_msg(!*words || strstr(text, words) != NULL,
		      "%s: \"%s\" does not say \"%s\"", name, text, words);
}

/* Assert that the last error contains @words. */
#define files_assert_error(words)                              \
	ck_assert_msg(strstr(dpr_last_error(), words) != NULL, \
		      "\"%s\" does not say \"%s\"", dpr_last_error(), words)

#endif
