/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - guards: bytes behind allocations, by which the layer "check" finds
 * kernels that write past an argument.
 *
 * A device with `has_guards` gives each allocation some bytes more than were
 * asked for.  The core fills these with a pattern, and compares them when a
 * launch with the allocation as an argument is over, and when the allocation
 * is given back.  The lock of a guard is a leaf.
 */
#ifndef RUNTIME_GUARD_H
#define RUNTIME_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

#include "core/runtime/device/device.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/use.h"

/* How many bytes a guard has. */
#define GUARD_BYTES ((size_t)512)

struct guard_watch;

/* How many bytes to ask for behind an allocation of @size bytes on @device,
   which has guards: 0 if the whole would be too large for it. */
size_t guard_bytes(const dpr_device *device, size_t size);

/* Lay the guard of a new allocation, which has GUARD_BYTES behind its size.  No
   work may use that memory.  Without an address, or if host memory is short,
   the allocation gets no guard. */
void guard_lay(dpr_usm *usm);

/* Compare the guard of @usm for the last time, and forget it.  The memory must
   still be there. */
void guard_end(dpr_usm *usm);

/* Whether a launch with @usm, which has a guard, as an argument was not looked
   at yet.  Called for an allocation without references. */
bool guard_is_watched(const dpr_usm *usm);

/*
 * Begin a launch of the kernel @name.  @uses are the allocations behind its
 * memory arguments, in the order of the arguments.  Returns what
 * guard_watch_end() takes; NULL: nothing to look at, or host memory is short.
 */
struct guard_watch *guard_watch_begin(const char *name,
				      const dprp_launch *launch,
				      const struct use *uses);

/* Look at the guards when submission @ticket of @queue is over; or never, if
   it was not @sent.  Takes over @watch, which may be NULL.  Called with the
   queue's `submit` held and after tickets_reserve(). */
void guard_watch_end(struct guard_watch *watch, dpr_queue *queue,
		     uint64_t ticket, bool sent);

#endif
