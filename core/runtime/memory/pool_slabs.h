/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_slabs.h - memory between the pools and the driver: slabs that are made,
 * and idle ones that are given back.
 */
#ifndef RUNTIME_POOL_SLABS_H
#define RUNTIME_POOL_SLABS_H

#include <stddef.h>
#include <stdint.h>

#include "core/runtime/memory/pool.h"

/* Answers of pool_slabs_grow() beside the driver's. */
#define SLAB_RC_LIMIT 1
#define SLAB_RC_MISALIGNED 2

/* The size of a slab for @want, so that more such requests fit into it. */
size_t pool_slabs_size(const struct pool *pool, const struct heap_want *want);

/* Make a slab of @size bytes and, in *@out, an allocation for @want in it. */
dprp_rc pool_slabs_grow(struct pool *pool, dpr_queue *queue,
			const struct heap_want *want, size_t size,
			dpr_usm **out);

/* Give idle slabs of @device's pools back, of a root device those of its parts
   too, but keep @keep bytes.  Returns how many bytes went. */
uint64_t pool_slabs_trim(dpr_device *device, uint64_t keep);

/* Give the idle slabs of other root devices back that are physically in the
   same memory as @pool's.  Returns how many bytes went. */
uint64_t pool_slabs_trim_others(struct pool *pool);

enum slab_movement {
	SLABS_STILL,
	SLABS_UNDER_WAY, /* as before: another thread is at the driver */
	SLABS_ARRIVED
};

/* What other threads do with slabs, and have done since *@seen was set by a
   call of this. */
enum slab_movement pool_slabs_movement(struct pool_root *root, uint64_t *seen);

/* Give all memory back to the drivers: dpr_finalize(), before devices close. */
void pool_slabs_close_all(void);

#endif
