/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - built programs on disk, so that the next process need not build
 * them.
 *
 * A failure here is not an error: the program is built, and the log says at
 * level debug what was wrong.  Nothing is kept open between calls and no lock
 * is held, so that fork() and other processes need no care.
 */
#ifndef RUNTIME_CACHE_H
#define RUNTIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/backend.h>
#include <dpr/device.h>

#include "core/runtime/program/cache_file.h"

/*
 * The key of @image built for @device with @options.  False where there is
 * nothing to keep: the plugin has no binaries, the image is one or is native
 * code, the source includes files, no cache is wanted, or no memory.
 */
bool cache_key_make(struct cache_key *key, dpr_device *device,
		    const dprp_image *image, const char *options);
void cache_key_fini(struct cache_key *key);

/* Find the program of @key.  Returns false if there is none, or no memory for
   it. */
bool cache_find(const struct cache_key *key, struct cache_entry *entry);
void cache_entry_fini(struct cache_entry *entry);

/* Keep the binary of a program that was built; with a @size of 0, note only
   that it was built. */
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

#endif
