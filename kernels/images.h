/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the functions of which array kernels are made, as they are built
 * into the library: as OpenCL C text and, where it could be built, as SPIR-V.
 */
#ifndef ARRAY_IMAGES_H
#define ARRAY_IMAGES_H

#include <stddef.h>

/* Lent until the process ends.  data NULL: it could not be built. */
struct image {
	const void *data;
	size_t size;
};

/* The functions of one dtype: text that expects the macro DPR_DTYPE. */
struct image images_steps(void);
/* The functions of all dtypes as a SPIR-V module without a kernel. */
struct image images_steps_spirv(void);
/* The format of native images: that of this machine. */
const char *images_native_format(void);

#endif
