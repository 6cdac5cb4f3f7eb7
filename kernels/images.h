/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the array kernels' modules as they are built into the library: as
 * OpenCL C text, as code for this machine's CPU, and, where they could be
 * built, as SPIR-V and PTX.
 *
 * A module is named by its family and its type.  The type is a dtype, or, in
 * the family MOVE, the size of an element in bytes.  All modules are made in
 * kernels/.
 */
#ifndef ARRAY_IMAGES_H
#define ARRAY_IMAGES_H

#include <stddef.h>

/* name, text that it is compiled from: the modules of casts and moves are only
   there in native code, since the engine makes their kernels elsewhere */
#define IMAGES_FAMILY_MAP(X)      \
	X(REDUCE, reduce, reduce) \
	X(CAST, cast, none)       \
	X(CAST64, cast64, none)   \
	X(IOTA, iota, iota)       \
	X(MOVE, move, none)

enum images_family {
#define IMAGES__X(upper, name, text) IMAGES_##upper,
	IMAGES_FAMILY_MAP(IMAGES__X)
#undef IMAGES__X
		IMAGES_FAMILIES
};

#define IMAGES_TYPES 17 /* every type is less than this */

/* Lent until the process ends.  data NULL: there is no such module. */
struct image {
	const void *data;
	size_t size;
};

/* The name of a family; its source, a string, if it has one. */
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
/* A module as native code; as SPIR-V; as PTX.  The engine makes the kernels of
   REDUCE but in OpenCL C, and those of casts and moves but in native code:
   there are no such modules. */
struct image images_native(enum images_family family, unsigned type);
struct image images_spirv(enum images_family family, unsigned type);
struct image images_ptx(enum images_family family, unsigned type);

#endif
