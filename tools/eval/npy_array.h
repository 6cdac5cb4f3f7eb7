/* SPDX-License-Identifier: Apache-2.0 */
/* npy_array.h - .npy files from and to arrays on a device. */
#ifndef TOOLS_NPY_ARRAY_H
#define TOOLS_NPY_ARRAY_H

#include <dpr/array.h>
#include <dpr/queue.h>

#include "tools/shared/message.h"

/*
 * Read @path into a new array on @queue, a chunk at a time; with a progress
 * line if stderr is a terminal and the file is large.  A file in Fortran order
 * gives a view with the axes reversed.
 */
bool npy_array_load(const char *path, dpr_queue *queue, dpr_array **out,
		    struct message *message);

/* Write @x to @path, a chunk at a time.  After a failure, no file is left. */
bool npy_array_store(const dpr_array *x, const char *path,
		     struct message *message);

#endif
