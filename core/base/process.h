/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - fork(), exit() and dpr_finalize(): whether the library may be
 * used, and what its parts do then.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/status.h>

/*
 * Whether the runtime may be used with objects of its own: DPR_OK,
 * DPR_ERROR_SHUTDOWN after dpr_finalize(), DPR_ERROR_FORKED in a child whose
 * parent had opened a backend.  @what names the operation.  Public functions
 * begin with it and hold no lock then: it also delivers what plugins have said
 * to the log.  Cheap: two relaxed loads.
 */
dpr_status process_check(const char *what);

/* The same without a text, for releases: false means "do nothing". */
bool process_alive(void);

/* What a part of the library does then.  Static; added once and never taken
   away.  NULL: nothing. */
struct process_hook {
	struct process_hook *next;
	/* Take the locks that a child could otherwise find held, and release
	   them.  A hook with these is added before the first process_watch().
	 */
	void (*before_fork)(void);
	void (*after_fork)(void);
	/* Release them in the child.  Returns whether something was under way,
	   so that the child cannot use the library. */
	bool (*in_child)(void);
	/* In exit(): no call of the library works any more. */
	void (*at_exit)(void);
	/* Before that, where exit() is called by the first thread. */
	void (*first_thread_ends)(void);
};

void process_add(struct process_hook *hook);

/*
 * Be told of fork() and exit() from now on.  Called before the first plugin
 * file is opened, and again with @opened after each open of a driver, so that
 * the handler runs before those that the driver has just registered.  The child
 * of a fork() after which a driver had been opened may not use the library.
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
	/* The number of programs and kernels that it keeps: they do not keep
	   the library busy.  NULL: none. */
	void (*count)(size_t *programs, size_t *kernels);
	/* Release what it keeps. */
	void (*drop)(void);
};

void process_add_kept(struct kept_hook *hook);

/* Call these of all hooks; the numbers are sums. */
void process_count_kept(size_t *programs, size_t *kernels);
void process_drop_kept(void);

#endif
