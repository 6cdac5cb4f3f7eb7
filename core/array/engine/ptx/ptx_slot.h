/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_slot.h - writes the loads of kernels in PTX that reduce.
 *
 * A slot is the place of a pack in a round.  It has cells (ptx.h) for a pack of
 * each input.  In a round a work-item loads packs into slot 0, slot 1, and so
 * on. %a3 is the address of the work-item's first element in operand 3. %d3 is
 * the distance in bytes between neighbours of operand 3 along the reduced axis.
 * %left32 is the number of elements along this axis from the work-item's first
 * element on.
 */
#ifndef ARRAY_PTX_SLOT_H
#define ARRAY_PTX_SLOT_H

#include "core/array/engine/ptx/ptx.h"

/* The distance along the reduced axis, in elements, of element @j in slot @slot
   from the work-item's first element. */
int ptx_slot_distance(const struct ptx *e, int slot, int j);

/* Whether input @k has one element for the whole axis.  Such an input is loaded
   once, before all rounds, into the cells of one element. */
bool ptx_slot_is_once(const struct ptx *e, int k);

/* The number of cells of operand @k in a slot. */
int ptx_slot_cells(const struct ptx *e, int k);

/* ptx_slot_prepare(): set e->cells for e->slots slots.  ptx_slot_block(): set
   e->base for the block that begins with element @begin of slot @slot. */
void ptx_slot_prepare(struct ptx *e);
void ptx_slot_block(struct ptx *e, int slot, int begin);

/* Set %q to whether element @j of slot @slot is not missing. */
void ptx_slot_check(struct ptx *e, int slot, int j);

/* ptx_slot_load_once(): load all inputs that are loaded only once.
   ptx_slot_load(): load the pack of any other input @k in slot @slot.  Missing
   elements become 0. */
void ptx_slot_load_once(struct ptx *e);
void ptx_slot_load(struct ptx *e, int k, int slot,
		   enum schedule_missing missing);

/* Find the number of the work-item's team, %id, and the work-item's number in
   the team, %member.  %ok is true if the team has work.  In kernels of columns
   a team without work returns.  In kernels of rows such a team continues with
   %id = 0, because all work-items of a group must reach the barriers. */
void ptx_slot_team(struct ptx *e);

#endif
