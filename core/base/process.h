/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - whether the library may be used, and what its parts do in fork(),
 * exit() and dpr_finalize().
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/status.h>

/*
 * Check whether the runtime may be used: DPR_OK, DPR_ERROR_SHUTDOWN after
 * dpr_finalize(), DPR_ERROR_FORKED in a child whose parent had opened a
 * backend.  @what names the operation.  Public functions call it first, without
 * a lock: it also delivers queued log messages.  Cheap: two relaxed loads.
 */
dpr_status process_check(const char *what);

/* The same without an error text, for releases; false: do nothing. */
bool process_alive(void);

/* What a part of the library does in fork() and exit().  Static; added once and
   never removed.  NULL: nothing. */
struct process_hook {
	struct process_hook *next;
	/* Take the locks that a child could otherwise find held; release them
	   in the parent.  A hook with these functions must be added before the
	   first process_watch(). */
	void (*before_fork)(void);
	void (*after_fork)(void);
	/* Release the locks in the child.  Returns whether something was under
	   way, so that the child cannot use the library. */
	bool (*in_child)(void);
	/* In exit(): the library refuses calls from now on. */
	void (*at_exit)(void);
	/* Called before at_exit, if the first thread calls exit(). */
	void (*first_thread_ends)(void);
};

void process_add(struct process_hook *hook);

/*
 * Handle fork() and exit() from now on.  Called before the first plugin file is
 * opened, and again with @opened after each open of a driver, so that our exit
 * handler runs before those that the driver has just registered.  After a
 * fork() with a driver open, the child may not use the library.
 */
void process_watch(bool opened);

/* For dpr_finalize(): from now on process_check() gives DPR_ERROR_SHUTDOWN. */
void process_shutdown(void);

/* Run @run(@user) in a thread that is detached and has all signals blocked.
   Returns 0, or an errno. */
int process_thread(void *(*run)(void *user), void *user);

/* What a part of the library keeps until dpr_finalize().  Static; added once.
   Both functions are called with no lock held. */
struct kept_hook {
	struct kept_hook *next;
	/* Get the numbers of programs and kernels that the part keeps: they do
	   not make dpr_finalize() fail.  NULL: none. */
	void (*count)(size_t *programs, size_t *kernels);
	/* Release what it keeps. */
	void (*drop)(void);
};

void process_add_kept(struct kept_hook *hook);

/* Call count() or drop() of all hooks; the numbers are sums. */
void process_count_kept(size_t *programs, size_t *kernels);
void process_drop_kept(void);

#endif
