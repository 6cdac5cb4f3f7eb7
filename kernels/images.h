/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the functions from which array kernels are made, as built into the
 * library: OpenCL C text and, if this build has it, SPIR-V.
 */
#ifndef ARRAY_IMAGES_H
#define ARRAY_IMAGES_H

#include <stddef.h>

/* Valid until the process ends.  data is NULL if this build has none. */
struct image {
	const void *data;
	size_t size;
};

/* The functions of one dtype, as text that expects the macro DPR_DTYPE. */
struct image images_steps(void);
/* The functions of all dtypes, as a SPIR-V module without a kernel. */
struct image images_steps_spirv(void);

#endif
