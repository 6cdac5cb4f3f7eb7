/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_slabs.h - making slabs, and giving idle ones back to the driver.
 */
#ifndef RUNTIME_POOL_SLABS_H
#define RUNTIME_POOL_SLABS_H

#include <stddef.h>
#include <stdint.h>

#include "core/runtime/memory/pool.h"

/* Answers of pool_slabs_grow() in addition to the driver's: the limit leaves no
   room; the memory is not aligned as requested. */
#define SLAB_RC_LIMIT 1
#define SLAB_RC_MISALIGNED 2

/* The size to ask for: a slab for @want and more such requests. */
size_t pool_slabs_size(const struct pool *pool, const struct heap_want *want);

/* Make a slab of @size bytes and, in *@out, an allocation for @want in it. */
dprp_rc pool_slabs_grow(struct pool *pool, dpr_queue *queue,
			const struct heap_want *want, size_t size,
			dpr_usm **out);

/* Give idle slabs of @device's pools back to the driver, for a root device also
   those of its sub-devices, but leave @keep bytes in these pools.  Returns how
   many bytes were given back. */
uint64_t pool_slabs_trim(dpr_device *device, uint64_t keep);

/* Give back idle slabs of other root devices that share physical memory with
   @pool.  Returns how many bytes were given back. */
uint64_t pool_slabs_trim_others(struct pool *pool);

enum slab_movement {
	SLABS_STILL,
	SLABS_UNDER_WAY, /* no change: another thread is in a call of the
			    driver */
	SLABS_ARRIVED
};

/* What other threads do with slabs, or have done since the previous call.
   @seen keeps a count between calls. */
enum slab_movement pool_slabs_movement(struct pool_root *root, uint64_t *seen);

/* Give all idle memory back to the drivers.  Called by dpr_finalize(), before
   devices close. */
void pool_slabs_close_all(void);

#endif
