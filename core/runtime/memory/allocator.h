/* SPDX-License-Identifier: Apache-2.0 */
/* allocator.h - allocators of the program's own. */
#ifndef RUNTIME_ALLOCATOR_H
#define RUNTIME_ALLOCATOR_H

#include <stddef.h>

#include <dpr/pool.h>
#include <dpr/usm.h>

/* Allocate with the program's allocator of @queue's device.  If there is
   none, or if this is called from within it, sets *@out to NULL and returns
   DPR_OK. */
dpr_status allocator_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			   size_t alignment, dpr_usm **out);

#endif
