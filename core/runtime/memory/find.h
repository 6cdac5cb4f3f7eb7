/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.h - the index of all memory by address, and who holds how much of it.
 */
#ifndef RUNTIME_FIND_H
#define RUNTIME_FIND_H

#include "core/base/text.h"
#include "core/runtime/memory/usm.h"

/* A slab, whose address and size are set. */
void span_add(struct span *span);
void span_remove(struct span *span);

/* An allocation with memory of its own. */
void usm_register(dpr_usm *usm);
void usm_unregister(dpr_usm *usm);

/* The largest allocations of @root and how many there are, as a text to end an
   error with. */
void usm_holders(const dpr_device *root, struct text *text);

#endif
