/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_run.h - a run: the few elements that a work-item takes in a kernel that
 * goes over all elements.  If no element is missing, the run is whole and its
 * elements are computed together.  Otherwise a loop computes the elements that
 * are there.
 *
 * A run counts from `begin` on, in steps of `step`, below `end`.  Each count
 * stands for an element.  In an operand the element has the index `origin` +
 * count * `scale`.
 */
#ifndef ARRAY_GPU_RUN_H
#define ARRAY_GPU_RUN_H

#include "core/array/engine/gpu/machine.h"

enum gpu_run_way {
	GPU_RUN_APART, /* each element is accessed by itself */
	/* all elements in one access; `step` and `scale` are 1 */
	GPU_RUN_PACK,
	GPU_RUN_FIXED, /* the operand has a single element for the whole run */
	GPU_RUN_LOCAL  /* each element is accessed alone, in local memory */
};

struct gpu_run_place {
	enum gpu_run_way way;
	uint32_t origin; /* 0: nothing is added */
	uint32_t scale;  /* 0 stands for 1 */
	uint32_t array;  /* LOCAL: the array in local memory */
};

struct gpu_run {
	/* the number of elements, which have at most MACHINE_RUN components in
	   all */
	unsigned n;
	unsigned step;
	uint32_t begin, end;
	/* a condition: none of the n elements is missing; 0: no element can be
	   missing */
	uint32_t whole;
	struct gpu_run_place place[SCHEDULE_OPERANDS];
};

/* Append code for all elements of a run.  No other code may follow in the
   kernel. */
void gpu_run_add(struct machine *m, const struct gpu_run *run);

/* The index of the element with count @at, in the operand of @place. */
uint32_t gpu_run_index(struct machine *m, const struct gpu_run_place *place,
		       uint32_t at);

/* Only for a run that is whole.  gpu_run_count() is the count of element @j,
   and gpu_run_load() loads all elements of operand @k. */
uint32_t gpu_run_count(struct machine *m, const struct gpu_run *run,
		       struct machine_index j);
void gpu_run_load(struct machine *m, const struct gpu_run *run, int k,
		  struct machine_pack *in);

/* Begin a loop over the counts of the run. */
void gpu_run_begin_loop(struct machine *m, const struct gpu_run *run,
			struct machine_loop *loop);

#endif
