/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_rounds.h - writes the loop along the axis that a kernel in PTX reduces,
 * in SCHEDULE_REDUCE_* and SCHEDULE_STAGES.
 *
 * A round is a turn of this loop: a work-item takes a pack for every slot
 * (ptx_slot.h).  The last round may be incomplete.  Its code is written apart.
 */
#ifndef ARRAY_PTX_ROUNDS_H
#define ARRAY_PTX_ROUNDS_H

#include "core/array/engine/ptx/ptx.h"

struct ptx_rounds {
	uint64_t moves;             /* bit k: operand k moves along the axis */
	enum schedule_missing last; /* what may be missing in the last round */
	/* Writes a round; @missing says what may be missing in the round. */
	void (*add)(void *context, enum schedule_missing missing);
	void *context;
};

/* Set %d3, for operand @k = 3, to the distance in bytes between neighbours
   along the axis.  Word @word has the stride, and an element has @size
   bytes. */
void ptx_rounds_step(struct ptx *e, int k, int word, int size);

/* Move the address of operand @k to the item's first element, which is element
   %begin of the axis. */
void ptx_rounds_begin(struct ptx *e, int k);

/* Write the loop over %left32 elements, and its last round. */
void ptx_rounds_add(struct ptx *e, const struct ptx_rounds *rounds);

/* Combine the values of step @step with the accumulated values, for the block
   that begins with element @begin of slot @slot.  Elements that are missing are
   left out. */
void ptx_rounds_combine(struct ptx *e, int step, int slot, int begin,
			enum schedule_missing missing);

#endif
