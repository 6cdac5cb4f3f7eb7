/* SPDX-License-Identifier: Apache-2.0 */
/* npy.h - .npy files from and to arrays. */
#ifndef ARRAY_NPY_H
#define ARRAY_NPY_H

#include "core/array/files/byte_sink.h"
#include "core/array/files/byte_source.h"

/* Make an array of the .npy file that @source has.  Texts of errors do not name
   the file.  Errors as dpr_npy_load_on(). */
dpr_status npy_load_from(struct byte_source *source, dpr_queue *queue,
			 dpr_usm_kind kind, dpr_array **out);

/* Get @x with its elements in C order, and wait for them.  DPR_ERROR_DTYPE:
   .npy has no such dtype.  Others as dpr_copy() and dpr_array_wait(). */
dpr_status npy_prepare(const dpr_array *x, dpr_array **dense);

/* Write the .npy file of @x, which npy_prepare() has made. */
dpr_status npy_save_to(struct byte_sink *sink, const dpr_array *x);

#endif
