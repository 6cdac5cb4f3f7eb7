/* SPDX-License-Identifier: Apache-2.0 */
/* once_built.h - kernels that are built at their first use, and then kept for
   each device. */
#ifndef ARRAY_ONCE_BUILT_H
#define ARRAY_ONCE_BUILT_H

#include <dpr/kernel.h>
#include <dpr/program.h>
#include <dpr/queue.h>

/* Which kernel of a device is meant.  @name is a string constant, and @number
   is a number of the caller's own. */
struct once_built_key {
	const char *name;
	int number;
};

/* Build the kernel @key for @queue's device.  On failure, the function may
   leave a program or a kernel, which the caller releases. */
typedef dpr_status once_built_fn(dpr_queue *queue,
				 const struct once_built_key *key,
				 dpr_program **program, dpr_kernel **kernel);

/* Get the kernel @key of @queue's device.  The first call builds it by @build.
   The kernel stays valid until dpr_finalize().  *@out is NULL if @build gave no
   kernel, or returned DPR_ERROR_UNSUPPORTED or DPR_ERROR_BUILD: this is no
   failure, and is remembered.  Other errors of @build are returned, and the
   next call tries again. */
dpr_status once_built_get(dpr_queue *queue, const struct once_built_key *key,
			  once_built_fn *build, dpr_kernel **out);

#endif
