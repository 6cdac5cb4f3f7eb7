/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_files.h - kernels in files, for a format that only a plugin knows.
 * The author of the plugin compiled them, and they lie beside the plugin.
 *
 * Each kernel computes a single step.  Every combination of schedule, operation
 * and dtype has a kernel of its own, in a file of its own.  If an operation has
 * several operands, the same kernel takes each of them as an array or as a
 * number.  The words of a launch say for each operand whether it is a number,
 * and give its value.
 *
 * There is also a kernel for every reduction and dtype.  Its results have the
 * dtype of the accumulated values.  If the axis is cut into parts, a second
 * launch reduces the results of the parts.  The second launch uses the kernel
 * of the same reduction for the dtype of the accumulated values.  The kernel of
 * a sum of floats also makes means.
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

/* Set @graph to the graph of the kernel in a file that computes @step.  The
   member `x` of @step is ignored.  If @step has no operands, its member `at` is
   ignored, too. */
void kernel_files_graph(const struct graph_step *step, struct graph *graph);

/* The schedule of the kernels of @kind: SCHEDULE_FLAT, or SCHEDULE_STRIDED for
   up to SCHEDULE_RANK axes. */
struct schedule kernel_files_schedule(enum schedule_kind kind);

/* The schedule of the kernel that reduces an array of @dtype.  The graph of
   this kernel is a single input. */
struct schedule kernel_files_reduce(enum reduction reduction, unsigned dtype);

/* Whether there is a kernel for @reduction of @dtype.  There is none for a
   mean: the kernel of the sum computes means, too. */
bool kernel_files_reduces(enum reduction reduction, unsigned dtype);

/* Write the name of a kernel.  The file of the kernel has the same name.
   @graph and @schedule must come from the functions above. */
void kernel_files_name(const struct graph *graph,
		       const struct schedule *schedule,
		       char name[KERNEL_FILES_NAME]);

/* A call that a kernel in a file computes. */
struct kernel_files_call {
	struct engine_call call;
	/* Bit k is set if operand k of the step is a number.  The kernel has a
	   pointer for this operand too, so the operand's entry in `inputs` is
	   any array. */
	unsigned unread;
	struct graph graph;
	const dpr_array *inputs[KERNEL_FILES_OPERANDS];
	struct engine_scalar scalars[2 * KERNEL_FILES_OPERANDS];
};

/* Translate @from into a call @to that a kernel in a file can compute.  Returns
   false if no such kernel can: @from has several steps, an operand without
   memory, or a number for an operand that must be an array. */
bool kernel_files_take(const struct engine_call *from,
		       struct kernel_files_call *to);

/* Whether there is a file for the kernel @name. */
bool kernel_files_is_there(const dpr_device *device, const char *format,
			   const char *name);

/*
 * Load the kernel @name from its file in @format, for @queue's device.  The
 * caller owns the program and the kernel.  DPR_ERROR_UNSUPPORTED: the file is
 * missing or cannot be used; the text of the error names the file.  Other
 * errors are errors of building.
 */
dpr_status kernel_files_load(dpr_queue *queue, const char *format,
			     const char *name, dpr_program **program,
			     dpr_kernel **kernel);

#endif
