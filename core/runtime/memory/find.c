/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - which allocation holds an address. */
#include <stdbool.h>

#include <dpr/usm.h>

#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/heap.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/span.h"

/* The allocation in @span that holds @address, with a reference, unless another
   thread is just releasing the last.  A slab stays
   while the index is locked, and its blocks stay while their pool is locked. */
static void *usm_in_span(struct span *span, uintptr_t address)
{
	const struct slab *slab = (const struct slab *)span;
	const struct block *block;
	dpr_usm *usm = (dpr_usm *)((char *)span - offsetof(dpr_usm, span));

	if (!span->is_slab)
		return refs_try_take(&usm->refs) ? usm : NULL;
	pthread_mutex_lock(&slab->pool->lock);
	block = heap_slab_block(slab, address - span->address);
	usm = block ? block->usm : NULL;
	if (usm && (address - (uintptr_t)usm->address >= usm->size ||
		    !refs_try_take(&usm->refs)))
		usm = NULL;
	pthread_mutex_unlock(&slab->pool->lock);
	return usm;
}

/* Whether @a lies within @b or begins after @b begins. */
static bool is_inner(const dpr_usm *a, const dpr_usm *b)
{
	return a->address != b->address
		       ? (uintptr_t)a->address > (uintptr_t)b->address
		       : a->size <= b->size;
}

dpr_status dpr_usm_find(const void *pointer, dpr_usm **out, size_t *offset)
{
	TRACE_CALL;
	HANDLES(out);
	uintptr_t address = (uintptr_t)pointer;
	dpr_usm *block, *outer;
	void *found[2];
	dpr_status status;

	if (out)
		*out = NULL;
	if (offset)
		*offset = 0;
	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm find: out is NULL");
	status = process_check("usm find");
	if (status)
		return status;
	span_find(address, usm_in_span, found);
	*out = found[0];
	block = found[1];
	/* Take the inner one.  If both cover the same bytes, it is the wrapped
	   allocation, not the block. */
	if (!*out || (block && !is_inner(*out, block))) {
		outer = *out;
		*out = block;
	} else {
		outer = block;
	}
	dpr_usm_release(outer);
	if (!*out)
		return fail(
			DPR_ERROR_NOT_FOUND,
			"usm find: %p is not in any allocation of this process",
			pointer);
	if (offset)
		*offset = (size_t)(address - (uintptr_t)(*out)->address);
	return DPR_OK;
}
