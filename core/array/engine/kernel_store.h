/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_store.h - the kernels that were made of graphs. */
#ifndef ARRAY_KERNEL_STORE_H
#define ARRAY_KERNEL_STORE_H

#include <dpr/kernel.h>
#include <dpr/queue.h>

#include "core/array/engine/frame.h"
#include "core/array/engine/target.h"
#include "core/base/text.h"

/* A kernel that was made.  Never changes. */
struct kernel_store_kernel {
	dpr_kernel *kernel;
	/* NATIVE: the program of blocks.h, which a launch passes with its own
	   words at the end.  Otherwise empty. */
	struct text code;
};

/*
 * Get the kernel of @graph and @frame on @queue's device, made if it is not
 * there: of several threads that want it one makes it, the others wait.  If
 * the driver's compiler refuses it, the next call fails without another try
 * (failures.h).  The kernels that were not used for the longest
 * time are released when there are many.  It is the caller's until
 * kernel_store_put().
 */
dpr_status kernel_store_get(dpr_queue *queue, const struct target *target,
			    const struct graph *graph,
			    const struct frame *frame,
			    const struct kernel_store_kernel **out);
void kernel_store_put(const struct kernel_store_kernel *kernel);

/* Keep @kernel, which the caller has, until dpr_finalize(), however many others
   there are.  False: it was released meanwhile, or too many are held. */
bool kernel_store_hold(const struct kernel_store_kernel *kernel);

/* Tests only: keep at most @n kernels; 0 restores the default. */
void kernel_store_keep(size_t n);

#endif
