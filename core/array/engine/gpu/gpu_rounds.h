/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_rounds.h - how a team of work-items goes over a row or a part of an axis,
 * in SCHEDULE_REDUCE_* and SCHEDULE_STAGES.
 *
 * In each round a work-item loads the packs of all slots and computes the
 * steps.  Then it adds the values to its accumulators, or stores results.
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
	unsigned values; /* the number of accumulated values */
	/* the work-items of a team; 0 with gpu.open: see `items` */
	unsigned team;
	uint32_t items;
	uint32_t id;   /* the number of the team */
	uint32_t part; /* the part that the team reduces, with gpu.cut */
	/* the number of the work-item in its group, and in its team */
	uint32_t item, member;
	uint32_t ok; /* rows: whether the team has any work */
	/* The item's first element in the part, and the end of the part. */
	uint32_t first, end;
	/* The place of the part in each operand, along the reduced axis. */
	struct gpu_run_place place[SCHEDULE_OPERANDS];
	/* SCHEDULE_FIXED operands of rows */
	struct machine_element once[SCHEDULE_OPERANDS];
};

/* Find the work-item's team and part.  The part begins at @*begin.  Returns the
   number of the first result in the part. */
uint32_t gpu_rounds_begin(struct machine *m, struct gpu_rounds *f,
			  uint32_t *begin);

/* Whether operand @k has one value for a whole row.  Load such inputs. */
bool gpu_rounds_is_once(const struct machine *m, const struct gpu_rounds *f,
			int k);
void gpu_rounds_load_once(struct machine *m, struct gpu_rounds *f);

/* Append the rounds.  Afterwards load_values() gives the accumulated values. */
void gpu_rounds_add(struct machine *m, struct gpu_rounds *f);

#endif
