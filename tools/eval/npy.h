/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npy.h - .npy files: their header, reading and writing their elements.
 *
 * Versions 1.0, 2.0 and 3.0, both byte orders, C and Fortran order.  Nothing
 * here knows devices; npy_array.h does.
 */
#ifndef TOOLS_NPY_H
#define TOOLS_NPY_H

#include <stdint.h>

#include <dpr/array.h>
#include <dpr/dtype.h>

#include "tools/shared/message.h"

/* What a header says. */
struct npy_header {
	dpr_dtype dtype;
	bool fortran; /* the first axis varies fastest */
	bool swap;    /* the other byte order than this machine's */
	int rank;
	int64_t shape[DPR_MAX_RANK];
	int64_t count;  /* elements */
	uint64_t bytes; /* of all elements */
};

/*
 * Read the text of a header, a Python dictionary of @length bytes that need not
 * end in a NUL.
 */
bool npy_parse_header(const char *text, size_t length, struct npy_header *out,
		      struct message *message);

/* Room for the header that npy_format_header() writes. */
#define NPY_HEADER_MAX 1024

/*
 * Write magic, version and header for a C-ordered array in little endian into
 * @out, filled up so that the elements begin at a multiple of 64.  Returns the
 * bytes written; 0 when .npy has no such dtype (bfloat16).
 */
size_t npy_format_header(dpr_dtype dtype, int rank, const int64_t *shape,
			 char out[NPY_HEADER_MAX]);

/* Put @bytes of elements from the file's form into the machine's: byte order,
   and 0 or 1 for a bool.  On a little-endian machine the way back is the same.
 */
void npy_convert(void *data, size_t bytes, dpr_dtype dtype, bool swap);

/* A file being read. */
struct npy_reader {
	struct npy_header header;
	const char *path;
	int fd;
	uint64_t left; /* bytes of elements not read yet */
};

/*
 * Open @path (kept by reference) and read its header.  What is wrong with a
 * file is said in a sentence that begins with its name.  A file with bytes
 * after its elements is refused: it is damaged, or holds more than one array.
 */
bool npy_open(struct npy_reader *reader, const char *path,
	      struct message *message);

/* Read the next @size bytes of elements, converted; size is a multiple of the
   element's and at most what is left. */
bool npy_read(struct npy_reader *reader, void *data, size_t size,
	      struct message *message);

/* Check that the file ends here. */
bool npy_read_end(struct npy_reader *reader, struct message *message);

/* Tolerates a reader that was not opened (fd -1). */
void npy_close(struct npy_reader *reader);

/*
 * A file being written: to a temporary file beside @path that takes its name in
 * npy_commit(), so that no half-written file is ever seen.  What is not a
 * regular file (a pipe, /dev/null) is written in place.  One writer at a time:
 * SIGINT, SIGTERM and SIGHUP remove its temporary file.
 */
struct npy_writer {
	const char *path; /* as the user gave it */
	char *target;     /* with symbolic links resolved */
	char *temporary;  /* NULL: written in place */
	int fd;
};

/* Whether @path can be written, to say so before the work is done. */
bool npy_check_output(const char *path, struct message *message);

bool npy_create(struct npy_writer *writer, const char *path, dpr_dtype dtype,
		int rank, const int64_t *shape, struct message *message);
/* @data is converted in place. */
bool npy_write(struct npy_writer *writer, void *data, size_t size,
	       dpr_dtype dtype, struct message *message);
bool npy_commit(struct npy_writer *writer, struct message *message);
/* Remove what was written; does nothing after npy_commit(). */
void npy_abandon(struct npy_writer *writer);

#endif
