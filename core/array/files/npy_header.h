/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header.h - the header of a .npy file, and the conversion of its
   elements. */
#ifndef ARRAY_NPY_HEADER_H
#define ARRAY_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/array.h>
#include <dpr/dtype.h>

/* The contents of a header. */
struct npy_header {
	dpr_dtype dtype;
	bool fortran; /* the first axis varies fastest */
	bool swap;    /* the byte order is not this machine's */
	int rank;
	int64_t shape[DPR_MAX_RANK];
	int64_t count;  /* number of elements */
	uint64_t bytes; /* bytes of all elements */
};

/*
 * Read the text of a header, a Python dictionary.  @text has @length bytes and
 * need not end in a NUL.
 * DPR_ERROR_FILE: the text is damaged.
 * DPR_ERROR_DTYPE: the array has elements that no dtype of dpr can hold.
 */
dpr_status npy_header_parse(const char *text, size_t length,
			    struct npy_header *out);

/* Room for the header that npy_header_format() writes. */
#define NPY_HEADER_MAX 1024

/*
 * Write magic, version and header for a C-ordered array in little endian into
 * @out, padded so that the elements begin at a multiple of 64.  Returns the
 * bytes written; 0 when .npy has no such dtype (bfloat16).
 */
size_t npy_header_format(dpr_dtype dtype, int rank, const int64_t *shape,
			 char out[NPY_HEADER_MAX]);

/* Convert @bytes bytes of elements from the file's form to this machine's: the
   byte order if @swap, and bools to 0 or 1.  On a little-endian machine this
   also converts back. */
void npy_header_convert(void *data, size_t bytes, dpr_dtype dtype, bool swap);

#endif
