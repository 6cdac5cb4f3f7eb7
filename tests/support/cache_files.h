/* SPDX-License-Identifier: Apache-2.0 */
/* cache_files.h - a program cache for one test, and checks of its files. */
#ifndef TESTS_CACHE_FILES_H
#define TESTS_CACHE_FILES_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static char cache_base[200], cache_path[300];

/* Set DPR_CACHE_DIR to a new path, at which there is no directory yet. */
static inline void cache_dir_setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(cache_base, sizeof(cache_base), "%s/dpr-cache.XXXXXX",
		 tmp && *tmp == '/' ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(cache_base));
	ck_assert_int_eq(chmod(cache_base, 0755), 0);
	snprintf(cache_path, sizeof(cache_path), "%s/a/b", cache_base);
	setenv("DPR_CACHE_DIR", cache_path, 1);
}

static inline void cache_dir_teardown(void)
{
	char command[600];

	snprintf(command, sizeof(command), "chmod -R u+rwx %s; rm -rf %s",
		 cache_base, cache_base);
	ck_assert_int_eq(system(command), 0);
}

/* The number of files in the cache whose names contain @part. */
static inline int cache_dir_files(const char *part)
{
	DIR *list = opendir(cache_path);
	struct dirent *entry;
	int n = 0;

	while (list && (entry = readdir(list)))
		n += strstr(entry->d_name, part) != NULL;
	if (list)
		closedir(list);
	return n;
}

/* Cut every file in the cache to 100 bytes. */
static inline void cut_files(void)
{
	DIR *list = opendir(cache_path);
	struct dirent *entry;
	char name[800];

	while ((entry = readdir(list))) {
		snprintf(name, sizeof(name), "%s/%s", cache_path,
			 entry->d_name);
		if (entry->d_name[0] != '.')
			ck_assert_int_eq(truncate(name, 100), 0);
	}
	closedir(list);
}

/* Run @work in a child process, and check that it ends with status 0. */
static inline void in_process(void (*work)(void))
{
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child) {
		work();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status),
		      "the child ended with wait status %d", status);
}

/* Check how often the cache did what in this process. */
#define CHECK_CACHE(hits_, misses_, stores_, rejected_, builds_)          \
	do {                                                              \
		dpr_cache_report *r_;                                     \
		CHECK_OK(dpr_cache_stats(&r_));                           \
		ck_assert_msg(                                            \
			r_->hits == (hits_) && r_->misses == (misses_) && \
				r_->stores == (stores_) &&                \
				r_->rejected == (rejected_) &&            \
				r_->builds == (builds_),                  \
			"hits %d misses %d stores %d rejected %d"         \
			" builds %d; %s",                                 \
			(int)r_->hits, (int)r_->misses, (int)r_->stores,  \
			(int)r_->rejected, (int)r_->builds, r_->problem); \
		dpr_free(r_);                                             \
	} while (0)

#endif
