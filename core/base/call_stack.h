/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_stack.h - the public functions that each thread is in, while the layer
 * "trace" or "handles" is on.  The titles of launches are kept always.
 */
#ifndef BASE_CALL_STACK_H
#define BASE_CALL_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/status.h>

#include "core/base/handles/handle.h"

/* A public function that has not returned yet. */
struct call {
	/* NULL: the call is not watched, and no other member is set */
	const char *name;
	uint64_t start;     /* the time of the call, in nanoseconds */
	struct call *outer; /* the outer call of the same thread */
	dpr_status status;  /* the status of the last failure in this call */
	/* Failures since the last call or submission in this call.  A later
	   call or submission means that an earlier failure was handled. */
	unsigned failures;
	unsigned submissions;
	uint64_t moved; /* the bytes of all moves submitted in this call */
	bool is_whole; /* see call_stack_whole() */
	/* For the layer "handles": `leave` is called when the call ends, if not
	   NULL.  made: where the call puts objects for the program, n_made
	   places or lists.  from: the address in the program to which the call
	   returns. */
	void (*leave)(struct call *call);
	struct handle made[2];
	size_t n_made;
	const void *from;
	size_t n_notes;  /* the number of bytes in `notes` */
	char notes[256]; /* text of the form ,"key":value ... */
};

/* The layers that watch calls. */
enum call_stack_layer { CALL_STACK_TRACE = 1, CALL_STACK_HANDLES = 2 };

/* The layers that are on or may still be turned on, read relaxed.  A layer that
   was taken out does not come back.  Each public function reads this variable.
   Hidden, it needs no look-up in the global offset table. */
extern atomic_int call_stack_layers __attribute__((visibility("hidden")));

/* Whether one of @layers is on, or may still be turned on. */
static inline bool call_stack_watch(int layers)
{
	return __builtin_expect(
		atomic_load_explicit(&call_stack_layers, memory_order_relaxed) &
			layers,
		0);
}

/* Take a layer out. */
void call_stack_unwatch(enum call_stack_layer layer);

/* Enter and leave a function.  The caller owns @call. */
void call_stack_push(struct call *call, const char *name);
void call_stack_pop(struct call *call);

/*
 * How many public functions this thread is in, while the layer "handles" is on.
 * 0: the thread runs the program's code.  go_in() adds 1: for threads of the
 * library, and for its functions that others call back.  go_out() sets 0, for
 * the time of a callback of the program.  Both return the earlier number, for
 * go_back().
 */
int call_stack_depth(void);
int call_stack_go_in(void);
int call_stack_go_out(void);
void call_stack_go_back(int depth);

/* The innermost call of this thread, or NULL. */
const struct call *call_stack_top(void);

/* Remember that this thread has recorded a failure. */
void call_stack_failed(dpr_status status);

/* Failures between call_stack_keep() and call_stack_restore() do not count as
   failures of the thread's calls.  Pairs may nest. */
void call_stack_keep(void);
void call_stack_restore(void);

/* Add a note to the innermost call of this thread; with @all, also to the calls
   around it.  The first note under a key stays. */
void call_stack_note(bool all, const char *key, const char *text);

/* Let the trace show the innermost call of this thread without the calls in
   it. */
void call_stack_whole(void);

/* Count a submission, which moves @bytes, in the calls of this thread. */
void call_stack_submitted(uint64_t bytes);

/*
 * Set the title of this thread's launches to @name, which is borrowed until
 * call_stack_title_end().  Kernels of array functions have names that users do
 * not know, so traces show the title.  The outermost title stays: returns
 * whether @name is used.
 */
bool call_stack_title_begin(const char *name);

/* @began: the result of call_stack_title_begin(). */
void call_stack_title_end(bool began);

/* The title, or @name if there is no title. */
const char *call_stack_title_or(const char *name);

#endif
