/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_stack.h - the public functions that each thread is in, while the layer
 * "trace" is on; and what its launches are called, always.
 */
#ifndef BASE_CALL_STACK_H
#define BASE_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/status.h>

/* A public function under way. */
struct call {
	const char *name;   /* NULL: not traced, and nothing else is set */
	uint64_t start;     /* in nanoseconds */
	struct call *outer; /* of the same thread */
	dpr_status status;  /* of the last failure within */
	/* Failures since the last call or submission within: a later one means
	   that an earlier failure was handled. */
	unsigned failures;
	unsigned submissions;
	size_t n_notes;  /* bytes */
	char notes[256]; /* ,"key":value ... */
};

/* Enter and leave a function.  The caller owns @call. */
void call_stack_push(struct call *call, const char *name);
void call_stack_pop(struct call *call);

/* The innermost call of this thread, or NULL. */
const struct call *call_stack_top(void);

/* Remember that this thread has recorded a failure. */
void call_stack_failed(dpr_status status);

/* Failures between call_stack_keep() and call_stack_restore() do not count for
   the calls that the thread is in.  Pairs may nest. */
void call_stack_keep(void);
void call_stack_restore(void);

/* Add a note to the innermost call of this thread; with @all, also to the calls
   around it.  The first note under a key stays. */
void call_stack_note(bool all, const char *key, const char *text);
void call_stack_note_number(bool all, const char *key, uint64_t number);

/* Count a submission in the calls of this thread. */
void call_stack_submitted(void);

/*
 * Call this thread's launches @name, which is borrowed until
 * call_stack_title_end(): kernels of array functions have names that no user
 * knows.  The outermost title stays: returns whether this one is used.
 */
bool call_stack_title_begin(const char *name);

/* @began: what call_stack_title_begin() returned. */
void call_stack_title_end(bool began);

/* The title, or without one @name. */
const char *call_stack_title_or(const char *name);

#endif
