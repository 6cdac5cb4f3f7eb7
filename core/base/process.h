/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - decides whether the library may be used, and runs the hooks of
 * its parts in fork(), exit() and dpr_finalize().
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/status.h>

/*
 * Check whether the runtime may be used.  @what names the operation.
 * DPR_ERROR_SHUTDOWN: dpr_finalize() was called.  DPR_ERROR_FORKED: this is a
 * child whose parent had opened a backend.  Public functions call this first,
 * without a lock, since it also delivers queued log messages.  It costs two
 * relaxed loads.
 */
dpr_status process_check(const char *what);

/* Like process_check(), without an error text, for releases.  False: do
   nothing. */
bool process_alive(void);

/* The hooks of a part of the library in fork() and exit().  A hook is static,
   and is added once and never removed.  A NULL function does nothing. */
struct process_hook {
	struct process_hook *next;
	/* Take the locks that a child could otherwise find held, and release
	   them in the parent.  A hook with these functions must be added before
	   the first process_watch(). */
	void (*before_fork)(void);
	void (*after_fork)(void);
	/* Release the locks in the child.  Returns whether an operation was in
	   progress, so that the child cannot use the library. */
	bool (*in_child)(void);
	/* Called in exit().  The library refuses calls from now on. */
	void (*at_exit)(void);
	/* Called before at_exit, if the first thread calls exit(). */
	void (*first_thread_ends)(void);
};

void process_add(struct process_hook *hook);

/*
 * Handle fork() and exit() from now on.  This is called before the first plugin
 * file is opened, and again with @opened after each open of a driver.  So our
 * exit handler runs before the handlers that the driver has just registered.
 * After a fork() with a driver open, the child may not use the library.
 */
void process_watch(bool opened);

/* For dpr_finalize(): process_check() returns DPR_ERROR_SHUTDOWN from now
   on. */
void process_shutdown(void);

/* Run @run(@user) in a detached thread with all signals blocked.  Returns 0, or
   an errno. */
int process_thread(void *(*run)(void *user), void *user);

/* The hooks of a part that keeps objects until dpr_finalize().  A hook is
   static, and is added once.  Both functions are called with no lock held. */
struct kept_hook {
	struct kept_hook *next;
	/* Get the numbers of programs and kernels that the part keeps.  They do
	   not make dpr_finalize() fail.  NULL: none. */
	void (*count)(size_t *programs, size_t *kernels);
	/* Release everything that the part keeps. */
	void (*drop)(void);
};

void process_add_kept(struct kept_hook *hook);

/* Call count() or drop() of all hooks.  The numbers are added up. */
void process_count_kept(size_t *programs, size_t *kernels);
void process_drop_kept(void);

#endif
