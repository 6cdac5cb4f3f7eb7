/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_rounds.h - how a team of work-items goes over a row or a part of an axis,
 * in SCHEDULE_REDUCE_* and SCHEDULE_STAGES.
 *
 * A work-item takes its elements in rounds.  In a round it loads several packs
 * of each input, and computes the steps.  Then it combines the values with its
 * accumulators, or stores results.  The place of a pack in a round is a slot.
 */
#ifndef ARRAY_GPU_ROUNDS_H
#define ARRAY_GPU_ROUNDS_H

#include "core/array/engine/gpu/gpu_run.h"

struct gpu_rounds {
	uint64_t set; /* the steps that are computed for each element */
	bool stores;  /* rounds store results, and combine nothing */
	bool is_columns;
	bool is_team; /* a team may have several work-items */
	unsigned slots, pack;
	unsigned values; /* the number of accumulators of a work-item */
	/* team: the number of work-items in a team; 0: the number is a word of
	   the launch (gpu.open).  items: the same number as a handle of the
	   machine. */
	unsigned team;
	uint32_t items;
	uint32_t id;   /* the team's number among all teams */
	uint32_t part; /* if gpu.cut is set: the number of the team's part */
	/* item: the index of the work-item in its group.  member: its index in
	   its team. */
	uint32_t item, member;
	uint32_t ok; /* a condition: the team has work */
	/* The work-item's first element in the part, and the end of the
	   part. */
	uint32_t first, end;
	/* Where the part lies in each operand, along the reduced axis. */
	struct gpu_run_place place[SCHEDULE_OPERANDS];
	/* the elements of inputs with one value for a whole row, which are
	   loaded before the rounds */
	struct machine_element once[SCHEDULE_OPERANDS];
};

/* Begin *@f: find the work-item's team and its part.  *@begin is where the part
   begins on the reduced axis.  Returns the team's number among the teams that
   take this part, each for another result.  In columns this number is
   multiplied by the number of elements of a pack. */
uint32_t gpu_rounds_begin(struct machine *m, struct gpu_rounds *f,
			  uint32_t *begin);

/* gpu_rounds_is_once(): whether operand @k has one value for a whole row.
   gpu_rounds_load_once() loads all such inputs. */
bool gpu_rounds_is_once(const struct machine *m, const struct gpu_rounds *f,
			int k);
void gpu_rounds_load_once(struct machine *m, struct gpu_rounds *f);

/* Append the rounds.  If the rounds combine values, the caller must call
   load_values() next to get the accumulators. */
void gpu_rounds_add(struct machine *m, struct gpu_rounds *f);

#endif
