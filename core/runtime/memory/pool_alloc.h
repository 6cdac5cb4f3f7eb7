/* SPDX-License-Identifier: Apache-2.0 */
/* pool_alloc.h - allocating from the pools, also when memory has run out. */
#ifndef RUNTIME_POOL_ALLOC_H
#define RUNTIME_POOL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/usm.h>

/*
 * Memory for @queue from its device's pool.  May wait for queued work and call
 * the user's pressure callback when there is no memory; holds no lock then.
 */
dpr_status pool_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		      size_t alignment, dpr_usm **out);

/*
 * Memory for @queue where there is another way if there is none: what is free,
 * or what the driver gives within the limit, after idle memory was given back
 * for it if need be.  Waits for no work and does not call the program.  @tell:
 * record an error that says why there is none.
 */
dpr_status pool_alloc_try(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  bool tell, dpr_usm **out);

/* Memory of the driver's for one allocation alone.  When there is none, does
   the same as pool_alloc(). */
dpr_status pool_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out);

#endif
