/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_rounds.h - how a team of work-items goes over what it reduces, as
 * SPIR-V, in FRAME_FOLD_* and FRAME_STAGES.
 *
 * In each round a work-item loads the packs of all slots, computes the steps,
 * and combines the values with those that it has accumulated (spirv_sum.h), or
 * stores results.
 */
#ifndef ARRAY_SPIRV_ROUNDS_H
#define ARRAY_SPIRV_ROUNDS_H

#include "core/array/engine/spirv/spirv_run.h"
#include "core/array/engine/spirv/spirv_sum.h"

struct spirv_rounds {
	struct spirv_sum sum;
	uint64_t set; /* the steps that are computed for each element */
	bool stores;  /* results, and combines nothing */
	bool is_columns;
	unsigned slots, pack;
	uint32_t id;         /* of the team */
	uint32_t item, lane; /* of the work-item, in its group and its team */
	uint32_t ok;         /* rows: whether the team has anything to do */
	/* In the part: the item's first element, and where it ends. */
	uint32_t first, end;
	/* Where the part is, along the axis that is reduced. */
	struct spirv_run_place place[FRAME_OPERANDS];
	struct spirv_access_pack once[FRAME_OPERANDS]; /* FIXED, of rows */
};

/* Find the work-item's team and part.  Returns the number of the first result
   in the part, which begins at @*begin. */
uint32_t spirv_rounds_begin(struct spirv_steps *e, struct spirv_rounds *f,
			    uint32_t *begin);

/* Whether operand @k has one value for all that an item reduces; load those. */
bool spirv_rounds_is_once(const struct spirv_steps *e,
			  const struct spirv_rounds *f, int k);
void spirv_rounds_load_once(struct spirv_steps *e, struct spirv_rounds *f);

/* Append the rounds.  Afterwards the values are in their variables. */
void spirv_rounds_add(struct spirv_steps *e, struct spirv_rounds *f);

#endif
