/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_slot.h - loads of kernels in PTX that reduce: slots of packs.
 *
 * A work-item loads a pack of each input into the cells of a slot, then that of
 * the next slot, and so on.  %a3 has the address of operand 3's first element,
 * %d3 the bytes from one element to the next along the axis that is reduced.
 * %left32 elements are left from the item's first one on.
 */
#ifndef ARRAY_PTX_SLOT_H
#define ARRAY_PTX_SLOT_H

#include "core/array/engine/ptx/ptx.h"

/* How far element @j of slot @slot is from the item's first one, along the axis
   that is reduced. */
int ptx_slot_distance(const struct ptx *e, int slot, int j);

/* Whether input @k is loaded once, into the cells of one element. */
bool ptx_slot_is_once(const struct ptx *e, int k);

/* The cells of operand @k in a slot. */
int ptx_slot_cells(const struct ptx *e, int k);

/* Let e->cells be those of e->slots slots, and e->base those of the block that
   begins with element @begin of slot @slot. */
void ptx_slot_prepare(struct ptx *e);
void ptx_slot_block(struct ptx *e, int slot, int begin);

/* Let %q tell whether element @j of slot @slot is there. */
void ptx_slot_check(struct ptx *e, int slot, int j);

/* Load the inputs that are loaded once; slot @slot of input @k, if that is not
   one of these.  What is missing is 0. */
void ptx_slot_load_once(struct ptx *e);
void ptx_slot_load(struct ptx *e, int k, int slot, enum frame_missing missing);

/* Find the number of the item's team, %id, and the item's number in it, %lane.
   %ok tells whether the team has anything to do. */
void ptx_slot_team(struct ptx *e);

#endif
