/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_run.h - the elements of a work-item: together if all of them are there,
 * else in a loop.
 *
 * A run is counted: from `begin` on, in steps of `step`, below `end`.  What is
 * counted has the index `origin` + count * `scale` in an operand.
 */
#ifndef ARRAY_SPIRV_RUN_H
#define ARRAY_SPIRV_RUN_H

#include "core/array/engine/spirv/spirv_access.h"

enum spirv_run_way {
	SPIRV_RUN_APART, /* each element is accessed by itself */
	SPIRV_RUN_PACK,  /* all together: `step` and `scale` are 1 */
	SPIRV_RUN_FIXED, /* there is one element for all */
	SPIRV_RUN_LOCAL  /* apart, in local memory */
};

struct spirv_run_place {
	enum spirv_run_way way;
	uint32_t origin; /* 0: nothing is added */
	uint32_t scale;  /* 0: it is 1 */
	uint32_t array;  /* LOCAL: the variable */
};

struct spirv_run {
	unsigned n; /* elements, at most SPIRV_ACCESS_PACK components */
	unsigned step;
	uint32_t begin, end;
	uint32_t whole; /* whether there are n; 0: there always are */
	struct spirv_run_place place[FRAME_OPERANDS];
};

/* Whether the steps @set are computed for @n elements together, with the fast
   paths or without: a driver compiles the functions of the steps anew at each
   call, so their code must not be too long for that. */
bool spirv_run_is_short(struct spirv_steps *e, uint64_t set, unsigned n,
			bool fast);

/* Append the steps for all elements of a run, and the kernel's end. */
void spirv_run_add(struct spirv_steps *e, const struct spirv_run *run);

/* The index of what is counted as @at. */
uint32_t spirv_run_index(struct spirv_steps *e,
			 const struct spirv_run_place *place, uint32_t at);

/* Where the run is whole: what is counted as element @j, and all elements of
   operand @k. */
uint32_t spirv_run_count(struct spirv_steps *e, const struct spirv_run *run,
			 unsigned j);
void spirv_run_load(struct spirv_steps *e, const struct spirv_run *run, int k,
		    struct spirv_access_pack *in);

/* Append a loop that counts as a run does, up to where its body begins, and
   return what is counted.  Behind the body, spirv_run_close() goes on with the
   loop; what follows comes after it. */
struct spirv_run_loop {
	uint32_t variable, head, more, end;
};
uint32_t spirv_run_open(struct spirv_steps *e, const struct spirv_run *run,
			struct spirv_run_loop *loop);
void spirv_run_close(struct spirv_steps *e, const struct spirv_run *run,
		     uint32_t at, const struct spirv_run_loop *loop);

#endif
