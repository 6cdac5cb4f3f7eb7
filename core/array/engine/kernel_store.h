/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_store.h - makes kernels of graphs, and keeps them. */
#ifndef ARRAY_KERNEL_STORE_H
#define ARRAY_KERNEL_STORE_H

#include <dpr/kernel.h>
#include <dpr/queue.h>

#include "core/array/engine/schedule.h"
#include "core/array/engine/target.h"
#include "core/base/text.h"

/* A kernel.  It never changes. */
struct kernel_store_kernel {
	dpr_kernel *kernel;
	/* The program of a kernel in native code (vmcode.h).  A launch passes a
	   copy, whose last bytes are the words of the launch.  Empty in other
	   formats. */
	struct text code;
};

/* Get the kernel of @graph and @schedule on @queue's device.  If the kernel
   does not exist, one thread makes the kernel, and other threads that need it
   wait.  If the driver's compiler refuses the kernel, the next call fails
   without another try (failures.h).  When there are many kernels, those not
   used for the longest time are released.  The caller has a reference until
   kernel_store_put(). */
dpr_status kernel_store_get(dpr_queue *queue, const struct target *target,
			    const struct graph *graph,
			    const struct schedule *schedule,
			    const struct kernel_store_kernel **out);
void kernel_store_put(const struct kernel_store_kernel *kernel);

/* Fail because no kernel can be made for @queue's device.  If asking the device
   for its formats fails, return that error instead. */
dpr_status kernel_store_refuse(dpr_queue *queue);

/* Keep @kernel until dpr_finalize(), however many other kernels there are.  The
   caller must have a reference to @kernel.  Returns false if the store has
   released the kernel meanwhile, or if the store holds too many kernels. */
bool kernel_store_hold(const struct kernel_store_kernel *kernel);

/* Tests only: keep at most @n kernels; 0 restores the default. */
void kernel_store_keep(size_t n);

#endif
