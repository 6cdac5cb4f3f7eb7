/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_plan.h - one launch: a graph, its operands along axes, a schedule and
 * the words for the kernel.
 *
 * engine.c, reduce/ and stages.c set the axes, choose the schedule and get the
 * kernel.  This file has the code that all three use.
 */
#ifndef ARRAY_LAUNCH_PLAN_H
#define ARRAY_LAUNCH_PLAN_H

#include "core/array/engine/axes.h"
#include "core/array/engine/call.h"
#include "core/array/engine/kernel_store.h"

#define LAUNCH_PLAN_WORDS                                     \
	(2 + SCHEDULE_REDUCE_RANK +                           \
	 SCHEDULE_OPERANDS * (2 + SCHEDULE_REDUCE_RANK) + 3 + \
	 2 * GRAPH_SCALARS)

struct launch_plan {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	const struct engine_scalar *scalars;
	dpr_queue *queue;
	const struct target *target;
	int n;        /* the number of operands: results, then inputs */
	bool gathers; /* graph_gathers() of the graph */
	const dpr_array *array[SCHEDULE_OPERANDS];
	/* Set if earlier launches have written a part of the results. */
	bool rest;
	/* If this launch computes only a part of the result: the number of
	   elements of the whole result.  Otherwise 0. */
	int64_t whole;
	/* bit k is set if the kernel does not use the elements of input k */
	unsigned unread;
	struct schedule schedule;
	/* kept: the axes of the results.  gone: the reduced axes, set only for
	   SCHEDULE_REDUCE_* and SCHEDULE_STAGES. */
	struct axes kept, gone;
	/* the index of each word in `words`, set by launch_plan_words() */
	struct schedule_words at;
	uint64_t words[LAUNCH_PLAN_WORDS];
};

/* Begin a plan for @queue.  @target describes the queue's device.  The
   schedule, `rest`, `whole` and `unread` become 0.  The caller then sets the
   arrays and the axes. */
void launch_plan_begin(struct launch_plan *p, const char *what,
		       const struct graph *graph,
		       const struct engine_scalar *scalars, dpr_queue *queue,
		       const struct target *target);

/* Whether each row of operand @k begins at an index that is a multiple of
   @pack, and the operand's memory is aligned to 16 bytes.  Rows lie along kept
   axis @along; -1: along the reduced axis.  Always true for an operand without
   memory. */
bool launch_plan_is_packs(const struct launch_plan *p, int k, int along,
			  int64_t pack);

/* Fill in the words of a launch over kept axis @first and all axes inside axis
   @first: the words of operands, scalars and axes.  Set all other words to 0.
   */
void launch_plan_words(struct launch_plan *p, int first);

/* Fail with DPR_ERROR_UNSUPPORTED if the launch would pass more bytes of
   arguments than the device takes.  The schedule must have been chosen. */
dpr_status launch_plan_check_size(const struct launch_plan *p);

/* Launch @made, the kernel of the schedule, with the words. */
dpr_status launch_plan_send(struct launch_plan *p,
			    const struct kernel_store_kernel *made);

#endif
