/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - fork(), exit() and dpr_finalize(): whether backends may be
 * called.
 *
 * runtime_check() and runtime_alive() are in device.h.
 */
#ifndef RUNTIME_PROCESS_H
#define RUNTIME_PROCESS_H

/*
 * Be told of fork() and exit() from now on.  The registry calls it before the
 * first plugin file is opened, and again with @opened after each open of a
 * driver, so that the handler runs before those that the driver has just
 * registered.  At exit() the progress thread stops, and no plugin is called any
 * more, but to wait for launches that may have a driver compile; 5 s at most.
 * The child of a fork() after which a driver had been opened may not use the
 * library.
 */
void process_watch(int opened);

/* For dpr_finalize(): from now on runtime_check() gives DPR_ERROR_SHUTDOWN. */
void process_shutdown(void);

#endif
