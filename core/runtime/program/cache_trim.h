/* SPDX-License-Identifier: Apache-2.0 */
/* cache_trim.h - counting and removing files of the cache. */
#ifndef RUNTIME_CACHE_TRIM_H
#define RUNTIME_CACHE_TRIM_H

#include <stdint.h>

/* Count the files and the bytes that they take. */
void cache_trim_count(int dir, uint64_t *bytes, uint64_t *files);

/*
 * Remove old drafts, which no process writes any more.  If the files take more
 * than @limit, also remove the longest unused ones until the rest takes at most
 * three quarters of it.  Returns how many bytes are left.
 */
uint64_t cache_trim(int dir, uint64_t limit);

/* Remove every file.  Returns how many were removed. */
uint64_t cache_trim_all(int dir);

#endif
