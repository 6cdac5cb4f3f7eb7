/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_binary.h - "level_zero-binary", the format in which a program is kept.
 *
 * A driver's binary does not contain the parameters of its kernels, so the
 * outline of the SPIR-V that the binary was made from comes first.
 */
#ifndef ZE_BINARY_H
#define ZE_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

struct ze_binary {
	uint64_t flags;      /* DPRP_BUILD_*: how the program was built */
	const void *outline; /* as in ze_spirv.h; size 0: there is none */
	size_t outline_size;
	const void *code; /* the driver's */
	size_t code_size;
};

void ze_binary_write(const struct ze_binary *binary, dprp_sink out);
/* Read a binary.  Nothing is copied: the fields point into @bytes.  Returns
   NULL, or what is wrong with the binary, as the rest of a sentence ("is too
   short"). */
const char *ze_binary_read(struct ze_binary *binary, const void *bytes,
			   size_t size);

#endif
