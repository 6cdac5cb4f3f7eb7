/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - the layer "trace": a file in the Chrome trace event format.
 *
 * Every public function that returns a dpr_status begins with TRACE_CALL, which
 * is one branch that is not taken while the layer is off.  What runs on queues
 * is written by core/runtime/submit/trace_queue.c.
 *
 * Lines are written with no lock of the core held.  The file is complete JSON
 * after each write, so that it can be read whatever becomes of the process.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/status.h>

enum trace_state {
	TRACE_OFF = 0,
	TRACE_UNKNOWN = 1, /* the environment was not read yet */
	TRACE_ON = 2
};

/* enum trace_state; relaxed.  Once it is known it only becomes TRACE_OFF, and
   that it stays. */
extern atomic_int trace_state;

/* Whether it is on.  With -DTRACE_NEVER it cannot be, to measure what it costs
   while it is off. */
static inline int trace_on(void)
{
#ifdef TRACE_NEVER
	return 0;
#else
	return __builtin_expect(
		atomic_load_explicit(&trace_state, memory_order_relaxed) ==
			TRACE_ON,
		0);
#endif
}

/*
 * Write to @file: if it exists, its contents go.  "%p" in the name becomes the
 * process's number.  A file that cannot be written, is not a regular one or is
 * another process's now leaves the layer off, with a line in the log.
 * DPR_ERROR_ENVIRONMENT: the name is not absolute; the text names DPR_TRACE.
 */
dpr_status trace_start(const char *file);

/* The layer is not wanted. */
void trace_decline(void);

/* Set when the program has waited for work: the next look at what has ended is
   not too early. */
extern atomic_int trace_due;

/* Called when a call of the program ends, with no lock held; @last: the process
   ends, and no plugin may be called. */
void trace_set_worker(void (*worker)(int last));

/* Write what is left; further lines are dropped.  Runs at exit() by itself. */
void trace_stop(void);

/* In the child of a fork(): the file is the parent's. */
void trace_forked(void);

/* The part of trace_stop() that is about the file. */
void trace_file_finish(void);

/* --- Calls -----------------------------------------------------------------
 */

/* A public function under way.  Nothing but the name is set while the layer is
   off. */
struct trace_call {
	const char *name; /* NULL: not traced */
	uint64_t start;
	struct trace_call *outer; /* of the same thread */
	dpr_status status;        /* of the last failure within */
	/* Those after which nothing else was called or submitted: it was not
	   got over. */
	unsigned failures;
	unsigned submissions;
	size_t n_notes;  /* bytes */
	char notes[256]; /* ,"key":value ... */
};

void trace_begin(struct trace_call *call, const char *name)
	__attribute__((cold));
void trace_end(struct trace_call *call) __attribute__((cold));

static inline void trace_enter(struct trace_call *call, const char *name)
{
	call->name = NULL;
	if (__builtin_expect(
		    atomic_load_explicit(&trace_state, memory_order_relaxed),
		    0))
		trace_begin(call, name);
}

static inline void trace_leave(struct trace_call *call)
{
	if (__builtin_expect(call->name != NULL, 0))
		trace_end(call);
}

/* The first line of a public function: the rest of it is a span of its name. */
#ifdef TRACE_NEVER
#define TRACE_CALL (void)0
#else
#define TRACE_CALL                                                          \
	struct trace_call trace_call __attribute__((cleanup(trace_leave))); \
	trace_enter(&trace_call, __func__)
#endif

/* This thread has recorded a failure. */
void trace_failed(dpr_status status);
/* What it records from here to there is not a failure of the calls that it is
   in now.  They nest. */
void trace_keep(void);
void trace_restore(void);

/* Tell something about the innermost call of this thread; with @all, about
   those around it too.  What a call was told before under @key stays. */
void trace_note(int all, const char *key, const char *text);
void trace_note_number(int all, const char *key, uint64_t number);
/* A submission was made within the calls of this thread. */
void trace_note_submission(void);

/* The number of this thread, as the file has it. */
int trace_thread(void);

/* --- Lines -----------------------------------------------------------------
 */

/* An event of the file while it is made. */
struct trace_line {
	size_t size;
	char bytes[1536];
};

/* Begin an event: its phase, its place, its time in nanoseconds. */
void trace_line_begin(struct trace_line *line, char phase, uint64_t process,
		      uint64_t thread, uint64_t time);
/* Add `"key":` and a number, a text, true, or a time in microseconds. */
void trace_line_number(struct trace_line *line, const char *key, uint64_t n);
void trace_line_text(struct trace_line *line, const char *key,
		     const char *text);
void trace_line_true(struct trace_line *line, const char *key);
void trace_line_time(struct trace_line *line, const char *key, uint64_t time);
/* Open and close the object of arguments; what comes first in it is a name. */
void trace_line_args(struct trace_line *line, const char *key,
		     const char *text);
void trace_line_args_end(struct trace_line *line);
/* The notes of a call, in its arguments. */
void trace_line_notes(struct trace_line *line, const char *notes, size_t size);
/* Put it into the file, sooner or later.  May write, so that no lock may be
   held. */
void trace_line_put(struct trace_line *line);

/* @text as the inside of a JSON string, cut to @room bytes; returns how many.
 */
size_t trace_escape(char *to, size_t room, const char *text);

/* Name a process or a thread of the file: "process_name", "thread_name". */
void trace_name(const char *what, uint64_t process, uint64_t thread,
		const char *name);

#endif
