/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header.h - the header of a .npy file, and the form of its elements. */
#ifndef TOOLS_NPY_HEADER_H
#define TOOLS_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
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
bool npy_header_parse(const char *text, size_t length, struct npy_header *out,
		      struct message *message);

/* Room for the header that npy_header_format() writes. */
#define NPY_HEADER_MAX 1024

/*
 * Write magic, version and header for a C-ordered array in little endian into
 * @out, filled up so that the elements begin at a multiple of 64.  Returns the
 * bytes written; 0 when .npy has no such dtype (bfloat16).
 */
size_t npy_header_format(dpr_dtype dtype, int rank, const int64_t *shape,
			 char out[NPY_HEADER_MAX]);

/* Put @bytes of elements from the file's form into the machine's: byte order,
   and 0 or 1 for a bool.  On a little-endian machine the way back is the same.
 */
void npy_header_convert(void *data, size_t bytes, dpr_dtype dtype, bool swap);

#endif
