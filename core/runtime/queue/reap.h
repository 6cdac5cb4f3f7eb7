/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.h - put a released object here; another thread frees it later.
 *
 * The contract.  Nobody but submitted work uses the object any more.
 * reap_add() takes it from any thread, also with locks held: the call waits for
 * nothing, cannot fail and calls no driver.  A later call of the program frees
 * the object, or the reaper does, a thread of the core.  Either does so when no
 * work uses the object, and holds no lock but the device's `released.turn`,
 * because a driver may then wait for all work of the device.
 *
 * The exceptions:
 *
 * - A call that must not wait, such as a submission or a wait with timeout 0,
 *   frees blocks of pools alone.  It leaves the rest to the reaper.
 * - The progress thread frees nothing: it calls reap_wake() instead.
 * - The callback thread frees only if a callback allocates and memory is short,
 *   or if a callback trims a pool.
 * - One thread at a time frees objects of a device.  Others go on with other
 *   devices, unless they are short of memory.
 * - Without the reaper's thread, if it cannot be started, only later calls of
 *   the program free objects.
 * - exit() ends all freeing.  dpr_finalize() waits for work and frees
 *   everything, but for objects whose work it cannot wait for.
 */
#ifndef RUNTIME_REAP_H
#define RUNTIME_REAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>

/* The kinds of objects, in the order in which they are freed: memory holds
   references to queues, and queues to kernels. */
enum reap_what { REAP_MEMORY, REAP_QUEUE, REAP_CODE };

/* The part of an object by which the reaper knows it. */
struct reap_node {
	struct reap_node *next;
	dpr_device *root; /* the root device of the object */
	enum reap_what what;
	/* free() with the deadline 0 waits for nothing, and calls nothing of
	   the program. */
	bool asks;
	/* Free the object of the node if no work uses it any more.  Wait for
	   the end of that work until @deadline; 0: do not wait.  Returns
	   whether the object is freed. */
	bool (*free)(struct reap_node *node, uint64_t deadline);
};

/* Let reap() try to free the object of @node from now on.  Never waits, never
   fails. */
void reap_add(struct reap_node *node);

/*
 * Free the released objects that no work uses any more, of all devices.  Does
 * nothing on a thread that has called reap_not_here().  Cheap when there are
 * none.  May wait for work of any device with released objects, even if the
 * caller uses another one: a program that goes on with one device alone would
 * otherwise never get the memory of the others back.  Blocks of pools are given
 * back without the driver, so it may wait only for queues, code and allocations
 * with memory of their own.  A block that another thread looks at counts as
 * looked at only then: that thread may have asked before the caller's work was
 * done.
 */
void reap(void);

/* As reap(), for a call that must not wait: leaves to the reaper what may make
   the driver wait. */
void reap_soon(void);

/* Called at the end of a wait for which the program gave @timeout: reap(), or
   reap_soon() if @timeout is 0. */
void reap_after(uint64_t timeout);

/* Whether this thread is in reap_soon(), and must leave to the reaper what may
   wait. */
bool reap_leaves(void);

/* As reap(), but even after reap_not_here(): the caller may wait for the
   driver. */
void reap_now(void);

/* From now on this thread must not call entries of plugins that may wait for
   work: it uses reap_add() instead, and then reap_wake().  reap_is_elsewhere():
   whether that was called. */
void reap_not_here(void);
bool reap_is_elsewhere(void);

/* Have the reaper free all released objects, each as soon as no work uses it.
   Cheap when there are none.  If its thread cannot be started, later calls of
   the program free them. */
void reap_wake(void);

/* End the reaper.  Wait for its end until @deadline. */
void reap_stop(uint64_t deadline);

/* Wait until @deadline for the work that uses released allocations of a root
   device, then free them.  Returns how many were freed. */
size_t reap_wait(dpr_device *root, uint64_t deadline);

/* Wait for all work that uses released objects and for threads in reap(), then
   free everything.  If objects are left, their work cannot be waited for.  Must
   not be called within reap(). */
void reap_all(void);

/* Whether other threads are freeing allocations of a root device, but have
   freed none since the last call.  *@freed keeps a count between calls. */
bool reap_waits(const dpr_device *root, size_t *freed);

#endif
