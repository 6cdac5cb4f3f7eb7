/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - built programs that are kept on disk.
 *
 * A program that is built from source or from an image is kept as the driver's
 * binary, and the next process loads the binary.  Programs of the array
 * functions are kept, too.  The directory is DPR_CACHE_DIR, else dpr in
 * XDG_CACHE_HOME, else .cache/dpr in HOME if HOME belongs to this user.  It and
 * its parent are created when needed.  It is used only if it belongs to this
 * user and other users have no access.
 *
 * Nothing is kept in setuid programs, with DPR_CACHE_DIR=off, for programs that
 * include files, or for backends without binaries.  A problem with the cache
 * never makes a build fail; DPR_LOG=debug shows it.
 */
#ifndef DPR_CACHE_H
#define DPR_CACHE_H

#include <stdint.h>

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* The state of the cache.  Strings are lent as long as the report. */
typedef struct dpr_cache_report {
	const char *directory; /* "" when there is none */
	const char *problem; /* why nothing is kept, else "" */
	uint64_t limit; /* bytes that the files may take (DPR_CACHE_LIMIT); the
			   least recently used are removed first */
	uint64_t bytes; /* on disk now, from all processes */
	uint64_t files; /* on disk now, from all processes */
	/* What this process did, counted in programs. */
	uint64_t hits; /* taken from the cache */
	uint64_t misses; /* looked for, but not found */
	uint64_t stores; /* written to the cache */
	uint64_t rejected; /* found, but damaged or refused by the driver */
	uint64_t builds; /* built by a driver, whether or not looked for in the
			    cache */
} dpr_cache_report;

/*
 * The state of the cache.  *@out is one block, to be freed with dpr_free().
 * Starts no driver; reads the directory.
 * DPR_ERROR_ENVIRONMENT: DPR_CACHE_DIR or DPR_CACHE_LIMIT is malformed.
 */
DPR_API DPR_CHECK dpr_status dpr_cache_stats(dpr_cache_report **out);

/*
 * Remove all programs that are kept; *@removed (may be NULL) is the number of
 * files.  Other files in the directory stay.  Safe while other processes use
 * it.
 * DPR_ERROR_ENVIRONMENT: as for dpr_cache_stats().
 */
DPR_API DPR_CHECK dpr_status dpr_cache_clear(uint64_t *removed);

DPR_END_DECLS

#endif
