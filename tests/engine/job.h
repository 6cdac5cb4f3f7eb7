/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - a graph, with arrays for it.  The array functions compute the value
 * of each step, one after the other.  The graph is launched as a program of
 * block functions, and the results are compared.
 */
#ifndef TESTS_JOB_H
#define TESTS_JOB_H

#include <stdbool.h>

#include <dpr/dpr.h>

#include "core/array/engine/graph.h"
#include "tests/support/random.h"

/* A graph with its operands, and what the array functions give. */
struct job {
	struct graph graph;
	dpr_array *value[GRAPH_STEPS];
	dpr_array *source[GRAPH_STEPS]; /* of a GRAPH_GATHER; or NULL */
	dpr_array *out[GRAPH_RESULTS];
	dpr_array *beyond[GRAPH_RESULTS]; /* what follows a result; or NULL */
	uint64_t scalar[GRAPH_SCALARS][2];
	int rank;
	int64_t shape[6];
	bool flat, stream;
};

/* The random numbers for all values, and their state before the current graph,
   for messages. */
extern struct random job_random;
extern uint64_t job_seed;
/* The queue of all arrays; to be set first. */
extern dpr_queue *job_queue;

/* A number from 0 to @n - 1. */
int64_t job_below(int64_t n);

/* Whether @op has a function for @dtype. */
bool job_computes(unsigned op, unsigned dtype);

/* A job over this shape; flat if @rank is 1.  Nothing is in it. */
void job_start(struct job *job, int rank, const int64_t *shape);
void job_end(struct job *job);

/*
 * Add a step, and compute its value.  Returns the number of the step.  An input
 * is a contiguous array if the job is flat, else a view in any order.  The
 * input of job_transposed() is contiguous along the second-last axis.  The
 * input of job_single() has the same element everywhere.
 */
int job_input(struct job *job, unsigned dtype);
int job_transposed(struct job *job, unsigned dtype);
int job_single(struct job *job, unsigned dtype);
int job_scalar(struct job *job, unsigned dtype);
int job_operation(struct job *job, unsigned op, unsigned dtype, const int *x);
/* Add the element at the place that step @place gives, a bool, of an array of
   two elements.  Launches are then not flat. */
int job_gather(struct job *job, unsigned dtype, int place);
/* Compute the value of @step, if that is new. */
int job_step(struct job *job, int step);

/* Add @step as a result.  @into NULL: a new array. */
void job_result(struct job *job, int step, dpr_array *into);

/* Launch the graph. */
dpr_status job_launch(const struct job *job);
/* Launch the graph, compare the results, and check that the memory behind a
   flat result is unchanged. */
void job_check(struct job *job);
/* Drop what launches have built. */
void job_release_kernels(void);

#endif
