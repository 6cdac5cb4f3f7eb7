/* SPDX-License-Identifier: Apache-2.0 */
/* cache_trim.c - counting and removing files of the cache. */
#include "core/runtime/program/cache_trim.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/runtime/program/cache_file.h"

/* A draft of this age, in seconds, is no longer being written. */
#define DRAFT_AGE 600

struct trimmed_file {
	struct timespec used;
	uint64_t cost;
	char name[sizeof(((struct cache_key *)0)->file)];
};

struct file_list {
	struct trimmed_file *files;
	size_t n;
};

static DIR *open_list(int dir)
{
	/* Open it again: a copy of the descriptor would share its position. */
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list;

	if (again < 0)
		return NULL;
	list = fdopendir(again);
	if (!list)
		close(again);
	return list;
}

/* The next file of the cache, or draft; NULL at the end. */
static const char *next_name(DIR *list, int dir, struct stat *st)
{
	struct dirent *entry;

	while ((entry = readdir(list)))
		if ((cache_file_is(entry->d_name) ||
		     cache_file_is_draft(entry->d_name)) &&
		    !fstatat(dir, entry->d_name, st, AT_SYMLINK_NOFOLLOW) &&
		    !S_ISDIR(st->st_mode))
			return entry->d_name;
	return NULL;
}

void cache_trim_count(int dir, uint64_t *bytes, uint64_t *files)
{
	DIR *list = open_list(dir);
	struct stat st;

	*bytes = *files = 0;
	while (list && next_name(list, dir, &st)) {
		*bytes += cache_file_cost((uint64_t)st.st_size);
		++*files;
	}
	if (list)
		closedir(list);
}

uint64_t cache_trim_all(int dir)
{
	DIR *list = open_list(dir);
	const char *name;
	struct stat st;
	uint64_t gone = 0;

	while (list && (name = next_name(list, dir, &st)))
		gone += !unlinkat(dir, name, 0);
	if (list)
		closedir(list);
	return gone;
}

/* Add a file to those that can be removed.  If memory runs out, it is left out,
   and stays in the cache. */
static void add_file(struct file_list *list, const char *name,
		     const struct stat *st)
{
	struct trimmed_file *file = mem_append(&list->files, &list->n);

	if (!file)
		return;
	file->used = st->st_mtim;
	file->cost = cache_file_cost((uint64_t)st->st_size);
	strcpy(file->name, name); /* cache_file_is() has checked its length */
}

static int longest_unused_first(const void *left, const void *right)
{
	const struct trimmed_file *a = left, *b = right;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	if (a->used.tv_nsec != b->used.tv_nsec)
		return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

static uint64_t evict(int dir, struct file_list *list, uint64_t bytes,
		      uint64_t goal)
{
	size_t i;

	qsort(list->files, list->n, sizeof(*list->files), longest_unused_first);
	for (i = 0; i < list->n && bytes > goal; i++)
		/* Also count a file that another process has removed in the
		   meantime. */
		if (!unlinkat(dir, list->files[i].name, 0) ||
		    faccessat(dir, list->files[i].name, F_OK,
			      AT_SYMLINK_NOFOLLOW))
			bytes -= list->files[i].cost;
	return bytes;
}

uint64_t cache_trim(int dir, uint64_t limit)
{
	DIR *names = open_list(dir);
	struct file_list list = { 0 };
	time_t now = time(NULL);
	uint64_t bytes = 0;
	const char *name;
	struct stat st;

	while (names && (name = next_name(names, dir, &st))) {
		if (!cache_file_is_draft(name)) {
			bytes += cache_file_cost((uint64_t)st.st_size);
			add_file(&list, name, &st);
		} else if (st.st_mtime < now - DRAFT_AGE) {
			(void)unlinkat(dir, name, 0);
		}
	}
	if (names)
		closedir(names);
	if (bytes > limit)
		bytes = evict(dir, &list, bytes, limit / 4 * 3);
	mem_free(list.files);
	return bytes;
}
