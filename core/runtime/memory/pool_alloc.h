/* SPDX-License-Identifier: Apache-2.0 */
/* pool_alloc.h - allocating from the pools, also when memory has run out. */
#ifndef RUNTIME_POOL_ALLOC_H
#define RUNTIME_POOL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/usm.h>

/*
 * Allocate for @queue from its device's pool.  When memory runs out, may wait
 * for queued work and call the program's pressure callback, holding no lock.
 */
dpr_status pool_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		      size_t alignment, dpr_usm **out);

/*
 * Allocate for a caller that can go on without the memory: from free blocks, or
 * from the driver within the limit, after giving back idle memory if need be.
 * Does not wait for work and does not call the program.  @tell: record an error
 * on failure.
 */
dpr_status pool_alloc_try(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  bool tell, dpr_usm **out);

/* Allocate from the driver directly, not from a slab.  When memory runs out,
   does the same as pool_alloc(). */
dpr_status pool_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out);

#endif
