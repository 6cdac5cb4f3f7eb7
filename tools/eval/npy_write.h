/* SPDX-License-Identifier: Apache-2.0 */
/* npy_write.h - writing .npy files. */
#ifndef TOOLS_NPY_WRITE_H
#define TOOLS_NPY_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/dtype.h>

#include "tools/shared/message.h"

/*
 * A file being written.  It is a temporary file beside @path, renamed by
 * npy_write_commit(), so that no half-written file is ever visible.  A pipe or
 * another file that is not regular is written in place.  One writer at a time:
 * SIGINT, SIGTERM and SIGHUP remove its temporary file.
 */
struct npy_writer {
	const char *path; /* as the user gave it */
	char *target;     /* with symbolic links resolved */
	char *temporary;  /* NULL: written in place */
	int fd;
};

/* Check that @path can be written, before any work is done. */
bool npy_write_check_output(const char *path, struct message *message);

/* Open @path for writing, and write the header. */
bool npy_write_create(struct npy_writer *writer, const char *path,
		      dpr_dtype dtype, int rank, const int64_t *shape,
		      struct message *message);

/* Write the next @size bytes of elements; @data is converted in place. */
bool npy_write(struct npy_writer *writer, void *data, size_t size,
	       dpr_dtype dtype, struct message *message);

/* Finish the file and give it its name. */
bool npy_write_commit(struct npy_writer *writer, struct message *message);

/* Remove what was written; does nothing after npy_write_commit(). */
void npy_write_abandon(struct npy_writer *writer);

#endif
