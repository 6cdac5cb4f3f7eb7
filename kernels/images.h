/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the functions of step.cl, as built into the library.  Array
 * kernels are made from these functions.  Every build has the functions as
 * OpenCL C text.  Some builds also have them as SPIR-V.  Routines, which are
 * kernels that are written whole, are built in as text, too, and in some builds
 * as SPIR-V and PTX.
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

/* Get the functions as OpenCL C text.  The text has the functions of one dtype,
   which the macro DPR_DTYPE chooses.  Valid until the process ends. */
struct image images_steps(void);

/* Get the routine matmul as OpenCL C text (routine_matmul.cl).  Valid until the
   process ends. */
struct image images_matmul(void);

/* Whether this build has the functions as SPIR-V. */
bool images_have_spirv(void);

/* Get the functions of all dtypes, as a SPIR-V module without a kernel.  Valid
   until dpr_finalize().  out->data is NULL if this build has no SPIR-V.  The
   errors are those of embed_get(). */
dpr_status images_steps_spirv(struct image *out);

/* Get the module of the routine @name in @format, "ptx" or "spirv".  The name
   ends with the dtype and the variant: "matmul_float32_8".  Valid until
   dpr_finalize().  out->data is NULL if this build has no such module.  The
   errors are those of embed_get(). */
dpr_status images_routine(const char *format, const char *name,
			  struct image *out);

#endif
