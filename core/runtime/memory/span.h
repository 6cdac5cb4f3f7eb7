/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.h - the index of all memory: slabs, and allocations with memory of their
 * own.
 *
 * The index has one lock.  A pool's lock may be taken under it.
 */
#ifndef RUNTIME_SPAN_H
#define RUNTIME_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of memory in the index. */
struct span {
	uintptr_t address; /* 0: the span has no address */
	size_t size;
	bool is_slab; /* the span is a slab; else it is part of a dpr_usm */
	/* Used by the index only. */
	uint32_t priority;
	uintptr_t last; /* the last byte of this span and of all below it in the
			   tree */
	struct span *left, *right;
	struct span *next, *previous;
};

/* Add @span, whose first three fields are set. */
void span_add(struct span *span);
void span_remove(struct span *span);

/*
 * Call @take for each span that holds @address, the innermost first, until it
 * returns non-NULL.  Slabs and other spans are searched apart: found[1] gets
 * the result for slabs, and found[0] the result for the others; NULL if there
 * is none.  The index is locked meanwhile.
 */
void span_find(uintptr_t address,
	       void *(*take)(struct span *span, uintptr_t address),
	       void *found[2]);

/* Call @call for every span that is not a slab.  The index is locked
   meanwhile. */
void span_each(void (*call)(const struct span *span, void *user), void *user);

#endif
