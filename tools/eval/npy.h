/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npy.h - reading .npy files.
 *
 * Versions 1.0, 2.0 and 3.0, both byte orders, C and Fortran order.  Nothing
 * here uses devices; npy_array.h does.
 */
#ifndef TOOLS_NPY_H
#define TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/eval/npy_header.h"
#include "tools/shared/message.h"

/* A file being read. */
struct npy_reader {
	struct npy_header header;
	const char *path;
	int fd;
	uint64_t left; /* bytes of elements not read yet */
};

/*
 * Open @path (kept by reference) and read its header.  Messages begin with
 * @path.  A file with bytes after its elements is refused: it is damaged, or
 * holds more than one array.
 */
bool npy_open(struct npy_reader *reader, const char *path,
	      struct message *message);

/* Read the next @size bytes of elements, in this machine's form.  @size is a
   multiple of an element's size and at most `left`. */
bool npy_read(struct npy_reader *reader, void *data, size_t size,
	      struct message *message);

/* Check that the file ends here. */
bool npy_read_end(struct npy_reader *reader, struct message *message);

/* Close the reader.  It may not have been opened (fd -1). */
void npy_close(struct npy_reader *reader);

#endif
