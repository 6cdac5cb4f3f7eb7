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

#endif
