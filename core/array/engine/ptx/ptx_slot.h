/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_slot.h - the loads of kernels in PTX that reduce.
 *
 * A work-item loads a pack of each input into the cells of slot 0, then a pack
 * into slot 1, and so on.  %a3 is the address of the first element of operand
 * 3.  %d3 is the distance in bytes between its elements along the reduced axis.
 * %left32 is the number of elements from the item's first one on.
 */
#ifndef ARRAY_PTX_SLOT_H
#define ARRAY_PTX_SLOT_H

#include "core/array/engine/ptx/ptx.h"

/* The distance of element @j of slot @slot from the item's first element, in
   elements along the reduced axis. */
int ptx_slot_distance(const struct ptx *e, int slot, int j);

/* Whether input @k is loaded once, into the cells of one element. */
bool ptx_slot_is_once(const struct ptx *e, int k);

/* The number of cells of operand @k in a slot. */
int ptx_slot_cells(const struct ptx *e, int k);

/* Set e->cells for e->slots slots.  Set e->base for the block that begins with
   element @begin of slot @slot. */
void ptx_slot_prepare(struct ptx *e);
void ptx_slot_block(struct ptx *e, int slot, int begin);

/* Set %q to whether element @j of slot @slot exists. */
void ptx_slot_check(struct ptx *e, int slot, int j);

/* Load all inputs that are loaded once.  Load slot @slot of input @k, unless it
   is loaded once.  Missing elements become 0. */
void ptx_slot_load_once(struct ptx *e);
void ptx_slot_load(struct ptx *e, int k, int slot,
		   enum schedule_missing missing);

/* Find the number of the item's team, %id, and the item's number in the team,
   %member.  %ok is true if the team has work. */
void ptx_slot_team(struct ptx *e);

#endif
