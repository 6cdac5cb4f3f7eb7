/* SPDX-License-Identifier: Apache-2.0 */
/* cache_dir.h - the directory of the cache. */
#ifndef RUNTIME_CACHE_DIR_H
#define RUNTIME_CACHE_DIR_H

#include <stdbool.h>

#include "core/base/text.h"

/* Print the path of the directory to @path.  If the cache has none, print the
   reason to @why and return false. */
bool cache_dir_path(struct text *path, struct text *why);

/*
 * Open the directory; @make: create it if it is missing.  Returns -1, with the
 * reason in @why, if that fails or if other users can enter it. errno is ENOENT
 * if the directory does not exist.
 */
int cache_dir_open(const char *path, bool make, struct text *why);

#endif
