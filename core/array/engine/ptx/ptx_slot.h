/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_slot.h - writes the loads of kernels that reduce, in PTX.
 *
 * A slot is the place of a pack in a round.  Each slot has cells (ptx.h) for a
 * pack of each input.  In a round a work-item loads packs into slot 0, slot 1,
 * and so on.
 *
 *  %a3       the address of the work-item's first element in operand 3
 *  %d3       the distance in bytes between neighbours of operand 3 along the
 *            reduced axis
 *  %left32   the number of elements from the work-item's first element to the
 *            end of the part or row
 */
#ifndef ARRAY_PTX_SLOT_H
#define ARRAY_PTX_SLOT_H

#include "core/array/engine/ptx/ptx.h"

/* The distance from the work-item's first element to element @j in slot @slot,
   counted in elements along the reduced axis. */
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

/* Write code that sets predicate %q if element @j of slot @slot is before the
   end of the part or row. */
void ptx_slot_check(struct ptx *e, int slot, int j);

/* ptx_slot_load_once(): write loads of all inputs for which ptx_slot_is_once()
   holds.  ptx_slot_load(): if @k is any other input, write loads of its pack in
   slot @slot.  Missing elements become 0. */
void ptx_slot_load_once(struct ptx *e);
void ptx_slot_load(struct ptx *e, int k, int slot,
		   enum schedule_missing missing);

/* Write code that sets %id, the number of the work-item's team, and %member,
   the number of the work-item in the team.  %ok is true if the team has
   elements.  In SCHEDULE_REDUCE_COLUMNS the work-items of a team without
   elements return.  In other schedules they continue with %id = 0, because all
   work-items of a group must reach the barriers. */
void ptx_slot_team(struct ptx *e);

#endif
