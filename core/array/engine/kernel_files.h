/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_files.h - kernels in a format that dpr does not know.  Their author
 * compiled them, and they are in files beside the author's plugin.
 *
 * There is a file for each kernel of one step: for every schedule, operation
 * and dtype.  If an operation has several operands, each of them may be an
 * array or a number.  A number needs no kernel of its own: the words of the
 * kernel say for each operand whether it is a number, and give its value.
 *
 * There is also a file for every reduction and dtype.  Such a kernel stores
 * accumulated values in the dtype that accumulates.  The results of parts are
 * reduced by the kernel of the same reduction and that dtype.  The kernel of a
 * sum of floats also makes means.
 */
#ifndef ARRAY_KERNEL_FILES_H
#define ARRAY_KERNEL_FILES_H

#include <dpr/kernel.h>
#include <dpr/program.h>
#include <dpr/queue.h>

#include "core/array/engine/call.h"
#include "core/array/engine/schedule.h"

#define KERNEL_FILES_NAME 48
#define KERNEL_FILES_OPERANDS 3

/* Make @graph the graph of the kernel that computes @step.  The operands of
   @step do not count; if it has none, its `at` does not count either. */
void kernel_files_graph(const struct graph_step *step, struct graph *graph);

/* The schedule of the kernels of @kind: SCHEDULE_FLAT, or SCHEDULE_STRIDED for
   up to SCHEDULE_RANK axes. */
struct schedule kernel_files_schedule(enum schedule_kind kind);

/* The schedule of the kernel that reduces arrays of @dtype.  The graph of this
   kernel is a single input. */
struct schedule kernel_files_reduce(enum reduction reduction, unsigned dtype);

/* Whether the kernel of kernel_files_reduce() exists, and has the name of the
   reduction. */
bool kernel_files_reduces(enum reduction reduction, unsigned dtype);

/* The name of the kernel of such a graph and schedule, and of its file. */
void kernel_files_name(const struct graph *graph,
		       const struct schedule *schedule,
		       char name[KERNEL_FILES_NAME]);

/* A call whose graph is the graph of a kernel. */
struct kernel_files_call {
	struct engine_call call;
	/* Bit k is set if input k is a number.  Its array is only there as an
	   argument of the kernel. */
	unsigned unread;
	struct graph graph;
	const dpr_array *inputs[KERNEL_FILES_OPERANDS];
	struct engine_scalar scalars[2 * KERNEL_FILES_OPERANDS];
};

/* Make @to from @from.  Returns false if no kernel can compute @from: it has
   several steps, an operand without memory, or a number for an operand that
   must be an array. */
bool kernel_files_take(const struct engine_call *from,
		       struct kernel_files_call *to);

/* Whether there is a file for the kernel @name. */
bool kernel_files_is_there(const dpr_device *device, const char *format,
			   const char *name);

/*
 * Load the kernel @name from its file in @format, for @queue's device.  The
 * caller owns the program and the kernel.  DPR_ERROR_UNSUPPORTED: there is no
 * such file; the text names it.  Other errors are errors of building.
 */
dpr_status kernel_files_load(dpr_queue *queue, const char *format,
			     const char *name, dpr_program **program,
			     dpr_kernel **kernel);

#endif
