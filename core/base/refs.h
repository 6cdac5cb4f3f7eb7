/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.h - a reference counter.
 *
 * Who takes a reference has one already, so a take orders nothing.  A drop both
 * releases and acquires: the thread that drops the last reference frees the
 * object, and has to see everything that other threads did with the object
 * before they dropped theirs.
 */
#ifndef BASE_REFS_H
#define BASE_REFS_H

#include <stdatomic.h>
#include <stdbool.h>

struct refs {
	atomic_uint count;
};

/* Set the count to 1, the reference of the caller. */
static inline void refs_init(struct refs *refs)
{
	atomic_store_explicit(&refs->count, 1, memory_order_relaxed);
}

/* Take a reference.  The caller has one. */
static inline void refs_take(struct refs *refs)
{
	atomic_fetch_add_explicit(&refs->count, 1, memory_order_relaxed);
}

/* Take a reference, unless the last one is gone.  The caller has none: a list
   or lock keeps the memory of @refs.  Acquires, as a mutex does, since the
   caller goes on to use the object.  Returns whether there was one to take. */
static inline bool refs_try_take(struct refs *refs)
{
	unsigned count =
		atomic_load_explicit(&refs->count, memory_order_relaxed);

	while (count)
		if (atomic_compare_exchange_weak_explicit(
			    &refs->count, &count, count + 1,
			    memory_order_acquire, memory_order_relaxed))
			return true;
	return false;
}

/* Drop a reference.  Returns whether it was the last: then the caller frees the
   object. */
static inline bool refs_drop(struct refs *refs)
{
	return atomic_fetch_sub_explicit(&refs->count, 1,
					 memory_order_acq_rel) == 1;
}

/* How many references there are now.  Other threads may change the number. */
static inline unsigned refs_count(const struct refs *refs)
{
	return atomic_load_explicit(&refs->count, memory_order_relaxed);
}

#endif
