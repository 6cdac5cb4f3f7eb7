/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the functions from which array kernels are made, as built into the
 * library: OpenCL C text and, if this build has it, SPIR-V.
 */
#ifndef ARRAY_IMAGES_H
#define ARRAY_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/status.h>

struct image {
	const void *data;
	size_t size;
};

/* The functions of one dtype, as text that expects the macro DPR_DTYPE.  Valid
   until the process ends. */
struct image images_steps(void);

/* Whether this build has the functions as SPIR-V. */
bool images_have_spirv(void);

/* Get the functions of all dtypes, as a SPIR-V module without a kernel.  Valid
   until dpr_finalize().  data is NULL if this build has none.  The errors are
   those of embed_get(). */
dpr_status images_steps_spirv(struct image *out);

#endif
