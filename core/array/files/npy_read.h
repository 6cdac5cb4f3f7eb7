/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npy_read.h - reads the format .npy into host memory.
 *
 * Versions 1.0, 2.0 and 3.0, both byte orders, C and Fortran order.
 */
#ifndef ARRAY_NPY_READ_H
#define ARRAY_NPY_READ_H

#include "core/array/files/byte_source.h"
#include "core/array/files/npy_header.h"

/* An array that is being read. */
struct npy_reader {
	struct npy_header header;
	struct byte_source *source;
	uint64_t left; /* bytes of elements that are not read yet */
};

/*
 * Read the header.  If the size of the source is known, then also check that
 * the elements follow.  If the array must be the whole source, nothing may
 * follow the elements.
 * DPR_ERROR_FILE: a read has failed, or the bytes are no .npy file or a damaged
 * one.
 * DPR_ERROR_DTYPE: dpr has no dtype for the elements.
 */
dpr_status npy_read_begin(struct npy_reader *reader,
			  struct byte_source *source);

/* Read the next @size bytes of elements, in this machine's form.  @size is a
   multiple of an element's size and at most `left`. */
dpr_status npy_read_elements(struct npy_reader *reader, void *data,
			     size_t size);

/* Call this after the elements are read.  If the array must be the whole of the
   source, this checks that the source ends here. */
dpr_status npy_read_end(struct npy_reader *reader);

#endif
