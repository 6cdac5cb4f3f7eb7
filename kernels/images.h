/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the array kernels' modules as they are built into the library: as
 * OpenCL C text, as code for this machine's CPU, and, where they could be
 * built, as SPIR-V and PTX.
 *
 * A module is named by its family and its type, a dtype.  All modules are made
 * in kernels/.
 */
#ifndef ARRAY_IMAGES_H
#define ARRAY_IMAGES_H

#include <stddef.h>

#define IMAGES_FAMILY_MAP(X) X(IOTA, iota)

enum images_family {
#define IMAGES__X(upper, name) IMAGES_##upper,
	IMAGES_FAMILY_MAP(IMAGES__X)
#undef IMAGES__X
		IMAGES_FAMILIES
};

#define IMAGES_TYPES 16 /* every type is less than this */

/* Lent until the process ends.  data NULL: there is no such module. */
struct image {
	const void *data;
	size_t size;
};

/* The name of a family; its source, a string. */
const char *images_family_name(enum images_family family);
struct image images_source(enum images_family family);
/* The functions of one dtype, of which the engine makes kernels: text that
   expects the macro DPR_DTYPE. */
struct image images_steps(void);
/* What turns elements of one size on a CPU: text that expects TURN_ITEM. */
struct image images_turn(void);
/* The same functions of all dtypes as a SPIR-V module without a kernel. */
struct image images_steps_spirv(void);
/* The format of native images: that of this machine. */
const char *images_native_format(void);
/* A module as native code; as SPIR-V; as PTX. */
struct image images_native(enum images_family family, unsigned type);
struct image images_spirv(enum images_family family, unsigned type);
struct image images_ptx(enum images_family family, unsigned type);

#endif
