/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_slot.h - the loads of kernels in PTX that reduce.
 *
 * A slot has the cells for a pack of each input.  In a round, a work-item loads
 * packs into slot 0, slot 1, and so on.  %a3 is the address of the first of its
 * elements of operand 3.  %d3 is the distance in bytes between neighbours of
 * operand 3 along the axis that is reduced.  %left32 is the number of elements
 * along this axis from the work-item's first one on.
 */
#ifndef ARRAY_PTX_SLOT_H
#define ARRAY_PTX_SLOT_H

#include "core/array/engine/ptx/ptx.h"

/* The distance of element @j of slot @slot from the item's first element, in
   elements along the reduced axis. */
int ptx_slot_distance(const struct ptx *e, int slot, int j);

/* Whether input @k is loaded only once, before all rounds, because it has a
   single element along the axis.  It has the cells of one element. */
bool ptx_slot_is_once(const struct ptx *e, int k);

/* The number of cells of operand @k in a slot. */
int ptx_slot_cells(const struct ptx *e, int k);

/* Set e->cells for e->slots slots.  ptx_slot_block() sets e->base for the block
   that begins with element @begin of slot @slot. */
void ptx_slot_prepare(struct ptx *e);
void ptx_slot_block(struct ptx *e, int slot, int begin);

/* Set %q to whether element @j of slot @slot exists. */
void ptx_slot_check(struct ptx *e, int slot, int j);

/* Load all inputs that are loaded only once.  ptx_slot_load() loads slot @slot
   of any other input @k.  Elements that are missing become 0. */
void ptx_slot_load_once(struct ptx *e);
void ptx_slot_load(struct ptx *e, int k, int slot,
		   enum schedule_missing missing);

/* Find the number of the item's team, %id, and the item's number in the team,
   %member.  %ok is true if the team has work.  In kernels of rows, a team
   without work goes on with 0 as %id, because all items of a group must reach
   the barriers; in kernels of columns it returns. */
void ptx_slot_team(struct ptx *e);

#endif
