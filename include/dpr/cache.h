/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - built programs that are kept on disk.
 *
 * A program that was built from source or from an image, those of the array
 * functions too, is kept as the driver's binary and taken from there by the
 * next process.  The directory is DPR_CACHE_DIR, else dpr in XDG_CACHE_HOME,
 * else .cache/dpr in HOME, if that is this user's; it and the one above it are
 * made when needed, and it is used only if it belongs to this user and is open
 * to nobody else.  In setuid programs, with DPR_CACHE_DIR=off, for programs
 * that include files, and for backends without binaries nothing is kept.  What
 * goes wrong with the cache is never an error of a build: DPR_LOG=debug tells.
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
	const char *problem; /* why nothing is kept; "": all is well */
	uint64_t limit; /* bytes that the files may take (DPR_CACHE_LIMIT);
			   those not used for longest go */
	uint64_t bytes, files; /* what there is now, of all processes */
	/* What this process did, in programs. */
	uint64_t hits; /* taken from the cache */
	uint64_t misses; /* looked for, and not there */
	uint64_t stores; /* put there */
	uint64_t rejected; /* there, but damaged, or refused by the driver */
	uint64_t builds; /* built by a driver, looked for or not */
} dpr_cache_report;

/*
 * The state of the cache.  *@out is one block, to be freed with dpr_free().
 * Starts no driver; reads the directory.
 * DPR_ERROR_ENVIRONMENT: DPR_CACHE_DIR or DPR_CACHE_LIMIT is malformed.
 */
DPR_API DPR_CHECK dpr_status dpr_cache_stats(dpr_cache_report **out);

/*
 * Remove all that is kept; *@removed (may be NULL) is the number of files.
 * Other files in the directory stay.  Safe while other processes use it.
 * DPR_ERROR_ENVIRONMENT: as above.
 */
DPR_API DPR_CHECK dpr_status dpr_cache_clear(uint64_t *removed);

DPR_END_DECLS

#endif
