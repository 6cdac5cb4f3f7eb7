/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - built programs on disk, so that the next process need not build
 * them.
 *
 * What goes wrong here is no error: the program is built, and the log says at
 * level debug what was wrong.  Nothing is kept open between calls and no lock
 * is held, so that fork() and other processes need no care.
 */
#ifndef RUNTIME_CACHE_H
#define RUNTIME_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <dpr/backend.h>
#include <dpr/device.h>
#include <dpr/status.h>

#include "core/base/text.h"

/* --- Programs: cache.c -----------------------------------------------------
 */

/* Which program it is: the name of its file, and all that a driver's binary
   depends on, as text. */
struct cache_key {
	int second; /* keep the binary only if it was seen before */
	char file[40];
	char *text;
	size_t size;
};

/*
 * The key of @image built for @device with @options.  False where there is
 * nothing to keep: the plugin has no binaries, the image is one or is native
 * code, the source includes files, no cache is wanted, or no memory.
 */
int cache_key_make(struct cache_key *key, dpr_device *device,
		   const dprp_image *image, const char *options);
void cache_key_fini(struct cache_key *key);

/* What a file of the cache holds; `log` and `binary` point into `block`. */
struct cache_entry {
	unsigned char *block;
	const char *log; /* zero-terminated */
	const unsigned char *binary;
	size_t size; /* of the binary; 0: the program was seen, not kept */
};

/* Find the program of @key.  False: there is none, or memory for it. */
int cache_find(const struct cache_key *key, struct cache_entry *entry);
void cache_entry_fini(struct cache_entry *entry);

/* Keep the binary of a program that was built; @size 0 notes that it was. */
void cache_put(const struct cache_key *key, const char *log, const void *binary,
	       size_t size);

/* The driver has refused the binary of @key. */
void cache_reject(const struct cache_key *key);

/* What happened, for dpr_cache_stats(). */
enum cache_count {
	CACHE_HITS,
	CACHE_MISSES,
	CACHE_STORES,
	CACHE_REJECTED,
	CACHE_BUILDS,
	CACHE_COUNTS
};

void cache_add(enum cache_count what);

/* --- The directory: cache_dir.c --------------------------------------------
 */

/* Its path, without one the reason in @why.  False: there is none. */
int cache_dir_path(struct text *path, struct text *why);

/*
 * Open it, made before if it is to be and is missing.  -1 with the reason in
 * @why, and errno ENOENT where there is none yet, when it cannot be, or is not
 * one that only this user can enter.
 */
int cache_dir_open(const char *path, int make, struct text *why);

/* --- One file: cache_file.c ------------------------------------------------
 */

enum cache_state {
	CACHE_ABSENT,
	CACHE_FOUND,
	CACHE_BAD, /* it is not what this library has written for this key */
	CACHE_NO_MEMORY
};

/* Read the file of @key in @dir. */
enum cache_state cache_file_read(int dir, const struct cache_key *key,
				 struct cache_entry *entry);

/* Write the file of @key, whole or not at all.  The bytes that it takes; 0 with
   errno: it could not be written. */
uint64_t cache_file_write(int dir, const struct cache_key *key, const char *log,
			  const void *binary, size_t size);

/* The bytes that a file of @size counts against the limit. */
uint64_t cache_file_cost(uint64_t size);

/* Whether the name is that of a file of the cache, or of one that is being
   written. */
int cache_file_is(const char *name);
int cache_file_is_draft(const char *name);

/* --- All files: cache_trim.c -----------------------------------------------
 */

/* What the files take, in bytes and number. */
void cache_trim_count(int dir, uint64_t *bytes, uint64_t *files);

/*
 * Remove drafts that somebody has left behind, and, if the files take more
 * than @limit, those that were not used for longest until they take three
 * quarters of it.  The bytes that are left.
 */
uint64_t cache_trim(int dir, uint64_t limit);

/* Remove every file; the number of those that went. */
uint64_t cache_trim_all(int dir);

#endif
