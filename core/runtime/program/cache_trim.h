/* SPDX-License-Identifier: Apache-2.0 */
/* cache_trim.h - all files of the cache together. */
#ifndef RUNTIME_CACHE_TRIM_H
#define RUNTIME_CACHE_TRIM_H

#include <stdint.h>

/* Count the files and the bytes that they take. */
void cache_trim_count(int dir, uint64_t *bytes, uint64_t *files);

/*
 * Remove drafts that no process writes any more and, if the files take more
 * than @limit, the longest unused files until the rest takes three quarters of
 * it.  Returns the bytes that are left.
 */
uint64_t cache_trim(int dir, uint64_t limit);

/* Remove every file.  Returns how many were removed. */
uint64_t cache_trim_all(int dir);

#endif
