/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_spirv.h - the contents of a SPIR-V module: its kernels with their
 * parameters, and the features of a device that it needs.
 *
 * The driver reports none of this, and checks no argument.  The bytes may come
 * from an untrusted source: the reader never reads beyond them, and its time
 * and memory are proportional to their number.
 */
#ifndef ZE_SPIRV_H
#define ZE_SPIRV_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/backend.h>

struct ze_spirv_kernel {
	char *name;
	/* A VALUE has size 0 if its size depends on a specialization constant.
	   UNKNOWN is a parameter that is neither a value nor memory, such as an
	   image. */
	dprp_param *params;
	uint32_t n_params;
	uint64_t required[3]; /* zeros: any size of work-group */
};

struct ze_spirv {
	const dprp_host *host;
	struct ze_spirv_kernel *kernels;
	uint32_t n_kernels;
	uint32_t major, minor;                /* version of SPIR-V */
	bool float16, float64, int64_atomics; /* capabilities that the module
						 needs */
	/* The declarations that all this was read from, as a module without
	   code: reading it gives the same result. */
	unsigned char *outline;
	size_t outline_size;
};

/* Read a module.  @out->host must be set.  Returns OOM_HOST, or INVALID with
   *@wrong, the rest of a sentence ("is cut off").  After a failure @out holds
   no memory. */
dprp_rc ze_spirv_read(struct ze_spirv *out, const void *bytes, size_t size,
		      const char **wrong);
void ze_spirv_free(struct ze_spirv *spirv);

/* Find a kernel, or NULL. */
const struct ze_spirv_kernel *ze_spirv_find(const struct ze_spirv *spirv,
					    const char *name);

#endif
