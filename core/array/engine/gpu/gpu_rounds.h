/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_rounds.h - writes the loop in which a team goes over a row, or over a
 * part of the reduced axis: for SCHEDULE_REDUCE_* and SCHEDULE_STAGES.
 *
 * A team is the work-items that reduce a part together, or compute a row
 * together.  Each work-item takes its elements in rounds.  In a round the
 * work-item loads several packs of neighbouring elements of each input, and
 * computes the steps.  Then it combines the values with its accumulators, or
 * stores results.  The place of a pack in its round is called a slot.
 */
#ifndef ARRAY_GPU_ROUNDS_H
#define ARRAY_GPU_ROUNDS_H

#include "core/array/engine/gpu/gpu_run.h"

struct gpu_rounds {
	uint64_t set; /* the steps that are computed for each element */
	/* set if the rounds store results; otherwise the rounds combine values
	   with accumulators */
	bool stores;
	bool is_columns;
	/* set if a team has several work-items, or may have several
	   (gpu.open) */
	bool is_team;
	unsigned slots, pack;
	unsigned values; /* the number of accumulators of a work-item */
	/* team: the number of work-items in a team; 0: the launch passes this
	   number as a word (gpu.open).  items: the handle of this number in
	   both cases. */
	unsigned team;
	uint32_t items;
	uint32_t id;   /* the team's number among all teams */
	uint32_t part; /* if gpu.cut is set: the number of the team's part */
	/* item: the number of the work-item in its group.  member: its number
	   in its team. */
	uint32_t item, member;
	uint32_t ok; /* a condition: the team has elements */
	/* The position of the work-item's first element, and the end of the
	   part.  Both are counted in elements from the beginning of the
	   part. */
	uint32_t first, end;
	/* For each operand: where the part begins, and the distance between
	   neighbours along the reduced axis. */
	struct gpu_run_place place[SCHEDULE_OPERANDS];
	/* for each input with one value for a whole row: this value, which is
	   loaded before the rounds */
	struct machine_element once[SCHEDULE_OPERANDS];
};

/* Set up *@f, and write code that finds the work-item's team and the team's
   part.  *@begin is the index along the reduced axis at which the part begins.
   Returns the number of the result for which the team reduces the part.  In
   SCHEDULE_REDUCE_COLUMNS a team has a pack of results, and the number of the
   first result is returned.  In SCHEDULE_STAGES the number of the team's row is
   returned. */
uint32_t gpu_rounds_begin(struct machine *m, struct gpu_rounds *f,
			  uint32_t *begin);

/* gpu_rounds_is_once(): whether operand @k has one value for a whole row.
   gpu_rounds_load_once(): load all inputs that have one value for a whole row
   into f->once. */
bool gpu_rounds_is_once(const struct machine *m, const struct gpu_rounds *f,
			int k);
void gpu_rounds_load_once(struct machine *m, struct gpu_rounds *f);

/* Append the rounds.  If the rounds combine values, the caller must call
   load_values() before it uses the accumulators. */
void gpu_rounds_add(struct machine *m, struct gpu_rounds *f);

#endif
