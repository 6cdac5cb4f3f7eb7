/* SPDX-License-Identifier: Apache-2.0 */
/* allocator.c - allocators of the program's own. */
#include "core/runtime/memory/allocator.h"

#include <string.h>

#include <dpr/pool.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/usm.h"

/* An allocator that was set.  Like devices, it is never freed: allocations
   refer to it. */
struct allocator {
	dpr_allocator table;
	struct allocator *next; /* the next allocator of the root device */
};

/* Whether this thread is in an allocator's `allocate`: allocations made there
   come from the pool. */
static _Thread_local bool inside;

dpr_status dpr_device_set_allocator(dpr_device *device,
				    const dpr_allocator *allocator)
{
	TRACE_CALL;
	HANDLES(device);
	struct allocator *made;
	struct pool_root *root;
	dpr_status status = process_check("set allocator");

	if (status)
		return status;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "set allocator: the device is NULL");
	if (allocator &&
	    (allocator->struct_size < DPRP_SIZE_TO(dpr_allocator, allocate) ||
	     !allocator->allocate))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "set allocator: %s is not set",
			    allocator->struct_size ? "allocate"
						   : "struct_size");
	if (!allocator) {
		atomic_store(&device->allocator, NULL);
		return DPR_OK;
	}
	root = pool_root_of(device);
	made = root ? mem_alloc(sizeof(*made)) : NULL;
	if (!made)
		return fail_memory("set allocator");
	memcpy(&made->table, allocator,
	       allocator->struct_size < sizeof(made->table)
		       ? allocator->struct_size
		       : sizeof(made->table));
	made->next = atomic_load(&root->allocators);
	while (!atomic_compare_exchange_weak(&root->allocators, &made->next,
					     made))
		;
	atomic_store(&device->allocator, made);
	return DPR_OK;
}

/* Why the allocation that the program's function made cannot be used, or
   NULL. */
static const char *wrong_with(const dpr_queue *queue, dpr_usm_kind kind,
			      size_t size, size_t alignment, const dpr_usm *usm)
{
	if (usm->size < size)
		return "is too small";
	if (usm->queue->device->root != queue->device->root)
		return "is of another device";
	if (usm->queue != queue)
		return "is for another queue";
	if (usm->allocator || refs_count(&usm->refs) != 1)
		return "is in use already";
	/* Any kind will do for DEVICE.  The host may access the other kinds, so
	   those must match. */
	if (kind != DPR_USM_DEVICE && usm->kind != kind && !usm->kind_unknown)
		return "is of another kind of memory";
	if (alignment && (uintptr_t)usm->address % alignment)
		return "is not aligned as requested";
	return NULL;
}

/* Check what the program's function has returned. */
static dpr_status check_made(const dpr_queue *queue, dpr_usm_kind kind,
			     size_t size, size_t alignment, const dpr_usm *usm)
{
	const char *wrong;

	if (!usm)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"usm alloc: the allocator of %s returned DPR_OK but no allocation",
			queue->device->selector);
	wrong = wrong_with(queue, kind, size, alignment, usm);
	if (!wrong)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "usm alloc: the allocator of %s gave an allocation that %s",
		    queue->device->selector, wrong);
}

/* Call allocate(). */
static dpr_status ask_program(const dpr_allocator *table, dpr_queue *queue,
			      dpr_usm_kind kind, size_t size, size_t alignment,
			      dpr_usm **out, void **token)
{
	const int depth = call_stack_go_out();
	dpr_status status;

	if (handles_watch())
		handles_lend(HANDLE_QUEUE, queue, "dpr_allocator.allocate",
			     NULL);
	status = table->allocate(table->user, queue, kind, size, alignment, out,
				 token);
	if (!status && *out)
		handles_give(*out);
	call_stack_go_back(depth);
	return status;
}

dpr_status allocator_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			   size_t alignment, dpr_usm **out)
{
	struct allocator *allocator = atomic_load_explicit(
		&queue->device->allocator, memory_order_acquire);
	void *token = NULL;
	dpr_status status;

	*out = NULL;
	if (!allocator || inside)
		return DPR_OK;
	inside = true;
	status = ask_program(&allocator->table, queue, kind, size, alignment,
			     out, &token);
	inside = false;
	if (status) {
		*out = NULL;
		return status;
	}
	status = check_made(queue, kind, size, alignment, *out);
	if (status) {
		size = *out ? dpr_usm_size(*out) : size;
		dpr_usm_release(*out);
		*out = NULL;
		usm_tell_freed(&allocator->table, token, size);
		return status;
	}
	/* If the driver does not report the kind of memory, assume the
	   requested kind. */
	if ((*out)->kind_unknown)
		(*out)->kind = kind;
	(*out)->allocator = &allocator->table;
	(*out)->token = token;
	return DPR_OK;
}
