/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_rounds.h - writes, in PTX, the loop of a kernel over the reduced axis, or
 * over a row: for SCHEDULE_REDUCE_* and SCHEDULE_STAGES.
 *
 * A turn of this loop is a round: a work-item takes a pack for each slot
 * (ptx_slot.h).  Elements may be missing in the last round: they would be
 * beyond the end of the part or row.  So the code of the last round is written
 * separately.
 */
#ifndef ARRAY_PTX_ROUNDS_H
#define ARRAY_PTX_ROUNDS_H

#include "core/array/engine/ptx/ptx.h"

struct ptx_rounds {
	uint64_t moves;             /* bit k: operand k's address moves */
	enum schedule_missing last; /* what may be missing in the last round */
	/* Write a round.  @missing: what may be missing in the round. */
	void (*add)(void *context, enum schedule_missing missing);
	void *context;
};

/* Write code that sets %d3 (if @k is 3) to the distance in bytes between
   neighbours of operand @k along the axis.  @word is the index of the word that
   has the stride.  An element has @size bytes. */
void ptx_rounds_step(struct ptx *e, int k, int word, int size);

/* Write code that moves the address of operand @k to the work-item's first
   element, which is element %begin of the axis. */
void ptx_rounds_begin(struct ptx *e, int k);

/* Write the loop over the rounds, and the last round.  %left32 must be the
   number of elements from the work-item's first element to the end of the part
   or row. */
void ptx_rounds_add(struct ptx *e, const struct ptx_rounds *rounds);

/* Write code that combines the values of step @step with the accumulators, for
   the block that begins with element @begin of slot @slot.  @missing: which
   elements may be missing.  Missing elements are not combined. */
void ptx_rounds_combine(struct ptx *e, int step, int slot, int begin,
			enum schedule_missing missing);

#endif
