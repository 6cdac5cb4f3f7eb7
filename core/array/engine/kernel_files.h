/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_files.h - kernels in a format of which dpr knows nothing: their author
 * compiled them, and they are in files beside his plugin.
 *
 * There is a file for each kernel of one step: for every frame, operation and
 * dtype.  Each operand of an operation that has several may be an array or a
 * number, so that this needs no kernel of its own: in its words the kernel gets
 * for each operand whether it is a number, and the number.
 *
 * And there is one for every reduction and dtype.  It stores what it
 * accumulates, in the dtype that accumulates.  The kernel of that dtype then
 * reduces the results of parts.  The kernel of a sum of floats also makes
 * means.
 */
#ifndef ARRAY_KERNEL_FILES_H
#define ARRAY_KERNEL_FILES_H

#include <dpr/kernel.h>
#include <dpr/program.h>
#include <dpr/queue.h>

#include "core/array/engine/call.h"
#include "core/array/engine/frame.h"

#define KERNEL_FILES_NAME 48
#define KERNEL_FILES_OPERANDS 3

/* Make @graph the one of the kernel that computes @step, of which the operands
   and `at`, if it has no operands, do not count. */
void kernel_files_graph(const struct graph_step *step, struct graph *graph);

/* The frame of the kernels of @kind: FRAME_FLAT, or FRAME_STRIDED for up to
   FRAME_RANK axes. */
struct frame kernel_files_frame(enum frame_kind kind);

/* The frame of the kernel that reduces arrays of @dtype, whose graph is an
   input. */
struct frame kernel_files_fold(enum reduction reduction, unsigned dtype);

/* Whether that kernel exists, and has the name of the reduction. */
bool kernel_files_reduces(enum reduction reduction, unsigned dtype);

/* The name of the kernel of such a graph and frame, and of its file. */
void kernel_files_name(const struct graph *graph, const struct frame *frame,
		       char name[KERNEL_FILES_NAME]);

/* A call in which the graph is that of a kernel. */
struct kernel_files_call {
	struct engine_call call;
	/* Bit k: input k is a number, and its array is there only because the
	   kernel has a pointer for it. */
	unsigned unread;
	struct graph graph;
	const dpr_array *inputs[KERNEL_FILES_OPERANDS];
	struct engine_scalar scalars[2 * KERNEL_FILES_OPERANDS];
};

/* Make @to of @from.  False: @from has several steps, or a step whose operand
   cannot be a number has one, or an operand without memory. */
bool kernel_files_take(const struct engine_call *from,
		       struct kernel_files_call *to);

/* Whether there is a file for the kernel @name. */
bool kernel_files_is_there(const dpr_device *device, const char *format,
			   const char *name);

/*
 * Load the kernel @name from its file in @format, for @queue's device.  Both
 * are the caller's.
 * DPR_ERROR_UNSUPPORTED: there is no such file; the text names it.  Other
 * errors are those of building.
 */
dpr_status kernel_files_load(dpr_queue *queue, const char *format,
			     const char *name, dpr_program **program,
			     dpr_kernel **kernel);

#endif
