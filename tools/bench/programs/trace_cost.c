/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_cost.c - a fixed number of calls, to count the instructions of each
 * with and without the branches for the layer "trace" in the library.  The
 * trace is off.  Compare the counts of
 *
 *	valgrind --tool=callgrind --toggle-collect=trace_cost_measured \
 *		bench/programs/measure trace_cost 1000
 *
 * in this build and in one with CPPFLAGS=-DTRACE_NEVER.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"

/* One call: @x + @x into @out; if @out is NULL, get the device's queue. */
static dpr_status call(dpr_array *x, dpr_array *out, dpr_queue *queue)
{
	dpr_queue *same;

	if (out)
		return dpr_add_into(x, x, out);
	return dpr_device_queue(dpr_queue_device(queue), &same);
}

/* Not static, so that callgrind finds it by its name. */
__attribute__((noinline)) dpr_status trace_cost_measured(long n, dpr_array *x,
							 dpr_array *out,
							 dpr_queue *queue);

dpr_status trace_cost_measured(long n, dpr_array *x, dpr_array *out,
			       dpr_queue *queue)
{
	dpr_status status = DPR_OK;

	while (n-- > 0 && !status)
		status = call(x, out, queue);
	return status;
}

int trace_cost_main(int argc, char **argv)
{
	const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	const int adds = argc < 3 || strcmp(argv[2], "queue");
	dpr_array *x = NULL, *out = NULL;
	dpr_queue *queue;
	dpr_status status;

	status = dpr_canonical_queue("host", &queue);
	if (!status)
		status = dpr_ones(DPR_SHAPE(16), DPR_FLOAT32, queue, &x);
	if (!status)
		status = dpr_empty_like(x, DPR_FLOAT32, &out);
	/* The first call builds the kernel, and is not measured. */
	if (!status)
		status = call(x, out, queue);
	if (!status)
		status = trace_cost_measured(n, x, adds ? out : NULL, queue);
	if (!status)
		status = dpr_queue_wait(queue);
	if (status)
		fprintf(stderr, "trace_cost: %s\n", dpr_last_error());
	dpr_array_release(out);
	dpr_array_release(x);
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
