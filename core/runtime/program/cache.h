/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - built programs on disk, so that the next process need not build
 * them.
 *
 * A failure here is not an error: the program is built, and the log says at
 * level debug what was wrong.  Between calls nothing stays open and no lock is
 * held, so fork() and other processes need no special care.
 */
#ifndef RUNTIME_CACHE_H
#define RUNTIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/backend.h>
#include <dpr/device.h>

#include "core/runtime/program/cache_file.h"
#include "core/runtime/program/spec.h"

/* What a program is built from, apart from its image. */
struct cache_build {
	const char *options; /* NULL: none */
	uint64_t flags;      /* DPRP_BUILD_* */
	struct spec spec;
};

/*
 * Make the key of @image built for @device as @build says.  Returns false if
 * the program cannot be kept: the plugin cannot return binaries, the image is a
 * binary or native code, the source includes files, the cache is off, or memory
 * runs out.
 */
bool cache_key_make(struct cache_key *key, dpr_device *device,
		    const dprp_image *image, const struct cache_build *build);
void cache_key_fini(struct cache_key *key);

/* Find the program of @key.  Returns false if it is not in the cache, or if
   memory runs out. */
bool cache_find(const struct cache_key *key, struct cache_entry *entry);
void cache_entry_fini(struct cache_entry *entry);

/* Keep the binary of a program that was built.  With a @size of 0, only note
   that the program was built. */
void cache_put(const struct cache_key *key, const char *log, const void *binary,
	       size_t size);

/* Remove the binary of @key, which the driver has refused. */
void cache_reject(const struct cache_key *key);

/* The counts of dpr_cache_stats(). */
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
