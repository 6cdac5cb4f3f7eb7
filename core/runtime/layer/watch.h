/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - the thread of the layer "check": it sees what does not move. */
#ifndef RUNTIME_WATCH_H
#define RUNTIME_WATCH_H

/* Install the hooks for fork() and exit().  Called once, before
   process_watch(). */
void watch_prepare(void);

/* Start the thread, if the layer "check" is on. */
void watch_start(void);

#endif
