/* SPDX-License-Identifier: Apache-2.0 */
/* usm.h - allocations as objects: making and checking them. */
#ifndef RUNTIME_USM_H
#define RUNTIME_USM_H

#include "core/runtime/memory/allocation.h"

/* Get the address of memory; *@out is NULL if it has none.  DPR_RC_INTERNAL:
   the plugin's answer is not an address. */
dprp_rc usm_ask_address(const struct plugin *plugin, dprp_mem *mem, void **out);

/* Make an allocation for @want, with memory of its own from the driver.
   Returns the driver's answer, or DPR_RC_OOM_HOST. */
dprp_rc usm_make(dpr_queue *queue, dpr_usm_kind kind,
		 const struct heap_want *want, dpr_usm **out);

/*
 * Make the object for a native handle before the handle is wrapped, so that
 * nothing can fail after the wrapping.  Returns NULL if memory runs out.  After
 * the wrapping, call usm_wrapped() with @handle.  If the wrapping failed, call
 * usm_discard().
 */
dpr_usm *usm_to_wrap(dpr_queue *queue, size_t size);
void usm_wrapped(dpr_usm *usm, dprp_mem *handle);
/* Free the object.  It must have no memory. */
void usm_discard(dpr_usm *usm);

/* Tell the program's allocator that the memory behind @token is unused.  @table
   may be NULL. */
void usm_tell_freed(const dpr_allocator *table, void *token, size_t size);

/* The access of a submission that writes @size bytes from @offset on and reads
   none of @usm. */
uint32_t usm_write_access(const dpr_usm *usm, size_t offset, uint64_t size);

/* Take the const off @usm: for functions that change no byte of an allocation,
   but the records of its uses. */
static inline dpr_usm *usm_asked(const dpr_usm *usm)
{
	return (dpr_usm *)(uintptr_t)usm;
}

/* Check the range of an operation on an allocation. */
dpr_status usm_check(const char *what, const dpr_usm *usm, size_t offset,
		     size_t size);

/* Refuse to write @usm, which was borrowed read-only. */
dpr_status usm_fail_read_only(const char *what, const dpr_usm *usm);

/* Check that @kind is one of the three. */
dpr_status usm_check_kind(const char *what, dpr_usm_kind kind);

/* Mark the contents of @usm as not valid, with @status and the text @why, until
   one submission writes all of them.  The failure counts as reported, so the
   caller must return it to the program. */
void usm_invalidate(dpr_usm *usm, dpr_status status, const char *why);

/* The word for a kind of memory. */
const char *usm_kind_name(dpr_usm_kind kind);

#endif
