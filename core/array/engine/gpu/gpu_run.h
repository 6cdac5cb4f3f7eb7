/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_run.h - the elements of a work-item.  If all of them are there, they are
 * computed together, otherwise in a loop.
 *
 * A run counts from `begin` on, in steps of `step`, below `end`.  The element
 * with a count has the index `origin` + count * `scale` in an operand.
 */
#ifndef ARRAY_GPU_RUN_H
#define ARRAY_GPU_RUN_H

#include "core/array/engine/gpu/machine.h"

enum gpu_run_way {
	GPU_RUN_APART, /* each element is accessed by itself */
	GPU_RUN_PACK,  /* all elements together; `step` and `scale` are 1 */
	GPU_RUN_FIXED, /* there is a single element for all */
	GPU_RUN_LOCAL  /* each element by itself, in local memory */
};

struct gpu_run_place {
	enum gpu_run_way way;
	uint32_t origin; /* 0: nothing is added */
	uint32_t scale;  /* 0 stands for 1 */
	uint32_t array;  /* LOCAL: the array */
};

struct gpu_run {
	/* the number of elements, with at most MACHINE_RUN components */
	unsigned n;
	unsigned step;
	uint32_t begin, end;
	uint32_t whole; /* whether there are n elements; 0: there always are */
	struct gpu_run_place place[SCHEDULE_OPERANDS];
};

/* Append the steps for all elements of a run.  They end the kernel. */
void gpu_run_add(struct machine *m, const struct gpu_run *run);

/* The index of the element with count @at. */
uint32_t gpu_run_index(struct machine *m, const struct gpu_run_place *place,
		       uint32_t at);

/* For a whole run: the count of element @j, and loading all elements of operand
   @k. */
uint32_t gpu_run_count(struct machine *m, const struct gpu_run *run,
		       struct machine_index j);
void gpu_run_load(struct machine *m, const struct gpu_run *run, int k,
		  struct machine_pack *in);

/* Begin a loop that counts like the run. */
void gpu_run_begin_loop(struct machine *m, const struct gpu_run *run,
			struct machine_loop *loop);

#endif
