/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h - allocations of exactly the requested size, for drivers that check
   bounds: a pool would round sizes up and reuse memory. */
#ifndef TESTS_EXACT_H
#define TESTS_EXACT_H

#include <stdlib.h>

#include <dpr/pool.h>

static inline dpr_status exact__allocate(void *user, dpr_queue *queue,
					 dpr_usm_kind kind, size_t size,
					 size_t alignment, dpr_usm **out,
					 void **token)
{
	(void)user;
	*token = NULL;
	return dpr_driver_alloc(queue, kind, size, alignment, out);
}

/* Give the device such an allocator if Oclgrind checks its accesses. */
static inline dpr_status exact_memory(dpr_device *device)
{
	/* C++17 has no designated initialisers. */
	const dpr_allocator exact = { sizeof(exact), NULL, exact__allocate,
				      NULL };

	return getenv("OCLGRIND_LOG") ? dpr_device_set_allocator(device, &exact)
				      : DPR_OK;
}

#endif
