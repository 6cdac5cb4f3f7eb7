/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_rounds.h - how kernels in PTX go along an axis that they reduce, in
 * FRAME_FOLD_* and FRAME_STAGES.
 *
 * In each round a work-item takes a pack of every slot (ptx_slot.h).  The last
 * round, of which only some elements are there, is written apart from the
 * others.
 */
#ifndef ARRAY_PTX_ROUNDS_H
#define ARRAY_PTX_ROUNDS_H

#include "core/array/engine/ptx/ptx.h"

struct ptx_rounds {
	uint64_t moves;          /* bit k: operand k moves along the axis */
	enum frame_missing last; /* what may be missing of the last round */
	/* Write a round of which @missing may be missing. */
	void (*add)(void *context, enum frame_missing missing);
	void *context;
};

/* Let %d3 be the bytes from one element of operand 3 to the next along the
   axis, where word @word has the stride and an element @size bytes. */
void ptx_rounds_step(struct ptx *e, int k, int word, int size);

/* Move the address of operand @k to the item's first element, which is element
   %begin of the axis. */
void ptx_rounds_begin(struct ptx *e, int k);

/* Write all rounds.  %left32 elements are left. */
void ptx_rounds_add(struct ptx *e, const struct ptx_rounds *rounds);

/* Combine the values of step @step with those that are accumulated: of the
   block that begins with element @begin of slot @slot. */
void ptx_rounds_combine(struct ptx *e, int step, int slot, int begin,
			enum frame_missing missing);

#endif
