/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - the layer "trace".
 *
 * Every public function that returns a dpr_status begins with TRACE_CALL, which
 * the layer "handles" uses, too.  While both are off this costs a branch that
 * is not taken. core/runtime/submit/trace_queue.c writes the work on queues.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/call_stack.h"
#include "core/base/trace_file.h"

/* Whether the layer is on.  With -DTRACE_NEVER it is always off, to measure the
   cost of this test. */
static inline bool trace_on(void)
{
#ifdef TRACE_NEVER
	return false;
#else
	return __builtin_expect(
		atomic_load_explicit(&trace_file_state, memory_order_relaxed) ==
			TRACE_ON,
		0);
#endif
}

/* Open the file (trace_file_open()), and finish it when the process exits. */
dpr_status trace_start(const char *file);

/* Write the remaining finished work, and the calls that are still running.
   Later lines are dropped. */
void trace_stop(void);

/* Set when the program has waited for work, so there may be finished work to
   write. */
extern atomic_int trace_due;

/* Set the function to call when a call of the program ends.  @worker is called
   with no lock held.  With @last the process ends, and @worker must not call a
   plugin. */
void trace_set_worker(void (*worker)(bool last));

/* The number of this thread in the file. */
int trace_thread(void);

/* Count a kernel that this thread has launched.  Kernels are counted even if
   the layer is off. */
void trace_add_launch(void);

/* The number of kernels that this thread has launched. */
uint64_t trace_launches(void);

void trace_begin(struct call *call, const char *name) __attribute__((cold));
void trace_end(struct call *call) __attribute__((cold));

/* Returns whether the call is watched. */
static inline bool trace_enter(struct call *call, const char *name)
{
	call->name = NULL;
	if (!call_stack_watch(CALL_STACK_TRACE | CALL_STACK_HANDLES))
		return false;
	trace_begin(call, name);
	return true;
}

static inline void trace_leave(struct call *call)
{
	if (__builtin_expect(call->name != NULL, 0))
		trace_end(call);
}

/* The first line of a public function: its call becomes a span in the trace. */
#ifdef TRACE_NEVER
#define TRACE_CALL (void)0
#else
#define TRACE_CALL                                                    \
	struct call trace_call __attribute__((cleanup(trace_leave))); \
	const bool trace_watched __attribute__((unused)) =            \
		trace_enter(&trace_call, __func__)
#endif

#endif
