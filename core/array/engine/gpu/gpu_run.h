/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_run.h - the elements of a work-item: together if all of them are there,
 * else in a loop.
 *
 * A run is counted: from `begin` on, in steps of `step`, below `end`.  What is
 * counted has the index `origin` + count * `scale` in an operand.
 */
#ifndef ARRAY_GPU_RUN_H
#define ARRAY_GPU_RUN_H

#include "core/array/engine/gpu/machine.h"

enum gpu_run_way {
	GPU_RUN_APART, /* each element is accessed by itself */
	GPU_RUN_PACK,  /* all together: `step` and `scale` are 1 */
	GPU_RUN_FIXED, /* there is one element for all */
	GPU_RUN_LOCAL  /* apart, in local memory */
};

struct gpu_run_place {
	enum gpu_run_way way;
	uint32_t origin; /* 0: nothing is added */
	uint32_t scale;  /* 0: it is 1 */
	uint32_t array;  /* LOCAL: the array */
};

struct gpu_run {
	unsigned n; /* elements, at most MACHINE_RUN components */
	unsigned step;
	uint32_t begin, end;
	uint32_t whole; /* whether there are n; 0: there always are */
	struct gpu_run_place place[FRAME_OPERANDS];
};

/* Append the steps for all elements of a run, which end the kernel. */
void gpu_run_add(struct machine *m, const struct gpu_run *run);

/* The index of what is counted as @at. */
uint32_t gpu_run_index(struct machine *m, const struct gpu_run_place *place,
		       uint32_t at);

/* Where the run is whole: what is counted as element @j, and all elements of
   operand @k. */
uint32_t gpu_run_count(struct machine *m, const struct gpu_run *run,
		       struct machine_index j);
void gpu_run_load(struct machine *m, const struct gpu_run *run, int k,
		  struct machine_pack *in);

/* Begin a loop that counts as the run does. */
void gpu_run_begin_loop(struct machine *m, const struct gpu_run *run,
			struct machine_loop *loop);

#endif
