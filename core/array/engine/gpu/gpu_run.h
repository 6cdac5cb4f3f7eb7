/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_run.h - writes the code for a run: the few elements that a work-item
 * takes in a kernel without reductions.  A run is whole if all its elements are
 * within the arrays.  A whole run is computed at once.  Otherwise a loop
 * computes only the elements within the arrays.
 *
 * Each element of a run has a number, called its count: `begin`, `begin` +
 * `step` and so on, below `end`.  In an operand the element has the index
 * `origin` + count * `scale`.
 */
#ifndef ARRAY_GPU_RUN_H
#define ARRAY_GPU_RUN_H

#include "core/array/engine/gpu/machine.h"

enum gpu_run_way {
	GPU_RUN_APART, /* each element is accessed by itself */
	/* all elements are accessed as one vector; `step` and `scale` are 1 */
	GPU_RUN_PACK,
	GPU_RUN_FIXED, /* the operand has a single element for the whole run */
	GPU_RUN_LOCAL  /* each element is accessed by itself, in local memory */
};

struct gpu_run_place {
	enum gpu_run_way way;
	uint32_t origin; /* handle of an index; 0: index 0 */
	uint32_t scale;  /* handle of a number; 0: scale 1 */
	uint32_t array;  /* GPU_RUN_LOCAL: handle of the array */
};

struct gpu_run {
	/* the number of elements of a whole run, which have at most MACHINE_RUN
	   components in all */
	unsigned n;
	unsigned step;
	uint32_t begin, end;
	/* a condition: the run is whole; 0: every run is whole */
	uint32_t whole;
	struct gpu_run_place place[SCHEDULE_OPERANDS];
};

/* Append code for all elements of a run.  This code may return from the kernel,
   so no other code may follow. */
void gpu_run_add(struct machine *m, const struct gpu_run *run);

/* Return the index, in the operand of @place, of the element with count @at. */
uint32_t gpu_run_index(struct machine *m, const struct gpu_run_place *place,
		       uint32_t at);

/* gpu_run_count() and gpu_run_load() are for whole runs only.  gpu_run_count():
   return the count of element @j, 0 to n - 1.  gpu_run_load(): load all
   elements of operand @k into *@in. */
uint32_t gpu_run_count(struct machine *m, const struct gpu_run *run,
		       struct machine_index j);
void gpu_run_load(struct machine *m, const struct gpu_run *run, int k,
		  struct machine_pack *in);

/* Begin a loop over the counts of a run that may not be whole. */
void gpu_run_begin_loop(struct machine *m, const struct gpu_run *run,
			struct machine_loop *loop);

#endif
