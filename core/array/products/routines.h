/* SPDX-License-Identifier: Apache-2.0 */
/* routines.h - routines that a backend takes from a library (the image format
   "calls-1", which <dpr/backend.h> describes). */
#ifndef ARRAY_ROUTINES_H
#define ARRAY_ROUTINES_H

#include <dpr/kernel.h>
#include <dpr/queue.h>

/* Get the kernel of the routine @name, such as "gemm float32", for @queue's
   device.  The kernel stays valid until dpr_finalize().  The first call builds
   it, which may load a library.  *@out is NULL if the device has no such
   routine: this is no failure, and is remembered. */
dpr_status routines_get(dpr_queue *queue, const char *name, dpr_kernel **out);

#endif
